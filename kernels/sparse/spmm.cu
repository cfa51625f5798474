/* spmm.cu - a matrix by compressed rows, plain or in blocks, times a full one, and the reverse.
 *
 * All products have one form, C = alpha S D + beta C with S by rows. A full A times B by rows is
 * C' = B' A', where C' lies in memory by rows if C lies by columns. If the transpose of S is given
 * by rows, it is transposed first (sparse/transpose.h): Octave's matrices by compressed columns
 * need that on the left of a product, but not on the right.
 *
 * What it does: each block of S in a row meets a row of D. A group of LANES threads computes LANES
 * columns of a row of C (of blocks: of several rows), one per thread, so that it reads D in whole
 * lines of memory. If D has few columns, the threads share the row of S instead. With one or two
 * columns every thread block multiplies equally many elements of S, whatever their rows: a full row
 * among short ones keeps nobody waiting (Merrill and Garland, SC16, divide rows and elements). This
 * needs D with the elements of a row side by side. If D lies by columns, a panel of columns is
 * transposed first, small enough to stay in the second-level cache, from which the rows are
 * gathered. Sums go through shared memory, so that C is written in whole lines either way.
 *
 * What limits it is the second-level cache: one line for 2 * LANES operations, times the rows of a
 * block. With one column it is memory: S is read once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transpose.h"

enum {
  THREADS = 256,
  LANES = 16, /* of a group: a line of 128 bytes of doubles */
  GROUPS = THREADS / LANES,
  ROWS = 32,          /* of C for a thread block, plain */
  TILE = 8 * THREADS, /* elements of S for a thread block, of one or two columns */
  MOST_TILED = 2,     /* columns of D */
  /* All threads sum a row that has more elements in a tile than this for each of its lanes. */
  SHARED_BY_ALL = 64,
  LONG = 512, /* elements of a row that the thread block's groups share */
  /* of a panel: half of an H200's second-level cache of 60 MB */
  PANEL_BYTES = 32 << 20,
};

/* C = alpha S D + beta C, S with count rows of blocks from start[0] on. */
template <class T> struct form {
  const int64_t *start;
  const int32_t *column;
  const T *values;
  int64_t count;
  int block_rows, block_cols;
  bool conjugated;
  const T *d; /* (k, j) at d[j + k ld] */
  int64_t ld, n;
  bool d_conjugated;
  T alpha, beta;
  T *c; /* (i, j) at c[i + j ldc], or by rows at c[j + i ldc] */
  int64_t ldc;
  bool by_rows;
  int real; /* REAL_A for S, REAL_B for D */
};

template <class T> DEVICE T conjugate_if (bool yes, T x) {
  return yes ? conjugate (x) : x;
}

/* ---- plain -------------------------------------------------------------------------------- */

/* Adds to sum[w] every step-th element of S from `begin` on, to `end`, times that of the column of
 * D at d[w]. Four are read at once: a short row waits for memory as often as one element does. */
template <class T, int WIDE>
DEVICE void add_elements (const form<T> &x, const T *const (&d)[WIDE], int64_t begin, int64_t end,
                          int step, T (&sum)[WIDE]) {
  enum { AT_ONCE = 4 };
  for (int64_t p = begin; p < end; p += AT_ONCE * step) {
    T s[AT_ONCE], y[AT_ONCE][WIDE];
    int64_t at[AT_ONCE];
#pragma unroll
    for (int e = 0; e < AT_ONCE; e++) { /* past the end: the first one again */
      const int64_t q = p + e * step < end ? p + e * step : p;
      at[e] = x.column[q] * x.ld;
      s[e] = conjugate_if (x.conjugated, x.values[q]);
    }
#pragma unroll
    for (int e = 0; e < AT_ONCE; e++)
#pragma unroll
      for (int w = 0; w < WIDE; w++)
        y[e][w] = conjugate_if (x.d_conjugated, d[w][at[e]]);
#pragma unroll
    for (int e = 0; e < AT_ONCE; e++)
#pragma unroll
      for (int w = 0; w < WIDE; w++)
        if (p + e * step < end)
          multiply_add (sum[w], s[e], y[e][w], x.real);
  }
}

/* A group computes WIDTH columns of a row, or WIDE times as many with WIDTH = LANES; LANES / WIDTH
 * threads share the row of S. Where a row is long, one group would be at work long after all
 * others: all groups share it. */
template <class T, int WIDTH, int WIDE>
__global__ void __launch_bounds__ (THREADS) multiply_rows (form<T> x) {
  SHARED (T, sums, WIDE * LANES, ROWS + 1);
  SHARED (T, shares, GROUPS, WIDE * LANES);
  SHARED (int, has_long, 1, 1);
  constexpr int PARTS = LANES / WIDTH, COLUMNS = WIDE * WIDTH;
  int64_t tiles = (x.count + ROWS - 1) / ROWS;
  int64_t i0 = blockIdx.x % tiles * ROWS, j0 = blockIdx.x / tiles * COLUMNS;
  int lane = threadIdx.x % LANES, part = lane / WIDTH, group = threadIdx.x / LANES;
  int64_t j = j0 + lane % WIDTH;
  const T *d[WIDE]; /* past the end the last column, discarded */
#pragma unroll
  for (int w = 0; w < WIDE; w++)
    d[w] = x.d + (j + w * LANES < x.n ? j + w * LANES : x.n - 1);
  int64_t rows = is_zero (x.alpha) ? 0 : x.count - i0 < ROWS ? x.count - i0 : (int64_t) ROWS;
  if (threadIdx.x == 0)
    has_long[0][0] = 0;
  __syncthreads ();
  for (int r = group; r < ROWS; r += GROUPS) {
    T sum[WIDE] = {};
    int64_t begin = r < rows ? x.start[i0 + r] : 0, end = r < rows ? x.start[i0 + r + 1] : 0;
    if (end - begin > LONG)
      atomic_max (has_long[0][0], 1);
    else
      add_elements<T, WIDE> (x, d, begin + part, end, PARTS, sum);
#pragma unroll
    for (int w = 0; w < WIDE; w++)
      sums[w * LANES + lane][r] = sum[w];
  }
  __syncthreads ();
  for (int r = 0; has_long[0][0] && r < rows; r++) {
    int64_t begin = x.start[i0 + r], end = x.start[i0 + r + 1];
    if (end - begin <= LONG)
      continue;
    T sum[WIDE] = {};
    add_elements<T, WIDE> (x, d, begin + group * PARTS + part, end, GROUPS * PARTS, sum);
#pragma unroll
    for (int w = 0; w < WIDE; w++)
      shares[group][w * LANES + lane] = sum[w];
    __syncthreads ();
    if (threadIdx.x < WIDE * LANES) {
      T all = shares[0][threadIdx.x];
      for (int other = 1; other < GROUPS; other++) {
        T y = shares[other][threadIdx.x];
        all = add (all, y);
      }
      sums[threadIdx.x][r] = all;
    }
    __syncthreads ();
  }
  for (int e = threadIdx.x; e < COLUMNS * ROWS; e += THREADS) {
    int w = x.by_rows ? e % COLUMNS : e / ROWS, r = x.by_rows ? e / COLUMNS : e % ROWS;
    T sum = sums[w][r];
    for (int other = 1; other < PARTS; other++) {
      T y = sums[other * WIDTH + w][r];
      sum = add (sum, y);
    }
    int64_t row = i0 + r, column = j0 + w;
    if (row < x.count && column < x.n)
      store<T> (x.c, x.by_rows ? column + row * x.ldc : row + column * x.ldc, x.alpha, sum, x.beta);
  }
}

/* ---- one or two columns ------------------------------------------------------------------- */

/* Tile t has the elements of S from t TILE on, and stores the rows that begin there: first[t] to
 * before first[t + 1]. Elements of an earlier row are summed apart, and add_carries adds them. */
template <class T> struct tiling {
  int64_t tiles;
  int64_t *first;
  T *carry;  /* tiles for each column */
  int lanes; /* threads for a row, a power of 2; of S as a whole: the same bits for its parts */
};

/* Do the first elements of tile t belong to a row that begins before it? */
template <class T> DEVICE bool carries (const form<T> &x, const tiling<T> &all, int64_t t) {
  const int64_t row = all.first[t];
  return row > 0 && x.start[row] > t * TILE;
}

template <class T>
__global__ void __launch_bounds__ (THREADS) find_tiles (form<T> x, tiling<T> all) {
  const int64_t row = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  if (row > x.count)
    return;
  const int64_t from = row > 0 ? x.start[row - 1] / TILE + 1 : 0,
                to = row < x.count ? x.start[row] / TILE : all.tiles;
  for (int64_t t = from; t <= to; t++)
    all.first[t] = row;
}

/* The sum of a tile's products from low to before high, by all threads. It is in sums[0][0]. */
template <class T>
__device__ static inline void sum_by_all (tile<T, 1, TILE> &product, int low, int high,
                                          tile<T, 1, THREADS> &sums) {
  const int me = threadIdx.x;
  T sum = {};
  for (int k = low + me; k < high; k += THREADS) {
    const T y = product[0][k];
    sum = add (sum, y);
  }
  __syncthreads (); /* all have read the last sum */
  sums[0][me] = sum;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads ();
    if (me < half) {
      const T y = sums[0][me + half];
      sum = add (sum, y);
      sums[0][me] = sum;
    }
  }
  __syncthreads ();
}

/* The products are summed row by row. A long row is left for all threads: each has its own entry of
 * `late`, as it has an element whose number is a multiple of SHARED_BY_ALL. */
template <class T>
__global__ void __launch_bounds__ (THREADS) multiply_tiles (form<T> x, tiling<T> all) {
  enum { EACH = TILE / THREADS, LATE = TILE / SHARED_BY_ALL };
  SHARED (T, product, 1, TILE);
  SHARED (T, sums, 1, THREADS);
  SHARED (int, late, 1, LATE);
  const int me = threadIdx.x, lanes = all.lanes, lane = me & (lanes - 1), beside = THREADS / lanes;
  const int64_t t = blockIdx.x, begin = t * TILE, row0 = all.first[t],
                rows = all.first[t + 1] - row0;
  const bool has_carry = carries (x, all, t);
  if (rows == 0 && !has_carry)
    return;
  const int64_t low = has_carry ? 0 : x.start[row0] - begin, behind = x.start[row0 + rows] - begin;
  const int64_t high = behind < TILE ? behind : (int64_t) TILE;
  const int64_t before = has_carry ? x.start[row0] - begin : 0;
  const int carried = (int) (before < TILE ? before : (int64_t) TILE);
  const bool has_any = low < high; /* else D may be empty, too */
  T s[EACH];
  int64_t at[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int64_t k = e * THREADS + me, q = begin + (k >= low && k < high ? k : low);
    at[e] = has_any ? x.column[q] * x.ld : 0;
    s[e] = has_any ? conjugate_if (x.conjugated, x.values[q]) : T ();
  }
  for (int64_t j = 0; j < x.n; j++) {
    const int64_t c = x.by_rows ? j : j * x.ldc, step = x.by_rows ? x.ldc : 1;
    if (me < LATE)
      late[0][me] = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      T y = {};
      if (has_any)
        multiply_add (y, s[e], conjugate_if (x.d_conjugated, x.d[j + at[e]]), x.real);
      product[0][e * THREADS + me] = y;
    }
    __syncthreads ();
    for (int64_t r = 0; r < rows; r += beside) {
      const int64_t row = r + me / lanes;
      T sum = {};
      bool is_mine = row < rows;
      if (is_mine) {
        const int64_t first = x.start[row0 + row] - begin, end = x.start[row0 + row + 1] - begin;
        const int64_t last = end < TILE ? end : (int64_t) TILE;
        is_mine = last - first <= (int64_t) SHARED_BY_ALL * lanes;
        for (int64_t k = first + lane; is_mine && k < last; k += lanes) {
          const T y = product[0][k];
          sum = add (sum, y);
        }
        if (!is_mine)
          late[0][(first + SHARED_BY_ALL - 1) / SHARED_BY_ALL] = (int) row + 1;
      }
      if (lanes > 1) {
        sums[0][me] = sum;
        __syncthreads ();
        for (int l = 1; lane == 0 && l < lanes; l++) {
          const T y = sums[0][me + l];
          sum = add (sum, y);
        }
        __syncthreads ();
      }
      if (is_mine && lane == 0)
        store<T> (x.c, c + (row0 + row) * step, x.alpha, sum, x.beta);
    }
    __syncthreads ();
    for (int n = 0; n < LATE; n++) {
      const int64_t row = row0 + late[0][n] - 1;
      if (row < row0)
        continue;
      const int64_t first = x.start[row] - begin, end = x.start[row + 1] - begin;
      sum_by_all (product, (int) first, (int) (end < TILE ? end : (int64_t) TILE), sums);
      const T sum = sums[0][0];
      if (me == 0)
        store<T> (x.c, c + row * step, x.alpha, sum, x.beta);
    }
    if (has_carry) {
      sum_by_all (product, 0, carried, sums);
      const T sum = sums[0][0];
      if (me == 0)
        all.carry[j * all.tiles + t] = sum;
    }
    __syncthreads ();
  }
}

/* A row that reaches into other tiles gets what these carry, by LANES threads: those of the tile
 * behind the one where it begins. */
template <class T>
__global__ void __launch_bounds__ (THREADS) add_carries (form<T> x, tiling<T> all) {
  SHARED (T, sums, 1, THREADS);
  const int me = threadIdx.x, lane = me % LANES;
  const int64_t t = (int64_t) blockIdx.x * GROUPS + me / LANES;
  int64_t row = -1, last = -1;
  if (t < all.tiles && carries (x, all, t)) {
    row = all.first[t] - 1;
    last = (x.start[row + 1] - 1) / TILE;
    if (x.start[row] < (t - 1) * TILE)
      row = -1;
  }
  for (int64_t j = 0; j < x.n; j++) {
    T sum = {};
    for (int64_t other = t + lane; row >= 0 && other <= last; other += LANES)
      sum = add (sum, all.carry[j * all.tiles + other]);
    sums[0][me] = sum;
    __syncthreads ();
    for (int l = 1; lane == 0 && l < LANES; l++) {
      const T y = sums[0][me + l];
      sum = add (sum, y);
    }
    T one;
    set (one, 1, 0);
    if (row >= 0 && lane == 0)
      store<T> (x.c, x.by_rows ? j + row * x.ldc : row + j * x.ldc, x.alpha, sum, one);
    __syncthreads ();
  }
}

/* ---- in blocks ---------------------------------------------------------------------------- */

/* A group computes WIDE * LANES columns of HEIGHT rows of a row of blocks, every LANES-th column by
 * the same thread. */
template <class T, int HEIGHT, int WIDE>
__global__ void __launch_bounds__ (THREADS) multiply_block_rows (form<T> x) {
  constexpr int ALL = GROUPS * HEIGHT, COLUMNS = WIDE * LANES;
  SHARED (T, sums, COLUMNS, ALL + 1);
  int parts = (x.block_rows + HEIGHT - 1) / HEIGHT; /* of a block */
  int64_t units = x.count * parts, tiles = (units + GROUPS - 1) / GROUPS;
  int64_t unit0 = blockIdx.x % tiles * GROUPS, j0 = blockIdx.x / tiles * COLUMNS;
  int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  int64_t unit = unit0 + group;
  T sum[HEIGHT][WIDE] = {};
  if (!is_zero (x.alpha) && unit < units) {
    int64_t i = unit / parts, end = x.start[i + 1];
    int64_t size = (int64_t) x.block_rows * x.block_cols;
    int at[HEIGHT]; /* rows of the block; past its end the last row, discarded; same for columns */
    int64_t j[WIDE];
#pragma unroll
    for (int e = 0; e < HEIGHT; e++) {
      at[e] = (int) (unit % parts) * HEIGHT + e;
      at[e] = at[e] < x.block_rows ? at[e] : x.block_rows - 1;
    }
#pragma unroll
    for (int f = 0; f < WIDE; f++) {
      j[f] = j0 + lane + f * LANES;
      j[f] = j[f] < x.n ? j[f] : x.n - 1;
    }
    for (int64_t p = x.start[i]; p < end; p++) {
      const T *s = x.values + p * size;
      const T *d = x.d + (int64_t) x.column[p] * x.block_cols * x.ld;
#pragma unroll 4
      for (int l = 0; l < x.block_cols; l++) {
        T y[WIDE];
#pragma unroll
        for (int f = 0; f < WIDE; f++)
          y[f] = conjugate_if (x.d_conjugated, d[l * x.ld + j[f]]);
#pragma unroll
        for (int e = 0; e < HEIGHT; e++) {
          T u = conjugate_if (x.conjugated, s[at[e] + l * x.block_rows]);
#pragma unroll
          for (int f = 0; f < WIDE; f++)
            multiply_add (sum[e][f], u, y[f], x.real);
        }
      }
    }
  }
#pragma unroll
  for (int e = 0; e < HEIGHT; e++)
#pragma unroll
    for (int f = 0; f < WIDE; f++)
      sums[lane + f * LANES][group * HEIGHT + e] = sum[e][f];
  __syncthreads ();
  for (int e = threadIdx.x; e < COLUMNS * ALL; e += THREADS) {
    int w = x.by_rows ? e % COLUMNS : e / ALL, r = x.by_rows ? e / COLUMNS : e % ALL;
    int64_t of = unit0 + r / HEIGHT;
    int in_block = (int) (of % parts) * HEIGHT + r % HEIGHT;
    int64_t row = of / parts * x.block_rows + in_block, column = j0 + w;
    T value = sums[w][r];
    if (of < units && in_block < x.block_rows && column < x.n)
      store<T> (x.c, x.by_rows ? column + row * x.ldc : row + column * x.ldc, x.alpha, value,
                x.beta);
  }
}

/* ---- a panel of D ------------------------------------------------------------------------- */

enum { TURN = 32 };

/* to[j + k n] = from[k + j ld] */
template <class T>
__global__ void __launch_bounds__ (THREADS)
    turn_panel (const T *from, int64_t ld, int64_t rows, int64_t n, T *to) {
  SHARED (T, square, TURN, TURN + 1);
  int64_t down = (rows + TURN - 1) / TURN;
  int64_t k0 = blockIdx.x % down * TURN, j0 = blockIdx.x / down * TURN;
  int x = threadIdx.x % TURN;
  for (int y = threadIdx.x / TURN; y < TURN; y += THREADS / TURN)
    if (k0 + x < rows && j0 + y < n)
      square[y][x] = from[k0 + x + (j0 + y) * ld];
  __syncthreads ();
  for (int e = threadIdx.x; e < TURN * TURN; e += THREADS) {
    int width = n - j0 < TURN ? (int) (n - j0) : (int) TURN, j = e % width, k = e / width;
    if (k < TURN && k0 + k < rows) {
      T value = square[j][k];
      to[j0 + j + (k0 + k) * n] = value;
    }
  }
}

/* ---- launch ------------------------------------------------------------------------------- */

/* Which operand is by rows, is its transpose needed, and do D's rows lie side by side? */
struct facts {
  const gpumm_device_matrix *s, *d;
  bool turned, d_by_rows;
  int64_t inner, n; /* elements */
};

static facts facts_of (const gpumm_sparse_product *p) {
  facts f;
  bool left = p->a.start != NULL;
  f.s = left ? &p->a : &p->b;
  f.d = left ? &p->b : &p->a;
  f.turned = left ? p->op_a != GPUMM_NONE : p->op_b == GPUMM_NONE;
  f.inner = f.turned ? f.s->rows * f.s->block_rows : f.s->cols * f.s->block_cols;
  f.n = !left ? p->count : p->op_b == GPUMM_NONE ? p->b.cols : p->b.rows;
  /* one column without gaps is a row, too */
  f.d_by_rows = left ? p->op_b != GPUMM_NONE || f.n == 1 : p->op_a == GPUMM_NONE;
  return f;
}

/* Columns of D that are transposed at one time, two per thread: elements of S are read less
 * often. */
static int64_t panel_of (const facts &f, size_t size) {
  const int64_t least = 2 * LANES;
  int64_t most = PANEL_BYTES / ((f.inner > 0 ? f.inner : 1) * (int64_t) size) / LANES * LANES;
  most = most > least ? most : least;
  return f.n < most ? f.n : most;
}

static bool is_plain (const facts &f) {
  return f.s->block_rows == 1 && f.s->block_cols == 1;
}

/* Of S by rows, which f.s is or becomes. */
template <class T> static tiling<T> tiling_of (const facts &f, parts &memory) {
  tiling<T> all = {f.s->stored / TILE + 1, NULL, NULL, 1};
  const int64_t rows = f.turned ? f.s->cols : f.s->rows;
  while (all.lanes < 32 && f.s->stored / 8 > all.lanes * rows)
    all.lanes *= 2;
  memory.take (all.first, all.tiles + 1);
  memory.take (all.carry, all.tiles * MOST_TILED);
  return all;
}

static size_t workspace (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  facts f = facts_of (p);
  size_t size = element_bytes (p->type_c);
  parts tiles (NULL);
  if (is_plain (f)) /* a launch of fewer columns may have tiles */
    tiling_of<complex<double>> (f, tiles);
  return tiles.used + (f.d_by_rows ? 0 : aligned ((size_t) (f.inner * panel_of (f, size)) * size))
         + (f.turned ? gpumm_transpose_bytes (f.s, p->type_c) : 0);
}

template <class T, int WIDTH, int WIDE>
static gpumm_status launch_plain (int device, gpumm_stream *stream, const form<T> &x) {
  return LAUNCH ("spmm", (multiply_rows<T, WIDTH, WIDE>),
                 ceil_div (x.count, ROWS) * ceil_div (x.n, WIDTH * WIDE), dim3 (THREADS), device,
                 stream, x);
}

template <class T, int HEIGHT, int WIDE>
static gpumm_status launch_wide (int device, gpumm_stream *stream, const form<T> &x) {
  int64_t units = x.count * ceil_div (x.block_rows, HEIGHT);
  return LAUNCH ("spmm", (multiply_block_rows<T, HEIGHT, WIDE>),
                 ceil_div (units, GROUPS) * ceil_div (x.n, WIDE * LANES), dim3 (THREADS), device,
                 stream, x);
}

/* Two columns per thread if there are enough and their sums fit shared memory. */
template <class T, int HEIGHT>
static gpumm_status launch_blocks (int device, gpumm_stream *stream, const form<T> &x) {
  constexpr int WIDE = sizeof (T) <= 8 ? 2 : 1;
  return x.n > LANES ? launch_wide<T, HEIGHT, WIDE> (device, stream, x)
                     : launch_wide<T, HEIGHT, 1> (device, stream, x);
}

template <class T>
static gpumm_status launch_tiles (int device, gpumm_stream *stream, const form<T> &x,
                                  const tiling<T> &all) {
  const dim3 threads (THREADS);
  TRY (LAUNCH ("spmm, tiles", find_tiles<T>, ceil_div (x.count + 1, (int64_t) THREADS), threads,
               device, stream, x, all));
  TRY (LAUNCH ("spmm", multiply_tiles<T>, all.tiles, threads, device, stream, x, all));
  return LAUNCH ("spmm, carries", add_carries<T>, ceil_div (all.tiles, (int64_t) GROUPS), threads,
                 device, stream, x, all);
}

template <class T>
static gpumm_status launch_form (int device, gpumm_stream *stream, const form<T> &x) {
  constexpr int WIDE = sizeof (T) <= 8 ? 2 : 1;
  if (x.block_rows == 1 && x.block_cols == 1)
    return x.n <= 8       ? launch_plain<T, 4, 1> (device, stream, x)
           : x.n <= LANES ? launch_plain<T, LANES, 1> (device, stream, x)
                          : launch_plain<T, LANES, WIDE> (device, stream, x);
  if (x.block_rows <= 2)
    return launch_blocks<T, 2> (device, stream, x);
  if (ceil_div (x.block_rows, 4) * 4 < ceil_div (x.block_rows, 8) * 8)
    return launch_blocks<T, 4> (device, stream, x);
  return launch_blocks<T, 8> (device, stream, x);
}

template <class T>
static gpumm_status launch_spmm_as (int device, gpumm_stream *stream,
                                    const gpumm_sparse_product *p) {
  facts f = facts_of (p);
  bool left = f.s == &p->a;
  gpumm_op op_s = left ? p->op_a : p->op_b, op_d = left ? p->op_b : p->op_a;
  char *memory = (char *) p->workspace;
  if (p->workspace_bytes < workspace (p, NULL))
    return gpumm_driver_fail (GPUMM_INVALID, "spmm: a workspace of %zu bytes is too small",
                              p->workspace_bytes);
  gpumm_device_matrix s = *f.s;
  form<T> x = {};
  convert (p->alpha, &x.alpha);
  convert (p->beta, &x.beta);
  if (f.turned) {
    const transpose turned (f.s, p->type_c, memory);
    s = turned.t;
    memory += turned.bytes;
    if (!is_zero (x.alpha) && !p->prepared) {
      TRY (gpumm_transpose_structure (device, stream, f.s, turned));
      TRY (gpumm_transpose_elements (device, stream, f.s, turned, p->type_c, false));
    }
  }
  x.start = s.start + (left && !is_zero (x.alpha) ? p->row : 0);
  x.column = s.column;
  x.values = (const T *) s.values;
  x.count = left ? p->count : s.rows;
  x.block_rows = (int) s.block_rows;
  x.block_cols = (int) s.block_cols;
  x.conjugated = (op_s == GPUMM_CTRANSPOSE) != (p->conjugated != 0);
  x.d_conjugated = op_d == GPUMM_CTRANSPOSE;
  x.by_rows = !left;
  const int real = real_factors (*p);
  x.real = left || real == 0 ? real : real ^ (REAL_A | REAL_B);
  x.ldc = p->c.ld;
  T *c = (T *) p->c.values + p->row * (left ? s.block_rows : 1);
  const T *d = (const T *) f.d->values;
  if (!left)
    d += op_d == GPUMM_NONE ? p->row : p->row * f.d->ld;
  tiling<T> all = {};
  parts rest (memory);
  const bool is_tiled = is_plain (f) && f.n <= MOST_TILED && !is_zero (x.alpha);
  if (is_tiled)
    all = tiling_of<T> (f, rest);
  T *panel = (T *) (void *) (memory + rest.used);
  int64_t step = f.d_by_rows ? f.n : panel_of (f, sizeof (T));
  for (int64_t j = 0; j < f.n; j += step) {
    x.n = f.n - j < step ? f.n - j : step;
    x.c = c + (x.by_rows ? j : j * x.ldc);
    x.d = d + j;
    x.ld = left && op_d == GPUMM_NONE ? 1 : f.d->ld; /* 1: of one column only */
    if (!f.d_by_rows) {
      x.d = panel;
      x.ld = x.n;
      if (!is_zero (x.alpha))
        TRY (LAUNCH ("spmm, panel", turn_panel<T>, ceil_div (f.inner, TURN) * ceil_div (x.n, TURN),
                     dim3 (THREADS), device, stream, d + j * f.d->ld, f.d->ld, f.inner, x.n,
                     panel));
    }
    TRY (is_tiled ? launch_tiles<T> (device, stream, x, all) : launch_form<T> (device, stream, x));
  }
  return GPUMM_OK;
}

static gpumm_status launch_spmm (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  WITH_TYPE (p->type_c, T, return launch_spmm_as<T> (device, stream, p));
}

static int runs_spmm (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return !p->a.start != !p->b.start && !p->c.start && p->type_a == p->type_c
         && p->type_b == p->type_c && p->type_c <= GPUMM_Z
         && (p->a.start ? p->a.stored : p->b.stored) <= INT32_MAX;
}

SPARSE_FAMILY_ROWS (spmm) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"spmm", "spmm", ANY_CAPABILITY, runs_spmm, workspace, NULL, launch_spmm},
    {},
};

/* blocks_slices.cu - blocks of uint16, sums in uint32, for many blocks: as full matrices of
 * 8-bit digits on INT8 tensor cores.
 *
 * What it does: with a = B ah + al and b = B bh + bl, for the base B of the digits,
 *
 *   a b = B^2 ah bh + B (ah bl + al bh) + al bl,
 *
 * and the sums over k of each product of digits fit 32 bits. The largest elements of A and B decide
 * how many products of matrices this takes:
 *
 *   below 2^8    one, of al bl
 *   below 2^14   three, with B = 2^7: ah bl + al bh = (ah + al) (bh + bl) - ah bh - al bl
 *                (Karatsuba and Ofman 1962)
 *   else         four, with B = 2^8; the middle two are added up by the product itself
 *
 * Tensor cores take signed digits. Digits that may exceed 127 are stored minus an offset o, and so
 * are the zeros of absent blocks: sum (x - o) (y - o) = sum x y - o (sum x + sum y) + o^2 k, where
 * x and y are the digits. Their sums by row and by column are computed as they are stored.
 *
 * C is computed in tiles. A is written out as digits for the tile, and so is B, or where memory
 * allows all of B once for all launches. Then one kernel reads the two or three planes of sums
 * where C has blocks, combines them, saturates them to 2^32 - 1 and writes the blocks. All terms
 * are nonnegative: if B^2 sum ah bh alone is at least 2^32 - 1 all over a tile, as with many large
 * elements, the other products are skipped. The first tile where this fails ends the attempts.
 *
 * What limits it: INT8 tensor cores.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "emulated/int8.h"
#include "pattern.h"

enum {
  SLICE_THREADS = 256,
  TILE_SIZE = 8192,  /* of C: products of 8192 x 8192 x k run at the full rate */
  LEAST_TILE = 2048, /* smaller: filling a tile moves more bytes than its products hide; counted */
  SMALLEST_PIECE = 4096, /* of C, in rows: products of so many rows run at the full rate, too */
  VECTOR_STEP = 128      /* k and the sizes of a tile are padded to it */
};

/* How elements are cut into digits. */
struct digits {
  int planes;        /* of digits: 1, 2, or 3 with their sum */
  int shift;         /* the base is 2^shift */
  int offset[3];     /* of each plane */
  int sums, factors; /* planes of sums; products of matrices */
};

static digits choose_digits (uint32_t largest) {
  if (largest < 1 << 8)
    return {1, 8, {128, 0, 0}, 1, 1};
  if (largest < 1 << 14)
    return {3, 7, {0, 0, 127}, 3, 3};
  return {2, 8, {128, 128, 0}, 3, 4};
}

/* ---- digits ------------------------------------------------------------------------------- */

/* The largest element of block rows row to before end, eight at a time; a block has `each`. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    find_largest (int64_t row, int64_t end, global<const int64_t> start, int64_t each,
                  const uint16_t *x, uint32_t *largest) {
  const int64_t last = start[end] * each / 8;
  uint32_t most = 0;
  for (int64_t e = start[row] * each / 8 + blockIdx.x * (int64_t) THREADS + threadIdx.x; e < last;
       e += (int64_t) gridDim.x * THREADS) {
    const uint4 eight = ((const uint4 *) x)[e];
    const uint32_t pairs = __vmaxu2 (__vmaxu2 (eight.x, eight.y), __vmaxu2 (eight.z, eight.w));
    most = max (most, max (pairs & 0xffff, pairs >> 16));
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    most = max (most, __shfl_xor_sync (0xffffffffu, most, step));
  if (threadIdx.x % 32 == 0 && most > 0)
    atomicMax (largest, most);
}

/* Where digits of a tile go: plane s of vector v begins at to + s * plane + v * ld. The lowest
 * digit is plane 0, and sums[s * vectors + v] adds up plane s of vector v. */
struct digit_planes {
  int8_t *to;
  int64_t plane, ld, vectors;
  int32_t *sums;
};

/* Writes VECTOR_STEP elements of VECTOR_STEP vectors as digits minus their offsets, those of absent
 * blocks too, and adds to the sums, which are zero before. Block rows row to before end of A become
 * the vectors; of B, its block columns from `first` on. blockIdx.x counts `windows` squares along
 * block rows, then down. The square is put together in shared memory, so that whole lines of
 * vectors leave it. */
template <int M, bool IS_B>
__global__ void __launch_bounds__ (SLICE_THREADS)
    slice (int64_t row, int64_t end, int64_t first, int64_t windows, global<const int64_t> start,
           global<const int32_t> column, const uint16_t *X, digits d, digit_planes to) {
  enum { SIZE = VECTOR_STEP / M, WORDS = VECTOR_STEP / 4, WARPS = SLICE_THREADS / 32 };
  __shared__ uint32_t square[2][VECTOR_STEP][WORDS + 1];
  __shared__ int64_t begin[SIZE];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int64_t down = blockIdx.x / windows, across = blockIdx.x % windows;
  const int64_t i = row + down * SIZE, j = first + across * SIZE;
  for (int w = threadIdx.x; w < (int) (sizeof square / sizeof (uint32_t)); w += SLICE_THREADS)
    (&square[0][0][0])[w] = 0;
  if (threadIdx.x < SIZE && i + threadIdx.x < end)
    begin[threadIdx.x] =
        lower_bound (column, start[i + threadIdx.x], start[i + threadIdx.x + 1], j);
  __syncthreads ();
  const uint32_t mask = (1u << d.shift) - 1;
  for (int l = warp; l < SIZE && i + l < end; l += WARPS) {
    const int64_t last = start[i + l + 1];
    for (int64_t t = begin[l] + lane / M; t < last && column[t] < j + SIZE; t += 32 / M) {
      const int e = lane % M, block = (int) (column[t] - j);
      const uint16_t *from = X + t * (M * M) + (IS_B ? e * M : e);
      const int vector = (IS_B ? block : l) * M + e, at = (IS_B ? l : block) * (M / 4);
      uint32_t low[M / 4] = {}, high[M / 4] = {};
#pragma unroll
      for (int p = 0; p < M; p++) {
        const uint32_t x = from[IS_B ? p : p * M];
        low[p / 4] |= (x & mask) << p % 4 * 8;
        high[p / 4] |= x >> d.shift << p % 4 * 8;
      }
#pragma unroll
      for (int q = 0; q < M / 4; q++) {
        square[0][vector][at + q] = low[q];
        square[1][vector][at + q] = high[q];
      }
    }
  }
  __syncthreads ();
  for (int v = warp; v < VECTOR_STEP; v += WARPS) {
    const int64_t vector = (IS_B ? across : down) * VECTOR_STEP + v;
    int8_t *target = to.to + vector * to.ld + (IS_B ? down : across) * VECTOR_STEP + 4 * lane;
    const uint32_t low = square[0][v][lane], high = square[1][v][lane];
    for (int s = 0; s < d.planes; s++)
      *(uint32_t *) (target + s * to.plane) = __vsub4 (s == 0   ? low
                                                       : s == 1 ? high
                                                                : __vadd4 (low, high),
                                                       (uint32_t) d.offset[s] * 0x01010101);
    /* both sums in one number: neither needs 16 bits */
    uint32_t sum = __dp4a (low, 0x01010101u, 0u) + (__dp4a (high, 0x01010101u, 0u) << 16);
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_xor_sync (0xffffffffu, sum, step);
    const int32_t each = (int32_t) (lane == 0 ? sum & 0xffff : sum >> 16);
    if (lane < 2 && each > 0)
      atomicAdd (&to.sums[lane * to.vectors + vector], each);
  }
}

/* ---- C ------------------------------------------------------------------------------------ */

/* The sums of a tile: element (i, j) of plane s is at to[s * plane + i * ld + j]. The planes are
 * the products of the lowest digits, of the highest, and the middle terms. */
struct sum_planes {
  const int32_t *to;
  int64_t plane, ld;
};

/* What the columns and the rows of a tile contribute to the sums of plane s. */
__device__ static inline int64_t correct (int64_t sum, int offset, int64_t a, int64_t b,
                                          int64_t k) {
  return sum + offset * (a + b) - offset * offset * k;
}

/* The blocks of C in the tile that begins at block (row, first) and is width blocks wide; one
 * thread block per block row, one thread per column of a block. only_high: only the highest digits
 * were multiplied; a block that they do not saturate sets *open. */
template <int M>
__global__ void __launch_bounds__ (SLICE_THREADS)
    join_digits (int64_t row, int64_t first, int64_t width, int64_t k, digits d, digit_planes a,
                 digit_planes b, sum_planes from, bool only_high, global<const int64_t> start,
                 global<const int32_t> column, uint32_t *C, int32_t *zero, int32_t *open) {
  const int c = threadIdx.x % M;
  const int64_t i = row + blockIdx.x, vector_a = blockIdx.x * (int64_t) M;
  const int64_t begin = lower_bound (column, start[i], start[i + 1], first);
  const int64_t end = lower_bound (column, begin, start[i + 1], first + width);
  int64_t low_a[M], high_a[M];
#pragma unroll
  for (int r = 0; r < M; r++) {
    low_a[r] = a.sums[vector_a + r];
    high_a[r] = d.planes > 1 ? a.sums[a.vectors + vector_a + r] : 0;
  }
  bool all = true;
  for (int64_t t = begin + threadIdx.x / M; t - threadIdx.x / M < end; t += SLICE_THREADS / M) {
    uint32_t value[M] = {};
    if (t < end) {
      const int64_t j = (column[t] - first) * M + c;
      const int64_t low_b = b.sums[j], high_b = d.planes > 1 ? b.sums[b.vectors + j] : 0;
#pragma unroll
      for (int r = 0; r < M; r++) {
        const int32_t *at = from.to + (vector_a + r) * from.ld + j;
        int64_t low = 0, high = 0, middle = 0;
        if (d.planes > 1)
          high = correct (at[from.plane], d.offset[1], high_a[r], high_b, k);
        if (!only_high)
          low = correct (at[0], d.offset[0], low_a[r], low_b, k);
        if (!only_high && d.planes == 2)
          middle = correct (at[2 * from.plane], d.offset[0], high_a[r] + low_a[r], high_b + low_b,
                            2 * k);
        if (!only_high && d.planes == 3)
          middle =
              correct (at[2 * from.plane], d.offset[2], high_a[r] + low_a[r], high_b + low_b, k)
              - high - low;
        value[r] = cut ((high << 2 * d.shift) + (middle << d.shift) + low);
        all = all && value[r] == UINT32_MAX;
      }
    }
    store_column<M> (C, t, c, t < end, value, only_high ? NULL : zero);
  }
  if (only_high && !all)
    *open = 1;
}

/* ---- workspace ---------------------------------------------------------------------------- */

static int64_t padded (int64_t size) {
  return ceil_div (size, VECTOR_STEP) * VECTOR_STEP;
}

/* Numbers on the device: the largest elements of the launch's rows of A, and of B; is a tile open?
 * And each byte of KEPT is the number of products for whose digits all of B is written out, or
 * 0. */
enum { LARGEST_A, LARGEST_B, OPEN, KEPT, FACTS };

/* Of tiles of at most rows x cols. b has the digits of one tile, or of all tiles of any row of
 * tiles: then they lie before all that depends on the number of rows, where later launches find
 * them. */
struct layout {
  char *bits, *library;
  uint32_t *facts;
  digit_planes a, b;
  int32_t *sums;
  int64_t rows, cols, ld;
  bool has_all_b;
};

/* Lays out p->workspace for tiles of rows x cols; returns the bytes needed. */
static size_t place_all (const gpumm_sparse_product *p, int planes, int sums, int64_t rows,
                         int64_t cols, bool has_all_b, layout *w) {
  const int64_t k = padded (p->b.rows * p->b.block_rows);
  const int64_t cols_b = has_all_b ? padded (p->b.cols * p->b.block_cols) : cols;
  parts m (p->workspace);
  m.take (w->bits, (int64_t) gpumm_pattern_bytes (p));
  m.take (w->library, (int64_t) gpumm_int8_workspace);
  m.take (w->facts, FACTS);
  m.take (w->b.sums, 2 * cols_b);
  m.take (w->b.to, planes * cols_b * k);
  m.take (w->a.sums, 2 * rows);
  m.take (w->a.to, planes * rows * k);
  m.take (w->sums, sums * rows * cols);
  w->rows = rows;
  w->cols = cols;
  w->ld = k;
  w->has_all_b = has_all_b;
  w->a.vectors = rows;
  w->b.vectors = cols_b;
  w->a.ld = w->b.ld = k;
  w->a.plane = rows * k;
  w->b.plane = cols_b * k;
  return m.used;
}

/* The size of the parts if length is cut into the fewest equal parts of at most largest. */
static int64_t part (int64_t length, int64_t largest) {
  return length > largest ? padded (ceil_div (length, ceil_div (length, largest)))
                          : padded (length);
}

/* Lays out p->workspace with tiles of at most that size, as large as the bytes allow; returns the
 * bytes used, 0 if no tile fits. With few bytes B is written out again for each row of tiles, and
 * tiles get narrower first: a thin tile of leftover rows would need all of B once more. */
static size_t lay_out (const gpumm_sparse_product *p, int planes, int sums, int64_t largest,
                       size_t bytes, layout *w) {
  const int64_t m = p->count * p->a.block_rows, n = p->b.cols * p->b.block_cols;
  size_t used = place_all (p, planes, sums, part (m, largest), part (n, largest), true, w);
  if (used <= bytes)
    return used;
  for (const bool narrower : {true, false})
    for (int64_t size = largest; size >= (narrower ? largest / 2 : (int64_t) VECTOR_STEP);
         size -= VECTOR_STEP) {
      const int64_t rows = part (m, narrower ? largest : size);
      used = place_all (p, planes, sums, rows, part (n, size), false, w);
      if (used <= bytes)
        return used;
    }
  return 0;
}

/* Half of the memory, because C needs some too; at most full tiles, at least tiles of
 * LEAST_TILE. */
static size_t workspace_bytes (const gpumm_sparse_product *p,
                               const gpumm_device_properties *device) {
  layout w;
  const size_t least = lay_out (p, 3, 3, LEAST_TILE, SIZE_MAX, &w);
  const size_t wanted = lay_out (p, 2, 3, TILE_SIZE, (size_t) (device->memory_free / 2), &w);
  return wanted > least ? wanted : least;
}

/* ---- launchers ---------------------------------------------------------------------------- */

/* A tile of C: block rows row to before row + rows, and `cols` columns of elements from block
 * column `first` on; b has its digits of B. */
struct tile_of_c {
  int64_t row, rows, first, cols;
  digit_planes b;
};

/* Writes out the digits of block rows row to before end of X, or of all rows of B in the block
 * columns of a tile that begins at `first`. */
template <int M, bool IS_B>
static gpumm_status slice_out (int device, gpumm_stream *stream, const gpumm_device_matrix &x,
                               int64_t row, int64_t end, int64_t first, const digits &d,
                               const digit_planes &to) {
  const int64_t windows = (IS_B ? to.vectors : to.ld) / VECTOR_STEP;
  const int64_t squares = windows * ((IS_B ? to.ld : to.vectors) / VECTOR_STEP);
  TRY (fill (device, stream, to.sums, 0, 2 * (size_t) to.vectors * sizeof *to.sums));
  return LAUNCH ("slice", (slice<M, IS_B>), squares, dim3 (SLICE_THREADS), device, stream, row, end,
                 first, windows, x.start, x.column, (const uint16_t *) x.values, d, to);
}

/* Plane s of the sums = digits of plane of_a of A by those of plane of_b of B, or += with add. */
static gpumm_status multiply (int device, gpumm_stream *stream, const layout &w, const tile_of_c &c,
                              int s, int of_a, int of_b, bool add) {
  /* the library's D is by columns and this by rows: its A is this B */
  return gpumm_int8_multiply (device, stream, {c.b.to + of_b * c.b.plane, w.ld, c.cols},
                              {w.a.to + of_a * w.a.plane, w.a.ld, w.a.vectors},
                              w.sums + s * w.rows * w.cols, w.cols, w.ld, add, w.library);
}

/* How this launch's rows of A and all of B are cut into digits; *is_kept: are those of B there? */
static gpumm_status find_digits (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                 const layout &w, digits *d, bool *is_kept) {
  enum { BLOCKS = 1024 };
  const int64_t each = p->a.block_rows * p->a.block_rows;
  uint32_t facts[FACTS];
  TRY (fill (device, stream, w.facts, 0, (p->prepared ? 1 : FACTS) * sizeof *facts));
  TRY (LAUNCH ("find_largest", find_largest<SLICE_THREADS>, BLOCKS, dim3 (SLICE_THREADS), device,
               stream, p->row, p->row + p->count, p->a.start, each, (const uint16_t *) p->a.values,
               w.facts + LARGEST_A));
  if (!p->prepared)
    TRY (LAUNCH ("find_largest", find_largest<SLICE_THREADS>, BLOCKS, dim3 (SLICE_THREADS), device,
                 stream, 0, p->b.rows, p->b.start, each, (const uint16_t *) p->b.values,
                 w.facts + LARGEST_B));
  TRY (gpumm_cuda_read_back (device, stream, facts, w.facts, sizeof facts));
  *d = choose_digits (facts[LARGEST_A] > facts[LARGEST_B] ? facts[LARGEST_A] : facts[LARGEST_B]);
  *is_kept = facts[KEPT] == (uint32_t) d->factors * 0x01010101;
  return GPUMM_OK;
}

template <int M>
static gpumm_status slice_b (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                             const layout &w, const digits &d, int64_t first) {
  TRY (fill (device, stream, w.facts + KEPT, w.has_all_b ? d.factors : 0, sizeof *w.facts));
  return slice_out<M, true> (device, stream, p->b, 0, p->b.rows, first, d, w.b);
}

template <int M>
static gpumm_status join (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                          const layout &w, const digits &d, const tile_of_c &c, bool only_high) {
  return LAUNCH ("blocks_slices", join_digits<M>, c.rows, dim3 (SLICE_THREADS), device, stream,
                 c.row, c.first, c.cols / M, w.ld, d, w.a, c.b,
                 (sum_planes{w.sums, w.rows * w.cols, w.cols}), only_high, p->c.start, p->c.column,
                 (uint32_t *) p->c.values, p->zero, (int32_t *) w.facts + OPEN);
}

/* One tile whose digits are there. *trying: is it worth trying the highest digits alone? Then
 * *saved counts the products that were not needed. */
template <int M>
static gpumm_status make_tile (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                               const layout &w, const digits &d, const tile_of_c &c, bool *trying,
                               int64_t *saved) {
  if (d.planes > 1)
    TRY (multiply (device, stream, w, c, 1, 1, 1, false));
  if (d.planes > 1 && *trying) {
    int32_t open = 0;
    TRY (fill (device, stream, w.facts + OPEN, 0, sizeof open));
    TRY (join<M> (device, stream, p, w, d, c, true));
    TRY (gpumm_cuda_read_back (device, stream, &open, w.facts + OPEN, sizeof open));
    if (!open) {
      *saved += d.factors - 1;
      return GPUMM_OK;
    }
    *trying = false;
  }
  TRY (multiply (device, stream, w, c, 0, 0, 0, false));
  if (d.planes == 3)
    TRY (multiply (device, stream, w, c, 2, 2, 2, false));
  if (d.planes == 2) {
    TRY (multiply (device, stream, w, c, 2, 0, 1, false));
    TRY (multiply (device, stream, w, c, 2, 1, 0, true));
  }
  return join<M> (device, stream, p, w, d, c, false);
}

template <int M>
static gpumm_status launch_blocks_slices_as (int device, gpumm_stream *stream,
                                             const gpumm_sparse_product *p) {
  const gpumm_device_matrix &a = p->a, &b = p->b;
  layout w;
  digits d;
  bool trying = true, is_kept;
  int64_t tiles = 0, saved = 0;
  if (p->count == 0 || b.cols == 0)
    return GPUMM_OK;
  if (!p->workspace || lay_out (p, 3, 3, VECTOR_STEP, p->workspace_bytes, &w) == 0)
    return gpumm_driver_fail (GPUMM_INTERNAL, "blocks_slices: %zu bytes of workspace are too few",
                              p->workspace_bytes);
  TRY (gpumm_make_pattern (device, stream, p, true));
  TRY (find_digits (device, stream, p, w, &d, &is_kept));
  lay_out (p, d.planes, d.sums, TILE_SIZE, p->workspace_bytes, &w);
  if (w.has_all_b && !is_kept)
    TRY (slice_b<M> (device, stream, p, w, d, 0));
  const int64_t rows = w.rows / M, cols = w.cols / M;
  for (int64_t row = 0; row < p->count; row += rows) {
    tile_of_c c = {p->row + row, p->count - row < rows ? p->count - row : rows, 0, w.cols, w.b};
    TRY (slice_out<M, false> (device, stream, a, c.row, c.row + c.rows, 0, d, w.a));
    for (c.first = 0; c.first < b.cols; c.first += cols, tiles++) {
      if (w.has_all_b) {
        const int64_t vector = c.first * M, left = w.b.vectors - vector;
        c.cols = left < w.cols ? left : w.cols;
        c.b.to = w.b.to + vector * w.ld;
        c.b.sums = w.b.sums + vector;
      } else
        TRY (slice_b<M> (device, stream, p, w, d, c.first));
      TRY (make_tile<M> (device, stream, p, w, d, c, &trying, &saved));
    }
  }
  if (p->note)
    snprintf (p->note, GPUMM_NOTE_BYTES, "%lld of %lld products",
              (long long) (tiles * d.factors - saved), (long long) (tiles * d.factors));
  return GPUMM_OK;
}

LAUNCH_SQUARES (launch_blocks_slices)

/* Sums of 2 k products of digits of at most 2^7 in size fit 31 bits. */
static const int64_t MOST_SLICED_K = 65408;

static bool can_slice (const gpumm_sparse_product *p) {
  return has_squares (p) && p->b.rows * p->a.block_rows <= MOST_SLICED_K && gpumm_int8_usable ();
}

static int runs_blocks_slices (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return takes_blocks (p) && can_slice (p);
}

/* Multiply-adds of full matrices a second and multiprocessor on an H200 (132 of them), each three
 * of digits on average, at 1.5 % of the blocks of 32768 x 32768 and of 8192 x 8192. */
static const double MULTIPLY_RATE = 2.2e14 / 132;

static double seconds (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  const double m = (double) p->a.block_rows;
  return can_slice (p) ? (double) p->a.rows * (double) p->a.cols * (double) p->b.cols * m * m * m
                             / (MULTIPLY_RATE * device->multiprocessors)
                       : INFINITY;
}

SPARSE_FAMILY_ROWS (blocks_slices) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch, waits, smallest piece,
     * offsets, seconds */
    {"bsr_integer", "blocks_slices", INT8_CAPABILITY, runs_blocks_slices, workspace_bytes,
     pattern_symbolic, launch_blocks_slices, 1, SMALLEST_PIECE, NULL, seconds},
    {},
};

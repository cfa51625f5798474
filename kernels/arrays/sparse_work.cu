/* sparse_work.cu - kernels for sparse matrices on a device: patterns are packed, united,
 * intersected, transposed and cut, columns are folded, and matrices become full arrays and sparse
 * again.
 *
 * A thread takes an entry of any column, so columns of any length keep all threads busy. A block
 * finds the columns of its first and its last entry, and each thread searches between them. Memory
 * limits it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "entries.h"
#include "gpumm_folds.h"
#include "sparse/sums_and_sorts.h"
#include "sparse/transpose.h"

enum { TILE = 8 * THREADS }; /* entries of a block */

/* Offsets, indices and sizes of a matrix. */
struct pattern {
  int64_t rows, cols, stored;
  int64_t *start; /* NULL: a full matrix */
  int32_t *index;
};

static pattern pattern_of (const gpumm_matrix &x) {
  return {x.rows, x.cols, x.nzmax, x.start, (int32_t *) x.index};
}

/* Finds the columns of the entries first and last: the last columns that do not begin after them.
 * Half of the threads search for each entry. A round divides the remaining columns among the
 * threads: three rounds for two million columns. */
__device__ static inline void find_ends (const pattern &x, int64_t first, int64_t last,
                                         tile<int64_t, 1, 2> &ends) {
  enum { HALF = THREADS / 2 };
  const int end = threadIdx.x / HALF, me = threadIdx.x % HALF;
  const int64_t t = end ? last : first;
  if (me == 0)
    ends[0][end] = 0;
  __syncthreads ();
  for (int64_t width = x.cols, step; width > 1; width = step) {
    step = (width + HALF - 1) / HALF;
    const int64_t low = ends[0][end], high = low + width < x.cols ? low + width : x.cols;
    const int64_t mine = low + me * step, next = mine + step;
    __syncthreads ();
    if (mine < high && x.start[mine] <= t && (next >= high || x.start[next] > t))
      ends[0][end] = mine;
    __syncthreads ();
  }
}

/* Calls f (t, column) for the entries of this block. All threads must call it. */
template <class F>
__device__ static inline void for_entries (const pattern &x, tile<int64_t, 1, 2> &ends, F f) {
  const int64_t first = (int64_t) blockIdx.x * TILE;
  const int64_t last = (first + TILE < x.stored ? first + TILE : x.stored) - 1;
  find_ends (x, first, last, ends);
  const int64_t low = ends[0][0], high = ends[0][1];
  for (int64_t t = first + threadIdx.x; t <= last; t += THREADS)
    f (t, lower_bound (x.start, low + 1, high + 1, t + 1) - 1);
}

static int64_t tiles_of (int64_t entries) {
  return ceil_div (entries, (int64_t) TILE);
}

/* The place of (row, column) in x, or of the entry that follows. */
DEVICE int64_t place_of (const pattern &x, int32_t row, int64_t column) {
  return lower_bound (x.index, x.start[column], x.start[column + 1], row);
}

DEVICE bool has_at (const pattern &x, int64_t place, int32_t row, int64_t column) {
  return place < x.start[column + 1] && x.index[place] == row;
}

/* ---- marks ---------------------------------------------------------------------------------- */

/* Bit t % 64 of word[t / 64] marks entry t; before[g] counts the marks of the first g words. */
struct marks {
  uint64_t *word;
  int64_t *before;
};

static marks marks_of (const gpumm_sparse_work &w) {
  return {(uint64_t *) w.marks.values, (int64_t *) w.before.values};
}

DEVICE int count_bits (uint64_t x) {
#ifdef __CUDA_ARCH__
  return __popcll (x);
#else
  return __builtin_popcountll (x);
#endif
}

DEVICE bool is_marked (const marks &m, int64_t t) {
  return m.word[t / 64] >> (t & 63) & 1;
}

/* The number of marked entries before t. */
DEVICE int64_t marked_before (const marks &m, int64_t t) {
  return m.before[t / 64] + count_bits (m.word[t / 64] & (((uint64_t) 1 << (t & 63)) - 1));
}

typedef tile<unsigned char, 1, TILE> flags_of_tile;

/* Packs the flags of this block's entries into words. */
__device__ static inline void write_marks (flags_of_tile &flags, int64_t stored, const marks &m) {
  const int64_t byte = (int64_t) blockIdx.x * (TILE / 8) + threadIdx.x;
  unsigned bits = 0;
  __syncthreads ();
#pragma unroll
  for (int b = 0; b < 8; b++)
    bits |= (flags[0][8 * threadIdx.x + b] ? 1u : 0u) << b;
  if (byte < GPUMM_MARK_WORDS (stored) * 8)
    ((unsigned char *) m.word)[byte] = (unsigned char) bits;
}

/* W: double for type D, complex for any type. */
template <class W>
__global__ void __launch_bounds__ (THREADS)
    mark_nonzeros (int type, const void *values, int64_t stored, marks m) {
  SHARED (unsigned char, flags, 1, TILE);
  enum { EACH = TILE / THREADS };
  const int64_t first = (int64_t) blockIdx.x * TILE + threadIdx.x;
  W x[EACH];
#pragma unroll
  for (int u = 0; u < EACH; u++) {
    const int64_t t = first + u * THREADS;
    x[u] = t < stored
               ? load<W> (sizeof (W) == sizeof (double) ? (int) GPUMM_D : type, values, t, false)
               : W{};
  }
#pragma unroll
  for (int u = 0; u < EACH; u++)
    flags[0][u * THREADS + threadIdx.x] = !is_zero (x[u]);
  write_marks (flags, stored, m);
}

__global__ void __launch_bounds__ (THREADS) mark_diagonal (pattern a, int64_t shift, marks m) {
  SHARED (int64_t, ends, 1, 2);
  SHARED (unsigned char, flags, 1, TILE);
  for (int q = threadIdx.x; q < TILE; q += THREADS)
    flags[0][q] = 0;
  for_entries (a, ends,
               [&] (int64_t t, int64_t j) { flags[0][t % TILE] = j - a.index[t] == shift; });
  write_marks (flags, a.stored, m);
}

__global__ void __launch_bounds__ (THREADS)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    mark_matches (pattern a, pattern b, marks m) {
  SHARED (int64_t, ends, 1, 2);
  SHARED (unsigned char, flags, 1, TILE);
  for (int q = threadIdx.x; q < TILE; q += THREADS)
    flags[0][q] = 0;
  for_entries (a, ends, [&] (int64_t t, int64_t j) {
    const int32_t row = a.index[t];
    flags[0][t % TILE] = has_at (b, place_of (b, row, j), row, j);
  });
  write_marks (flags, a.stored, m);
}

__global__ void __launch_bounds__ (THREADS) count_marks (int64_t words, marks m) {
  const int64_t g = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  if (g == 0)
    m.before[0] = 0;
  if (g < words)
    m.before[g + 1] = count_bits (m.word[g]);
}

/* ---- new patterns --------------------------------------------------------------------------- */

/* Only the device knows how many entries are marked: where c has room for fewer, the others are
 * left out and nothing is written behind it. */

template <class E>
__global__ void __launch_bounds__ (THREADS)
    pack_entries (pattern a, const E *from, marks m, pattern c, E *to) {
  const int64_t t = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  if (t <= a.cols)
    c.start[t] = marked_before (m, a.start ? a.start[t] : t * a.rows);
  if (t >= a.stored || !is_marked (m, t))
    return;
  const int64_t at = marked_before (m, t);
  if (at >= c.stored)
    return;
  const E x = from[t];
  c.index[at] = a.index ? a.index[t] : (int32_t) (t % a.rows);
  to[at] = x;
}

__global__ void __launch_bounds__ (THREADS)
    list_places (int64_t stored, marks m, int64_t count, double *to) {
  const int64_t t = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  if (t >= stored || !is_marked (m, t))
    return;
  const int64_t at = marked_before (m, t);
  if (at < count)
    to[at] = (double) t + 1;
}

/* Finds the places of x's entries in the union: before each entry lie the earlier entries of x and
 * of y, and entries in both count once. others: x is b, and the marks are marks of y. */
__global__ void __launch_bounds__ (THREADS)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    unite_entries (pattern x, pattern y, marks m, bool others, pattern c, int64_t *to) {
  SHARED (int64_t, ends, 1, 2);
  for_entries (x, ends, [&] (int64_t t, int64_t j) {
    const int32_t row = x.index[t];
    const int64_t place = place_of (y, row, j),
                  at = t + place - marked_before (m, others ? place : t);
    to[t] = at;
    if (at < c.stored && (!others || !has_at (y, place, row, j)))
      c.index[at] = row;
  });
}

__global__ void __launch_bounds__ (THREADS)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    meet_entries (pattern a, pattern b, marks m, pattern c, int64_t *from_a, int64_t *from_b) {
  SHARED (int64_t, ends, 1, 2);
  for_entries (a, ends, [&] (int64_t t, int64_t j) {
    if (!is_marked (m, t))
      return;
    const int64_t at = marked_before (m, t);
    if (at >= c.stored)
      return;
    const int32_t row = a.index[t];
    c.index[at] = row;
    from_a[at] = t;
    from_b[at] = place_of (b, row, j);
  });
}

/* The offsets of a union, or of an intersection if b is NULL. */
__global__ void __launch_bounds__ (THREADS)
    join_starts (int64_t cols, const int64_t *a, const int64_t *b, marks m, int64_t *start) {
  const int64_t j = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  if (j <= cols)
    start[j] = b ? a[j] + b[j] - marked_before (m, a[j]) : marked_before (m, a[j]);
}

template <class I>
__global__ void __launch_bounds__ (THREADS)
    find_lengths (const int64_t *from, const I *which, int64_t cols, int64_t *start) {
  const int64_t j = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  if (j == 0)
    start[0] = 0;
  if (j < cols)
    start[j + 1] = from[which[j] + 1] - from[which[j]];
}

template <class E>
__global__ void __launch_bounds__ (THREADS)
    take_columns (pattern a, const E *from, const int64_t *which, pattern c, E *to) {
  SHARED (int64_t, ends, 1, 2);
  for_entries (c, ends, [&] (int64_t t, int64_t j) {
    const int64_t at = a.start[which[j]] + t - c.start[j];
    if (at >= a.stored)
      return;
    const E x = from[at];
    c.index[t] = a.index[at];
    to[t] = x;
  });
}

template <class E>
__global__ void __launch_bounds__ (THREADS)
    move_values (const E *from, const int32_t *which, int64_t count, E *to) {
  const int64_t t = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  if (t >= count)
    return;
  const E x = from[which[t]];
  to[t] = x;
}

/* ---- full arrays ---------------------------------------------------------------------------- */

template <class E>
__global__ void __launch_bounds__ (THREADS)
    scatter (pattern a, const E *values, E *full, int64_t down, int64_t across) {
  SHARED (int64_t, ends, 1, 2);
  for_entries (a, ends, [&] (int64_t t, int64_t j) {
    const E x = values[t];
    full[a.index[t] * down + j * across] = x;
  });
}

DEVICE double multiplied (double x, double y, int) {
  return x * y;
}

DEVICE double divided (double x, double y, int) {
  return x / y;
}

/* real: as in a step of a map, REAL_X for values, REAL_Y for full. */
template <class T>
__global__ void __launch_bounds__ (THREADS)
    scale_entries (pattern a, const T *values, const T *full, int64_t down, int64_t across,
                   bool divides, int real, T *to) {
  SHARED (int64_t, ends, 1, 2);
  for_entries (a, ends, [&] (int64_t t, int64_t j) {
    const T x = values[t], y = full[(down ? a.index[t] * down : 0) + j * across];
    const T z = divides ? divided (x, y, real) : multiplied (x, y, real);
    to[t] = is_zero (x) ? T{} : z;
  });
}

/* ---- folds ---------------------------------------------------------------------------------- */

/* Does op add up what is stored? Else it is an extreme. */
enum { NONE, SUMS, EXTREMES };
#define OR_SUM(NAME, name, result, state, begin, enter, combine, sparse)                           \
  || (sparse == SUMS && op == GPUMM_FOLD_##NAME)
#define IS_SUM (false GPUMM_FOLDS (OR_SUM))

/* The fold of no entries. NaN stands for no extreme. */
template <class W> DEVICE W nothing_of (int op) {
  W x;
  set (x, IS_SUM ? 0 : NAN, 0);
  return x;
}

template <class W> DEVICE W combined (int op, W x, W y) {
  if (IS_SUM)
    return add (x, y);
  if (is_nan (x) || is_nan (y))
    return is_nan (x) ? y : x;
  return compare (y, x, false, false) == (op == GPUMM_FOLD_MAX ? 1 : -1) ? y : x;
}

template <class W> DEVICE W entry_of (int op, int type, const void *values, int64_t t) {
  W x = load<W> (type, values, t, false);
  if (op == GPUMM_FOLD_ANY)
    set (x, !is_nan (x) && !is_zero (x), 0);
  return x;
}

/* Combines the values of `lanes` neighbouring threads, a power of 2, for the first of them. All
 * threads must call it. */
template <class W>
__device__ static inline W over_lanes (tile<W, 1, THREADS> &shared, int op, W x, int lanes) {
  const int me = threadIdx.x;
  shared[0][me] = x;
  for (int step = lanes / 2; step > 0; step /= 2) {
    __syncthreads ();
    if (me % lanes < step) {
      const W other = shared[0][me + step];
      x = combined (op, x, other);
      shared[0][me] = x;
    }
  }
  __syncthreads ();
  return x;
}

/* Folds the entries begin + me, begin + me + step, ... */
template <class W>
DEVICE W folded (int op, int type, const void *values, int64_t begin, int64_t end, int me,
                 int step) {
  W x = nothing_of<W> (op);
  for (int64_t t = begin + me; t < end; t += step)
    x = combined (op, x, entry_of<W> (op, type, values, t));
  return x;
}

/* Extremes include the zeros that are not stored. */
template <class W> DEVICE W with_zeros (const pattern &a, int op, int64_t stored, W x) {
  return stored < a.rows && !IS_SUM ? combined (op, x, W ()) : x;
}

/* x is element j of c, a row or a column that stores all its elements. */
template <class W> DEVICE void put_element (const pattern &c, W *values, int64_t j, W x) {
  values[j] = x;
  c.index[j] = c.rows == 1 ? 0 : (int32_t) j;
  if (c.rows == 1)
    c.start[j + 1] = j + 1;
}

template <class W>
__global__ void __launch_bounds__ (THREADS)
    fold_columns (pattern a, int op, int type, const void *values, int lanes, pattern c, W *to) {
  enum { MOST_EACH = 32 }; /* entries of a thread; the whole block folds a longer column */
  SHARED (W, shared, 1, THREADS);
  SHARED (int, has_long, 1, 1);
  const int64_t first = (int64_t) blockIdx.x * (THREADS / lanes);
  const int lane = threadIdx.x % lanes, most = lanes * MOST_EACH;
  const int64_t mine = first + threadIdx.x / lanes;
  const int64_t begin = mine < a.cols ? a.start[mine] : 0,
                end = mine < a.cols ? a.start[mine + 1] : 0;
  if (threadIdx.x == 0)
    has_long[0][0] = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    c.start[0] = 0;
    if (c.rows != 1)
      c.start[1] = c.stored;
  }
  __syncthreads ();
  if (end - begin > most)
    atomic_max (has_long[0][0], 1);
  W x = nothing_of<W> (op);
  if (end - begin <= most)
    x = folded<W> (op, type, values, begin, end, lane, lanes);
  x = over_lanes<W> (shared, op, x, lanes);
  if (mine < a.cols && lane == 0 && end - begin <= most)
    put_element (c, to, mine, with_zeros (a, op, end - begin, x));
  for (int64_t j = first; has_long[0][0] && j < first + THREADS / lanes && j < a.cols; j++) {
    const int64_t from = a.start[j], upto = a.start[j + 1];
    if (upto - from <= most)
      continue;
    x = folded<W> (op, type, values, from, upto, (int) threadIdx.x, THREADS);
    x = over_lanes<W> (shared, op, x, THREADS);
    if (threadIdx.x == 0)
      put_element (c, to, j, with_zeros (a, op, upto - from, x));
  }
}

template <class W>
static gpumm_status fold (int device, gpumm_stream *stream, const gpumm_sparse_work &w) {
  const pattern a = pattern_of (w.a);
  int lanes = 2;
  while (lanes < 32 && a.cols > 0 && lanes * 8 < a.stored / a.cols)
    lanes *= 2;
  const int64_t blocks = ceil_div (a.cols, (int64_t) (THREADS / lanes));
  return LAUNCH ("sparse fold", fold_columns<W>, blocks > 0 ? blocks : 1, dim3 (THREADS), device,
                 stream, a, (int) w.fold, (int) w.a.type, (const void *) w.a.values, lanes,
                 pattern_of (w.c), (W *) w.c.values);
}

template <class T>
static gpumm_status scale (int device, gpumm_stream *stream, const gpumm_sparse_work &w) {
  const int real = (w.real_a ? REAL_X : 0) | (w.real_full ? REAL_Y : 0);
  return LAUNCH ("sparse scaling", scale_entries<T>, tiles_of (w.a.nzmax), dim3 (THREADS), device,
                 stream, pattern_of (w.a), (const T *) w.a.values, (const T *) w.full.values,
                 w.full.stride[0], w.full.stride[1], w.divides != 0, real, (T *) w.c.values);
}

/* ---- launch --------------------------------------------------------------------------------- */

static gpumm_device_matrix rows_of (const gpumm_matrix &x) {
  gpumm_device_matrix r = {};
  r.rows = x.cols;
  r.cols = x.rows;
  r.block_rows = r.block_cols = 1;
  r.start = x.start;
  r.column = (int32_t *) x.index;
  r.stored = x.nzmax;
  return r;
}

/* A type of 4 bytes: the workspace of a transpose has room for one such number per entry. */
static const gpumm_type NUMBERS = GPUMM_S;

static gpumm_status transpose_of (int device, gpumm_stream *stream, const gpumm_sparse_work &w,
                                  void *workspace) {
  const gpumm_device_matrix a = rows_of (w.a);
  transpose x (&a, NUMBERS, workspace);
  x.t.start = w.c.start;
  x.t.column = (int32_t *) w.c.index;
  TRY (gpumm_transpose_structure (device, stream, &a, x));
  WITH_BYTES (w.a.type, E,
              return LAUNCH ("sparse transpose", move_values<E>,
                             ceil_div (a.stored, (int64_t) THREADS), dim3 (THREADS), device, stream,
                             (const E *) w.a.values, x.from, a.stored, (E *) w.c.values));
}

template <class E>
static gpumm_status move (int device, gpumm_stream *stream, const gpumm_sparse_work &w) {
  const pattern a = pattern_of (w.a), c = pattern_of (w.c);
  const E *from = (const E *) w.a.values;
  E *to = (E *) w.c.values, *full = (E *) w.full.values;
  const int64_t *which = (const int64_t *) w.which.values;
  const int64_t most = a.stored > a.cols ? a.stored : a.cols, *stride = w.full.stride;
  const dim3 threads (THREADS);
  switch (w.op) {
  case GPUMM_SPARSE_PACK:
    return LAUNCH ("sparse pack", pack_entries<E>, ceil_div (most + 1, (int64_t) THREADS), threads,
                   device, stream, a, from, marks_of (w), c, to);
  case GPUMM_SPARSE_TAKE:
    return LAUNCH ("sparse columns", take_columns<E>, tiles_of (c.stored), threads, device, stream,
                   a, from, which, c, to);
  default:
    return LAUNCH ("sparse scatter", scatter<E>, tiles_of (a.stored), threads, device, stream, a,
                   from, full, stride[0], stride[1]);
  }
}

/* The union or the intersection of two patterns, after MATCH. */
static gpumm_status join (int device, gpumm_stream *stream, const gpumm_sparse_work &w) {
  const pattern a = pattern_of (w.a), b = pattern_of (w.b), c = pattern_of (w.c);
  const marks m = marks_of (w);
  int64_t *from_a = (int64_t *) w.from_a.values, *from_b = (int64_t *) w.from_b.values;
  const bool unites = w.op == GPUMM_SPARSE_UNITE;
  const dim3 threads (THREADS);
  TRY (LAUNCH ("sparse join", join_starts, ceil_div (a.cols + 1, (int64_t) THREADS), threads,
               device, stream, a.cols, a.start, unites ? b.start : (int64_t *) NULL, m, c.start));
  if (!unites)
    return LAUNCH ("sparse join", meet_entries, tiles_of (a.stored), threads, device, stream, a, b,
                   m, c, from_a, from_b);
  TRY (LAUNCH ("sparse join", unite_entries, tiles_of (a.stored), threads, device, stream, a, b, m,
               false, c, from_a));
  return LAUNCH ("sparse join", unite_entries, tiles_of (b.stored), threads, device, stream, b, a,
                 m, true, c, from_b);
}

/* cppcheck takes the >> that would end fold<complex<double>> for a shift. */
typedef complex<double> complex_double;

/* Marks entries, and counts the marks before each word. */
static gpumm_status mark (int device, gpumm_stream *stream, const gpumm_sparse_work &w,
                          void *workspace) {
  const pattern a = pattern_of (w.a);
  const marks m = marks_of (w);
  const dim3 threads (THREADS);
  const int64_t tiles = tiles_of (a.stored + 1), words = GPUMM_MARK_WORDS (a.stored);
  if (w.op == GPUMM_SPARSE_DIAGONAL)
    TRY (LAUNCH ("sparse marks", mark_diagonal, tiles, threads, device, stream, a, w.shift, m));
  else if (w.op == GPUMM_SPARSE_MATCH)
    TRY (LAUNCH ("sparse marks", mark_matches, tiles, threads, device, stream, a, pattern_of (w.b),
                 m));
  else if (w.a.type == GPUMM_D)
    TRY (LAUNCH ("sparse marks", mark_nonzeros<double>, tiles, threads, device, stream,
                 (int) GPUMM_D, (const void *) w.a.values, a.stored, m));
  else
    TRY (LAUNCH ("sparse marks", mark_nonzeros<complex_double>, tiles, threads, device, stream,
                 (int) w.a.type, (const void *) w.a.values, a.stored, m));
  TRY (LAUNCH ("sparse marks", count_marks, ceil_div (words, (int64_t) THREADS), threads, device,
               stream, words, m));
  return gpumm_sum_up (device, stream, m.before, words + 1, workspace,
                       gpumm_sum_up_bytes (words + 1));
}

template <class I>
static gpumm_status find_lengths_of (int device, gpumm_stream *stream, const gpumm_sparse_work &w) {
  return LAUNCH ("sparse lengths", find_lengths<I>, ceil_div (w.c.cols + 1, (int64_t) THREADS),
                 dim3 (THREADS), device, stream, (const int64_t *) w.a.start,
                 (const I *) w.which.values, w.c.cols, w.c.start);
}

/* Turns lengths of columns into offsets: given lengths, or the lengths of the taken columns, which
 * the product of compressed matrices names by indices. */
static gpumm_status measure (int device, gpumm_stream *stream, const gpumm_sparse_work &w,
                             void *workspace) {
  int64_t *const start = w.c.start, cols = w.c.cols;
  if (w.op == GPUMM_SPARSE_LENGTHS)
    TRY (w.which.type == GPUMM_I32 ? find_lengths_of<int32_t> (device, stream, w)
                                   : find_lengths_of<int64_t> (device, stream, w));
  return gpumm_sum_up (device, stream, start, cols + 1, workspace, gpumm_sum_up_bytes (cols + 1));
}

gpumm_status gpumm_driver_sparse (int device, gpumm_stream *stream, const gpumm_sparse_work *w,
                                  void *workspace) {
  switch (w->op) {
  case GPUMM_SPARSE_KEEP:
  case GPUMM_SPARSE_DIAGONAL:
  case GPUMM_SPARSE_MATCH:
    return mark (device, stream, *w, workspace);
  case GPUMM_SPARSE_PLACES:
    return LAUNCH ("sparse places", list_places, ceil_div (w->a.nzmax + 1, (int64_t) THREADS),
                   dim3 (THREADS), device, stream, w->a.nzmax, marks_of (*w), w->c.nzmax,
                   (double *) w->places.values);
  case GPUMM_SPARSE_OFFSETS:
  case GPUMM_SPARSE_LENGTHS:
    return measure (device, stream, *w, workspace);
  case GPUMM_SPARSE_UNITE:
  case GPUMM_SPARSE_MEET:
    return join (device, stream, *w);
  case GPUMM_SPARSE_TRANSPOSE:
    return transpose_of (device, stream, *w, workspace);
  case GPUMM_SPARSE_SCALE:
    return w->full.type == GPUMM_D ? scale<double> (device, stream, *w)
           : w->full.type == GPUMM_Z
               ? scale<complex_double> (device, stream, *w)
               : gpumm_driver_fail (GPUMM_UNSUPPORTED,
                                    "sparse scaling: neither double nor complex");
  case GPUMM_SPARSE_FOLD:
    return is_real (w->a.type) ? fold<double> (device, stream, *w)
                               : fold<complex_double> (device, stream, *w);
  default:
    WITH_BYTES (w->a.type, E, return move<E> (device, stream, *w));
  }
}

size_t gpumm_driver_sparse_bytes (const gpumm_sparse_work *w) {
  if (w->op == GPUMM_SPARSE_TRANSPOSE) {
    const gpumm_device_matrix a = rows_of (w->a);
    return gpumm_transpose_bytes (&a, NUMBERS);
  }
  if (w->op == GPUMM_SPARSE_OFFSETS || w->op == GPUMM_SPARSE_LENGTHS)
    return gpumm_sum_up_bytes (w->c.cols + 1);
  return w->op <= GPUMM_SPARSE_MATCH ? gpumm_sum_up_bytes (GPUMM_MARK_WORDS (w->a.nzmax) + 1) : 0;
}

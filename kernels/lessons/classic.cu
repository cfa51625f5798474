/* classic.cu - blocks of uint16, sums in uint32: a course assignment, step by step.
 *
 * What it does: block (i, j) of C is the sum of A(i, k) B(k, j) over the k for which both blocks
 * exist. Each element is summed in 64 bits and saturated to 2^32 - 1 once. M x M threads compute a
 * block, one element each. The steps differ in how they find the common k and how many blocks a
 * launch computes:
 *
 *   classic_one     one block of C per launch: the GPU is nearly idle and waits for the next launch
 *   classic_search  all blocks in one launch; for each block (i, k) of A, a binary search for j in
 *                   row k of B
 *   classic         row i of A and column j of B ascend, so they are merged: one step per block of
 *                   either, at consecutive addresses, where a search jumps
 *
 * What limits it: finding the pairs. All threads of a block take the same steps, and most steps
 * find no pair: with 1.5 % of the blocks stored, 122 + 122 steps for 1.8 products. Nothing is used
 * twice, either: each product reads a block of A and one of B. blocks_strips.cu and
 * blocks_slices.cu avoid both.
 *
 * classic also reads B by columns, which it first builds from the rows: it counts GROUPS runs of
 * rows column by column, sums the counts to find where each run begins in a column, and stores the
 * rows of a run in order, so that columns ascend without sorting.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/pattern.h"

enum { COLUMN_THREADS = 256, GROUPS = 128 };

/* ---- B by columns ------------------------------------------------------------------------- */

/* Blocks in each block column of run blockIdx.x of rows: to place[run * cols + j]. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    count_columns (int64_t rows, int64_t cols, int64_t each, global<const int64_t> start,
                   global<const int32_t> column, global<int32_t> place) {
  const int64_t run = blockIdx.x * cols, begin = blockIdx.x * each;
  const int64_t end = begin + each < rows ? begin + each : rows;
  for (int64_t j = threadIdx.x; j < cols; j += THREADS)
    place[run + j] = 0;
  for (int64_t k = begin; k < end; k++) {
    __syncthreads (); /* a column occurs only once in a row */
    for (int64_t t = start[k] + threadIdx.x; t < start[k + 1]; t += THREADS)
      place[run + column[t]] = place[run + column[t]] + 1;
  }
}

/* The counts become the place of each run's first block in its column, and their sums the offsets
 * of the columns. One block. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    place_columns (int64_t cols, global<int32_t> place, global<int64_t> by_column) {
  SHARED (int64_t, sums, 1, THREADS);
  const int64_t each = (cols + THREADS - 1) / THREADS, begin = threadIdx.x * each;
  const int64_t end = begin + each < cols ? begin + each : cols;
  int64_t own = 0;
  for (int64_t j = begin; j < end; j++) {
    int32_t all = 0;
    for (int64_t run = 0; run < GROUPS; run++) {
      int32_t count = place[run * cols + j];
      place[run * cols + j] = all;
      all += count;
    }
    by_column[j + 1] = all;
    own += all;
  }
  sums[0][threadIdx.x] = own;
  __syncthreads ();
  int64_t at = 0;
  for (unsigned t = 0; t < threadIdx.x; t++)
    at += sums[0][t];
  if (threadIdx.x == 0)
    by_column[0] = 0;
  for (int64_t j = begin; j < end; j++) {
    at += by_column[j + 1];
    by_column[j + 1] = at;
  }
}

/* Lists B's blocks by columns: block row, and place among B's blocks. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    fill_columns (int64_t rows, int64_t cols, int64_t each, global<const int64_t> start,
                  global<const int32_t> column, global<int32_t> place,
                  global<const int64_t> by_column, global<int32_t> block_row,
                  global<int32_t> source) {
  const int64_t run = blockIdx.x * cols, begin = blockIdx.x * each;
  const int64_t end = begin + each < rows ? begin + each : rows;
  for (int64_t k = begin; k < end; k++) {
    __syncthreads ();
    for (int64_t t = start[k] + threadIdx.x; t < start[k + 1]; t += THREADS) {
      const int32_t j = column[t], before = place[run + j];
      const int64_t to = by_column[j] + before;
      place[run + j] = before + 1;
      block_row[to] = (int32_t) k;
      source[to] = (int32_t) t;
    }
  }
}

/* ---- blocks of C -------------------------------------------------------------------------- */

/* sum += row r of a block of A times column c of a block of B. */
template <int M>
__device__ static inline void add_product (uint64_t &sum, global<const uint16_t> A, int64_t t,
                                           global<const uint16_t> B, int64_t u, int r, int c) {
  COUNT_OPERATIONS (2 * M);
#pragma unroll
  for (int p = 0; p < M; p++) {
    const uint32_t x = A[t * M * M + r + p * M], y = B[u * M * M + p + c * M];
    sum += x * y; /* 16 bits times 16 bits fit 32 */
  }
}

template <int M>
__device__ static inline void store_sum (global<uint32_t> C, int64_t at, uint64_t sum, int r,
                                         int c) {
  C[at * M * M + r + c * M] = sum < UINT32_MAX ? (uint32_t) sum : UINT32_MAX;
}

/* Block q of block row i of C, where first + blockIdx.x = q + i * most. */
template <int M>
__global__ void __launch_bounds__ (M *M)
    search (int64_t first, int64_t row, int64_t most, global<const int64_t> a_start,
            global<const int32_t> a_column, global<const uint16_t> A, global<const int64_t> b_start,
            global<const int32_t> b_column, global<const uint16_t> B, global<const int64_t> c_start,
            global<const int32_t> c_column, global<uint32_t> C) {
  const int64_t i = row + (first + blockIdx.x) / most, q = (first + blockIdx.x) % most;
  const int64_t at = c_start[i] + q;
  if (at >= c_start[i + 1])
    return;
  const int r = threadIdx.x, c = threadIdx.y;
  const int32_t j = c_column[at];
  uint64_t sum = 0;
  for (int64_t t = a_start[i]; t < a_start[i + 1]; t++) {
    const int32_t k = a_column[t];
    const int64_t end = b_start[k + 1], u = lower_bound (b_column, (int64_t) b_start[k], end, j);
    if (u < end && b_column[u] == j)
      add_product<M> (sum, A, t, B, u, r, c);
  }
  store_sum<M> (C, at, sum, r, c);
}

template <int M>
__global__ void __launch_bounds__ (M *M)
    merge (int64_t row, int64_t most, global<const int64_t> a_start, global<const int32_t> a_column,
           global<const uint16_t> A, global<const int64_t> by_column,
           global<const int32_t> block_row, global<const int32_t> source, global<const uint16_t> B,
           global<const int64_t> c_start, global<const int32_t> c_column, global<uint32_t> C) {
  const int64_t i = row + blockIdx.x / most, q = blockIdx.x % most, at = c_start[i] + q;
  if (at >= c_start[i + 1])
    return;
  const int r = threadIdx.x, c = threadIdx.y;
  const int32_t j = c_column[at];
  int64_t t = a_start[i], u = by_column[j];
  const int64_t end_t = a_start[i + 1], end_u = by_column[j + 1];
  uint64_t sum = 0;
  while (t < end_t && u < end_u) {
    const int32_t k = a_column[t], l = block_row[u];
    if (k == l)
      add_product<M> (sum, A, t, B, source[u], r, c);
    t += k <= l;
    u += l <= k;
  }
  store_sum<M> (C, at, sum, r, c);
}

/* ---- launchers ---------------------------------------------------------------------------- */

/* The place of each run in each column, offsets of columns, and block row and source by columns. */
static size_t columns_bytes (const gpumm_device_matrix *b) {
  return (size_t) (b->cols + 1) * sizeof (int64_t)
         + ((size_t) b->cols * GROUPS + 2 * (size_t) b->stored) * sizeof (int32_t);
}

static size_t columns_workspace (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return gpumm_pattern_bytes (p) + columns_bytes (&p->b);
}

static int runs_classic (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return takes_squares (p) && p->b.stored <= INT32_MAX && p->count * p->b.cols <= INT32_MAX;
}

template <int M>
static gpumm_status launch_search (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                   bool one) {
  const gpumm_device_matrix &a = p->a, &b = p->b, &c = p->c;
  const int64_t all = p->count * b.cols, blocks = one ? 1 : all;
  gpumm_status status = gpumm_make_pattern (device, stream, p, true);
  for (int64_t first = 0; first < all && !status; first += blocks)
    status =
        LAUNCH ("classic_search", search<M>, blocks, dim3 (M, M), device, stream, first, p->row,
                b.cols, a.start, a.column, (const uint16_t *) a.values, b.start, b.column,
                (const uint16_t *) b.values, c.start, c.column, (uint32_t *) c.values);
  return status ? status : gpumm_find_zeros (device, stream, p);
}

template <bool ONE>
static gpumm_status search_blocks (int device, gpumm_stream *stream,
                                   const gpumm_sparse_product *p) {
  return p->a.block_rows == 4 ? launch_search<4> (device, stream, p, ONE)
                              : launch_search<8> (device, stream, p, ONE);
}

template <int M>
static gpumm_status launch_merge (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  const gpumm_device_matrix &a = p->a, &b = p->b, &c = p->c;
  const int64_t each = ceil_div (b.rows, GROUPS);
  int64_t *by_column = (int64_t *) ((char *) p->workspace + gpumm_pattern_bytes (p));
  int32_t *place = (int32_t *) (by_column + b.cols + 1);
  int32_t *block_row = place + b.cols * GROUPS, *source = block_row + b.stored;
  TRY (gpumm_make_pattern (device, stream, p, true));
  TRY (LAUNCH ("count_columns", count_columns<COLUMN_THREADS>, GROUPS, dim3 (COLUMN_THREADS),
               device, stream, b.rows, b.cols, each, b.start, b.column, place));
  TRY (LAUNCH ("place_columns", place_columns<COLUMN_THREADS>, 1, dim3 (COLUMN_THREADS), device,
               stream, b.cols, place, by_column));
  TRY (LAUNCH ("fill_columns", fill_columns<COLUMN_THREADS>, GROUPS, dim3 (COLUMN_THREADS), device,
               stream, b.rows, b.cols, each, b.start, b.column, place, by_column, block_row,
               source));
  TRY (LAUNCH ("classic", merge<M>, p->count * b.cols, dim3 (M, M), device, stream, p->row, b.cols,
               a.start, a.column, (const uint16_t *) a.values, by_column, block_row, source,
               (const uint16_t *) b.values, c.start, c.column, (uint32_t *) c.values));
  return gpumm_find_zeros (device, stream, p);
}

static gpumm_status merge_blocks (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  return p->a.block_rows == 4 ? launch_merge<4> (device, stream, p)
                              : launch_merge<8> (device, stream, p);
}

SPARSE_FAMILY_ROWS (classic) = {
    /* algorithm, name, capability, runs, workspace, symbolic, launch */
    {"classic", "classic_one", ANY_CAPABILITY, runs_classic, pattern_workspace, pattern_symbolic,
     search_blocks<true>},
    {"classic", "classic_search", ANY_CAPABILITY, runs_classic, pattern_workspace, pattern_symbolic,
     search_blocks<false>},
    {"classic", "classic", ANY_CAPABILITY, runs_classic, columns_workspace, pattern_symbolic,
     merge_blocks},
    {},
};

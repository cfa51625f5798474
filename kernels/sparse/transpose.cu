/* transpose.cu - the transpose of a matrix by compressed rows, plain or in blocks.
 *
 * A stable sort of the blocks' numbers by their columns (arrays.h) gives the blocks in the order of
 * the transpose. Bisection in the sorted columns finds where each row of the transpose begins. The
 * elements move last; blocks are transposed on the way.
 *
 * What limits it is memory: a radix sort reads and writes numbers and columns once for every 8 bits
 * of a column.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "transpose.h"
#include "sums_and_sorts.h"

enum { THREADS = 256, LANES = 16 /* threads for a row, or for a block of some elements */ };

/* number[p] = p and row[p] = i for the blocks p of row i. */
__global__ void __launch_bounds__ (THREADS)
    number_blocks (gpumm_device_matrix a, int32_t *number, int32_t *row) {
  int64_t i = (int64_t) blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
  if (i < a.rows)
    for (int64_t p = a.start[i] + threadIdx.x % LANES; p < a.start[i + 1]; p += LANES) {
      number[p] = (int32_t) p;
      row[p] = (int32_t) i;
    }
}

/* Columns of the transpose, and where its rows begin. */
__global__ void __launch_bounds__ (THREADS) find_rows (transpose x) {
  int64_t at = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  if (at < x.t.stored)
    x.t.column[at] = x.row[x.from[at]];
  if (at <= x.t.rows)
    x.t.start[at] = lower_bound (x.sorted_key, (int64_t) 0, x.t.stored, at);
}

/* Copies elements: block y of t is block from[y] of a, transposed. */
template <class T, bool CONJUGATED>
__global__ void __launch_bounds__ (THREADS)
    move_blocks (gpumm_device_matrix a, gpumm_device_matrix t, const int32_t *from) {
  int rows = (int) t.block_rows, cols = (int) t.block_cols, size = rows * cols;
  int lanes = size < LANES ? 1 : LANES, lane = threadIdx.x % lanes;
  int64_t y = (int64_t) blockIdx.x * (THREADS / lanes) + threadIdx.x / lanes;
  if (y >= t.stored)
    return;
  const T *of = (const T *) a.values + (int64_t) from[y] * size;
  T *to = (T *) t.values + y * size;
  for (int e = lane; e < size; e += lanes) {
    T value = of[e / rows + e % rows * cols];
    to[e] = CONJUGATED ? conjugate (value) : value;
  }
}

/* ---- launch ------------------------------------------------------------------------------- */

transpose::transpose (const gpumm_device_matrix *a, gpumm_type type, void *memory) : t (*a) {
  parts m (memory);
  char *values;
  t.rows = a->cols;
  t.cols = a->rows;
  t.block_rows = a->block_cols;
  t.block_cols = a->block_rows;
  m.take (t.start, t.rows + 1);
  m.take (t.column, t.stored);
  m.take (values, t.stored * t.block_rows * t.block_cols * (int64_t) element_bytes (type));
  m.take (from, t.stored);
  m.take (sorted_key, t.stored);
  m.take (scratch, (int64_t) gpumm_sort_bytes<uint32_t> (t.stored));
  t.values = values;
  row = (int32_t *) (void *) values; /* free until the elements are moved */
  bytes = m.used;
}

gpumm_status gpumm_transpose_structure (int device, gpumm_stream *stream,
                                        const gpumm_device_matrix *a, const transpose &x) {
  const int64_t stored = x.t.stored, most = stored > x.t.rows ? stored : x.t.rows;
  int32_t *const number = x.t.column; /* whose place is free until the columns are known */
  TRY (LAUNCH ("transpose", number_blocks, ceil_div (a->rows, THREADS / LANES), dim3 (THREADS),
               device, stream, *a, number, x.row));
  const int bits = bits_below (x.t.rows);
  TRY (gpumm_sort (device, stream, (const uint32_t *) a->column, (uint32_t *) x.sorted_key,
                   (const uint32_t *) number, (uint32_t *) x.from, stored, bits > 0 ? bits : 1,
                   x.scratch, gpumm_sort_bytes<uint32_t> (stored)));
  return LAUNCH ("transpose", find_rows, ceil_div (most + 1, THREADS), dim3 (THREADS), device,
                 stream, x);
}

gpumm_status gpumm_transpose_elements (int device, gpumm_stream *stream,
                                       const gpumm_device_matrix *a, const transpose &x,
                                       gpumm_type type, bool conjugated) {
  const int64_t size = a->block_rows * a->block_cols;
  const int64_t blocks = ceil_div (a->stored, size < LANES ? (int) THREADS : THREADS / LANES);
  WITH_TYPE (type, T, {
    const auto kernel = conjugated ? (move_blocks<T, true>) : (move_blocks<T, false>);
    return LAUNCH ("transpose", kernel, blocks, dim3 (THREADS), device, stream, *a, x.t, x.from);
  });
}

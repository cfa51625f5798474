/* spgemm_merge.cu - sparse times sparse by compressed rows, a row of C for each thread.
 *
 * What it does: row i of C is the sum of the rows k of B times A(i,k). Each of these rows ascends,
 * so they are merged: the next column of C is the smallest of the rows' next columns, and its
 * element the sum of the elements there. This needs no memory and no second thread.
 *
 * What limits it: each column of C searches each row again for its next element, by bisection: many
 * reads, one after the other, at places that no other thread reads. spgemm.cu reads each element
 * only twice. This kernel shows what the product is, and it runs everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "spgemm.h"

enum { THREADS = 64 };

/* The first column of row i of A B that is not below column; cols where there is none. */
__device__ static inline int64_t next_column (int64_t i, global<const int64_t> A_start,
                                              global<const int32_t> A_column,
                                              global<const int64_t> B_start,
                                              global<const int32_t> B_column, int64_t column,
                                              int64_t cols) {
  int64_t least = cols;
  for (int64_t t = A_start[i]; t < A_start[i + 1]; t++) {
    int64_t k = A_column[t], end = B_start[k + 1];
    int64_t at = lower_bound (B_column, (int64_t) B_start[k], end, column);
    if (at < end && B_column[at] < least)
      least = B_column[at];
  }
  return least;
}

__global__ void __launch_bounds__ (THREADS)
    count_rows (int64_t row, int64_t count, int64_t cols, global<const int64_t> A_start,
                global<const int32_t> A_column, global<const int64_t> B_start,
                global<const int32_t> B_column, global<int64_t> C_start) {
  int64_t i = row + (int64_t) blockIdx.x * THREADS + threadIdx.x, found = 0;
  if (i >= row + count)
    return;
  for (int64_t j = -1;
       (j = next_column (i, A_start, A_column, B_start, B_column, j + 1, cols)) < cols;)
    found++;
  C_start[i + 1] = found;
}

template <class T>
__global__ void __launch_bounds__ (THREADS)
    merge_rows (int64_t row, int64_t count, int64_t cols, T alpha, int real, bool note_zero,
                global<const int64_t> A_start, global<const int32_t> A_column, global<const T> A,
                global<const int64_t> B_start, global<const int32_t> B_column, global<const T> B,
                global<const int64_t> C_start, global<int32_t> C_column, global<T> C,
                global<int32_t> zero) {
  int64_t i = row + (int64_t) blockIdx.x * THREADS + threadIdx.x, to = 0;
  if (i >= row + count)
    return;
  to = C_start[i];
  for (int64_t j = -1;
       (j = next_column (i, A_start, A_column, B_start, B_column, j + 1, cols)) < cols; to++) {
    T sum = {};
    for (int64_t t = A_start[i]; t < A_start[i + 1]; t++) {
      int64_t k = A_column[t], end = B_start[k + 1];
      int64_t at = lower_bound (B_column, (int64_t) B_start[k], end, j);
      if (at < end && B_column[at] == j) {
        T a = A[t], b = B[at];
        accumulate (sum, a, b, real);
      }
    }
    sum = times_alpha (alpha, sum);
    C_column[to] = (int32_t) j;
    C[to] = sum;
    if (is_zero (sum) && note_zero)
      zero[0] = 1;
  }
}

/* ---- launch ------------------------------------------------------------------------------- */

static int runs_spgemm_merge (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return is_plain (p);
}

static gpumm_status symbolic (int device, gpumm_stream *stream, const gpumm_sparse_product *p) {
  return LAUNCH ("spgemm_merge, counting", count_rows, ceil_div (p->count, THREADS), THREADS,
                 device, stream, p->row, p->count, p->b.cols, p->a.start, p->a.column, p->b.start,
                 p->b.column, p->c.start);
}

template <class T>
static gpumm_status launch_spgemm_merge_as (int device, gpumm_stream *stream,
                                            const gpumm_sparse_product *p) {
  T alpha;
  convert (p->alpha, &alpha);
  return LAUNCH ("spgemm_merge", merge_rows<T>, ceil_div (p->count, THREADS), THREADS, device,
                 stream, p->row, p->count, p->b.cols, alpha, real_factors (*p), p->zero != NULL,
                 p->a.start, p->a.column, (const T *) p->a.values, p->b.start, p->b.column,
                 (const T *) p->b.values, p->c.start, p->c.column, (T *) p->c.values, p->zero);
}

static gpumm_status launch_spgemm_merge (int device, gpumm_stream *stream,
                                         const gpumm_sparse_product *p) {
  WITH_TYPE (p->type_c, T, return launch_spgemm_merge_as<T> (device, stream, p));
}

#ifndef GPUMM_DRIVER_CUDA /* a GPU's resident products take spgemm */
static size_t workspace (const gpumm_sparse_product *p, const gpumm_device_properties *) {
  return gpumm_sum_up_bytes (p->c.rows + 1);
}
#endif

SPARSE_FAMILY_ROWS (spgemm_merge) = {
/* algorithm, name, capability, runs, workspace, symbolic, launch, waits, piece, offsets */
#ifdef GPUMM_DRIVER_CUDA
    {"spgemm", "spgemm_merge", ANY_CAPABILITY, runs_spgemm_merge, NULL, symbolic,
     launch_spgemm_merge},
#else
    {"spgemm", "spgemm_merge", ANY_CAPABILITY, runs_spgemm_merge, workspace, symbolic,
     launch_spgemm_merge, 0, 0, offsets},
#endif
    {},
};

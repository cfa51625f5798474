/* spgemm.h - products of two elements, computed as in Octave's sparse matrices.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPGEMM_H
#define GPUMM_SPGEMM_H

#include "rows.h"
#include "sums_and_sorts.h"

/* Products and sums are rounded one by one, in ascending k, as in Octave's * and the CPU's
 * "sparse": C has the same bits, and the same elements cancel. Every copy of a loop's body also
 * rounds in the same way, so a row of C does not depend on the range of rows in which it is
 * computed. */
template <class R> __device__ static inline R times (R a, R b, int) {
  return rounded_product (a, b);
}

template <class R>
__device__ static inline complex<R> times (complex<R> a, complex<R> b, int real) {
  if (real & REAL_A)
    return {rounded_product (a.re, b.re), rounded_product (a.re, b.im)};
  if (real & REAL_B)
    return {rounded_product (a.re, b.re), rounded_product (a.im, b.re)};
  const complex<R> x = {add (rounded_product (a.re, b.re), -rounded_product (a.im, b.im)),
                        add (rounded_product (a.re, b.im), rounded_product (a.im, b.re))};
  return isnan (x.re) && isnan (x.im) ? infinite_product (a, b) : x;
}

template <class T> __device__ static inline void accumulate (T &sum, T a, T b, int real) {
  sum = add (sum, times (a, b, real));
}

/* All three by compressed rows, of one type of floating point, without blocks? */
static inline bool is_plain (const gpumm_sparse_product *p) {
  return p->a.start && p->b.start && p->c.start && p->type_a == p->type_b && p->type_a == p->type_c
         && p->type_c <= GPUMM_Z && p->a.block_rows == 1 && p->a.block_cols == 1
         && p->b.block_rows == 1 && p->b.block_cols == 1;
}

/* c.start[row], the offset so far, is the first of those that are added up. */
static inline gpumm_status offsets (int device, gpumm_stream *stream,
                                    const gpumm_sparse_product *p) {
  return gpumm_sum_up (device, stream, p->c.start + p->row, p->count + 1, p->workspace,
                       p->workspace_bytes);
}

/* alpha sum; a real alpha multiplies both parts. */
template <class R> __device__ static inline R times_alpha (R alpha, R sum) {
  return times (alpha, sum, 0);
}

template <class R>
__device__ static inline complex<R> times_alpha (complex<R> alpha, complex<R> sum) {
  return times (alpha, sum, alpha.im == 0 ? REAL_A : 0);
}

#endif

/* naive.cu - one thread for each element of C, everything from global memory.
 *
 * What it does: thread (i, j) walks along row i of op(A) and column j of op(B) and sums. This is
 * the definition of the product, and the kernel to compare all others with.
 *
 * What limits it: memory. Each multiply-add loads two elements, so a double product does 2
 * operations for 16 bytes: an arithmetic intensity of 1/8 operation per byte, where the GPU could
 * do ten or more. Caches help: the 32 threads of a warp read the same B(l, j) in one broadcast and
 * neighbouring A(i, l) in one coalesced read of 8 sectors of 32 bytes in double. If op(A) is a
 * transpose, the neighbours lie lda apart and the same read takes 32 sectors; tiled.cu avoids this.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

/* A block's part of C. A warp lies along a column, so that its reads of A and its writes of C are
 * coalesced. */
enum { ROWS = 32, COLUMNS = 8 };

template <class T>
__global__ void __launch_bounds__ (ROWS *COLUMNS)
    naive (int64_t m, int64_t n, int64_t k, T alpha, global<const T> A, int64_t lda, gpumm_op op_a,
           global<const T> B, int64_t ldb, gpumm_op op_b, T beta, global<T> C, int64_t ldc) {
  int64_t blocks_down = (m + ROWS - 1) / ROWS;
  int64_t i = blockIdx.x % blocks_down * ROWS + threadIdx.x;
  int64_t j = blockIdx.x / blocks_down * COLUMNS + threadIdx.y;
  if (i >= m || j >= n)
    return;

  /* op(A) (i, l) is A[i + l lda], or A[l + i lda] if transposed; likewise for op(B) (l, j) */
  int64_t a = op_a == GPUMM_NONE ? i : i * lda, a_step = op_a == GPUMM_NONE ? lda : 1;
  int64_t b = op_b == GPUMM_NONE ? j * ldb : j, b_step = op_b == GPUMM_NONE ? 1 : ldb;
  bool conjugate_a = op_a == GPUMM_CTRANSPOSE, conjugate_b = op_b == GPUMM_CTRANSPOSE;

  T sum = {};
  for (int64_t l = 0; l < k; l++) {
    T x = A[a + l * a_step];
    T y = B[b + l * b_step];
    multiply_add (sum, conjugate_a ? conjugate (x) : x, conjugate_b ? conjugate (y) : y);
  }
  store (C, i + j * ldc, alpha, sum, beta);
}

template <class T>
static gpumm_status launch_naive_as (int device, gpumm_stream *stream, const gpumm_product *p) {
  arguments<T> x (p);
  int64_t blocks = ceil_div (x.m, ROWS) * ceil_div (x.n, COLUMNS);
  return LAUNCH ("naive", naive<T>, blocks, dim3 (ROWS, COLUMNS), device, stream, x.m, x.n, x.k,
                 x.alpha, x.a, p->lda, p->op_a, x.b, p->ldb, p->op_b, x.beta, x.c, p->ldc);
}

static gpumm_status launch_naive (int device, gpumm_stream *stream, const gpumm_product *p) {
  WITH_TYPE (p->type, T, return launch_naive_as<T> (device, stream, p));
}

FAMILY_ROWS (naive) = {
    /* algorithm, name, types, tile m n k, thread m n, capability, from, runs, launch */
    {"naive", "naive", ALL_TYPES, ROWS, COLUMNS, 1, 1, 1, ANY_CAPABILITY, 0, NULL, launch_naive},
    {},
};

/* loops_kernel.h - the three loops, for one element type.
 *
 * loops.c includes this file once for each type, with these macros set:
 *   T     the element type
 *   CONJ  the complex conjugate of an element
 *   NAME  the function's name
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* C = alpha op(A) op(B) + beta C0, where op(A) is m x k and op(B) is k x n:
 *
 *   C(i,j) = alpha (op(A)(i,0) op(B)(0,j) + ... + op(A)(i,k-1) op(B)(k-1,j)) + beta C0(i,j)
 *
 * Matrices lie column by column: element (i,j) of A is a[i + j * lda]. The innermost loop runs down
 * a column of C, and of A if A is not transposed, so it reads and writes neighbours in memory,
 * which suits caches and vector instructions. Each sum is formed in the order of p. */
static void NAME (const gpumm_problem *problem, gpumm_matrix *result) {
  const int64_t m = gpumm_m (problem), n = gpumm_n (problem), k = gpumm_k (problem);
  const T *a = problem->a.values, *b = problem->b.values;
  const T *c0 = problem->c0 ? problem->c0->values : NULL; /* NULL if beta is 0 */
  T *c = result->values;
  const int64_t lda = problem->a.ld, ldb = problem->b.ld, ldc = result->ld;
  const int64_t ldc0 = problem->c0 ? problem->c0->ld : 0;
  const gpumm_op op_a = problem->a.op, op_b = problem->b.op;
  const T alpha = SCALAR (problem->alpha), beta = SCALAR (problem->beta);

  for (int64_t j = 0; j < n && !gpumm_is_cancelled (); j++) {
    for (int64_t i = 0; i < m; i++)
      c[i + j * ldc] = 0;

    for (int64_t p = 0; p < k && alpha != 0 && !gpumm_is_cancelled (); p++) {
      const T b_pj = op_b == GPUMM_NONE        ? b[p + j * ldb]
                     : op_b == GPUMM_TRANSPOSE ? b[j + p * ldb]
                                               : CONJ (b[j + p * ldb]);

      for (int64_t i = 0; i < m; i++) {
        const T a_ip = op_a == GPUMM_NONE        ? a[i + p * lda]
                       : op_a == GPUMM_TRANSPOSE ? a[p + i * lda]
                                                 : CONJ (a[p + i * lda]);
        c[i + j * ldc] += a_ip * b_pj;
      }
    }

    for (int64_t i = 0; i < m; i++) {
      if (alpha != 1)
        c[i + j * ldc] *= alpha;
      if (c0)
        c[i + j * ldc] += beta * c0[i + j * ldc0];
    }
    gpumm_progress_add (1);
  }
}

#undef T
#undef CONJ
#undef NAME
#undef SCALAR

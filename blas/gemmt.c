/* gemmt.c - gemmt, a triangle of C = alpha op(A) op(B) + beta C, by products.
 *
 * Half of the triangle is a square, which gemm multiplies, and so on with the two triangles beside it. A
 * triangle of a few rows is multiplied as a square in memory of its own. On a GPU such a square costs less
 * than more and narrower products.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "blas.h"
#include "types.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the last triangles: where a device takes part, and where the BLAS below computes all. */
enum { DEVICE_ROWS = 1024, CPU_ROWS = 64 };

typedef void gemm (const char *transa, const char *transb, const integer *m, const integer *n,
                   const integer *k, const void *alpha, const void *a, const integer *lda,
                   const void *b, const integer *ldb, const void *beta, void *c, const integer *ldc,
                   size_t l1, size_t l2);

typedef struct {
  const gpumm_call *call;
  gemm *below;
  int uses_device, is_begun; /* not begun: the BLAS below can still have the whole call */
  int64_t last;              /* rows of the last triangles */
  void *square;              /* memory for one of them */
  size_t element;
} split;

static void multiply_below (gemm *below, const gpumm_call *x) {
  const gpumm_typed_scalar alpha = gpumm_scalar_of (x->type, x->alpha),
                           beta = gpumm_scalar_of (x->type, x->beta);
  const integer m = (integer) x->m, n = (integer) x->n, k = (integer) x->k;
  const integer lda = (integer) x->lda, ldb = (integer) x->ldb, ldc = (integer) x->ldc;
  below (&x->trans, &x->trans_b, &m, &n, &k, &alpha, x->a, &lda, x->b, &ldb, &beta, x->c, &ldc, 1,
         1);
}

/* m rows of op(A) from `row` on times n columns of op(B) from `col` on. 0: nothing was done. */
static int multiply (split *s, int64_t row, int64_t m, int64_t col, int64_t n, gpumm_scalar beta,
                     void *c, int64_t ldc) {
  gpumm_call x = *s->call;
  x.routine = GPUMM_GEMM;
  x.m = m, x.n = n;
  x.beta = beta;
  x.a = (char *) x.a + (size_t) (x.trans == 'N' ? row : row * x.lda) * s->element;
  x.b = (char *) x.b + (size_t) (x.trans_b == 'N' ? col * x.ldb : col) * s->element;
  x.c = c, x.ldc = ldc;
  if (s->uses_device && gpumm_blas_run (&x))
    s->is_begun = 1;
  else if (s->is_begun)
    multiply_below (s->below, &x);
  return s->is_begun;
}

/* The triangle of C = the square + beta C. Where beta is 0, C is not read. */
#define ADD(T)                                                                                     \
  for (int64_t j = 0; j < n; j++)                                                                  \
    for (int64_t i = is_upper ? 0 : j; i < (is_upper ? j + 1 : n); i++) {                          \
      const T *from = (const T *) s->square + (i + j * n) * parts;                                 \
      T *to = (T *) c + (i + j * x->ldc) * parts;                                                  \
      const T c_re = reads ? to[0] : 0, c_im = reads ? to[parts - 1] : 0;                          \
      to[0] = from[0] + (parts == 2 ? re * c_re - im * c_im : re * c_re);                          \
      if (parts == 2)                                                                              \
        to[1] = from[1] + (re * c_im + im * c_re);                                                 \
    }

static void add_triangle (const split *s, int64_t n, void *c) {
  const gpumm_call *x = s->call;
  const gpumm_scalar beta = x->beta;
  const int is_upper = x->uplo == 'U', reads = beta.re != 0 || beta.im != 0;
  const int parts = gpumm_is_complex (x->type) ? 2 : 1;
  if (gpumm_is_single (x->type)) {
    const float re = (float) beta.re, im = (float) beta.im;
    ADD (float)
  } else {
    const double re = beta.re, im = beta.im;
    ADD (double)
  }
}

/* Rows and columns first to first + n - 1. 0: nothing was done. */
static int multiply_triangle (split *s, int64_t first, int64_t n) {
  const gpumm_call *x = s->call;
  char *c = (char *) x->c + (size_t) (first + first * x->ldc) * s->element;
  if (n <= s->last) {
    if (!multiply (s, first, n, first, n, (gpumm_scalar){0, 0}, s->square, n))
      return 0;
    add_triangle (s, n, c);
    return 1;
  }
  const int64_t half = n / 2, rest = n - half;
  const int done = x->uplo == 'U' ? multiply (s, first, half, first + half, rest, x->beta,
                                              c + (size_t) (half * x->ldc) * s->element, x->ldc)
                                  : multiply (s, first + half, rest, first, half, x->beta,
                                              c + (size_t) half * s->element, x->ldc);
  return done && multiply_triangle (s, first, half) && multiply_triangle (s, first + half, rest);
}

static split split_of (const gpumm_call *x) {
  char name[8];
  snprintf (name, sizeof name, "%cgemm_", "sdcz"[x->type]);
  return (split){
      .call = x, .below = (gemm *) gpumm_blas_find (name), .element = gpumm_type_bytes (x->type)};
}

int gpumm_blas_triangle (const gpumm_call *x) {
  split s = split_of (x);
  s.uses_device = 1;
  s.last = DEVICE_ROWS;
  const size_t side = (size_t) (x->n < s.last ? x->n : s.last);
  s.square = malloc (side * side * s.element);
  const int done = s.square && multiply_triangle (&s, 0, x->n);
  free (s.square);
  return done;
}

/* The number of the first invalid argument, or 0. */
static integer invalid_argument (const gpumm_call *x) {
  const int64_t rows_a = x->trans == 'N' ? x->n : x->k, rows_b = x->trans_b == 'N' ? x->k : x->n;
  return !gpumm_blas_is_one_of (x->uplo, "UL")       ? 1
         : !gpumm_blas_is_one_of (x->trans, "NTC")   ? 2
         : !gpumm_blas_is_one_of (x->trans_b, "NTC") ? 3
         : x->n < 0                                  ? 4
         : x->k < 0                                  ? 5
         : x->lda < (rows_a > 1 ? rows_a : 1)        ? 8
         : x->ldb < (rows_b > 1 ? rows_b : 1)        ? 10
         : x->ldc < (x->n > 1 ? x->n : 1)            ? 13
                                                     : 0;
}

void gpumm_blas_gemmt (const gpumm_call *x) {
  const integer invalid = invalid_argument (x);
  if (invalid) {
    char name[8];
    snprintf (name, sizeof name, "%cGEMMT", "SDCZ"[x->type]);
    void *program = dlsym (RTLD_DEFAULT, "xerbla_"); /* a program may have its own */
    void (*xerbla) (const char *, const integer *, size_t) = (void (*) (
        const char *, const integer *, size_t)) (program ? program : gpumm_blas_find ("xerbla_"));
    xerbla (name, &invalid, strlen (name));
    return;
  }
  const int adds_nothing = x->k == 0 || (x->alpha.re == 0 && x->alpha.im == 0);
  if (x->n == 0 || (adds_nothing && x->beta.re == 1 && x->beta.im == 0))
    return;
  double square[CPU_ROWS * CPU_ROWS * 2];
  split s = split_of (x);
  s.is_begun = 1;
  s.last = CPU_ROWS;
  s.square = square;
  multiply_triangle (&s, 0, x->n);
}

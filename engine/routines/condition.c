/* condition.c - the condition number of a matrix from its factors, estimated by all cores.
 *
 * LAPACK's gecon and pocon estimate the norm of the inverse from a few solutions with the factors:
 * N. J. Higham, ACM Trans. Math. Softw. 14 (1988) 381-396, algorithm 674. LAPACK solves in one
 * thread, which was half of the time of `A\b` at 8192 on an H200. Here inverse_norm.c takes the
 * steps, and threads solve: blocks of the diagonal are solved in turn, and the rest of their rows
 * or columns is shared among the threads. Each solution reads each factor once, which takes most of
 * the time.
 *
 * LAPACK scales where a solution would overflow. This does not: it leaves such matrices to LAPACK.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_blas.h"
#include "base/error.h"
#include "base/magnitude.h"
#include "base/processors.h"
#include "base/threads.h"
#include "base/types.h"
#include "inverse_norm.h"

#include <complex.h>
#include <float.h>

/* Rows of a block of the diagonal. Threads meet once a block, which takes about 10 us; one thread
 * solves a block of doubles in 6 us. A thread gets at least LEAST_ELEMENTS: 10 us for doubles in
 * its cache. */
enum { BLOCK = 128, LEAST_ELEMENTS = 1 << 15, COLUMNS = 4 };

/* op (T) x = y. */
typedef struct {
  const void *a;
  int64_t n, lda;
  int is_upper, is_unit, is_transposed; /* complex: and conjugated */
} triangle;

/* A part of a matrix with the parts of the vector that it is multiplied by and subtracted from. n:
 * of the whole vector. */
typedef struct {
  const void *a, *x;
  void *y;
  int64_t rows, cols, lda, n;
} panel;

/* clang-format off */
#define T float
#define LETTER s
#define PARTS 1
#include "condition_kernels.h"
#define T double
#define LETTER d
#define PARTS 1
#include "condition_kernels.h"
#define T float
#define LETTER c
#define PARTS 2
#include "condition_kernels.h"
#define T double
#define LETTER z
#define PARTS 2
#include "condition_kernels.h"
/* clang-format on */

typedef struct {
  void (*subtract) (const panel *p, int64_t begin, int64_t end);
  void (*subtract_dots) (const panel *p, int64_t begin, int64_t end);
  void (*solve_block) (const panel *p, const triangle *t, int64_t size);
} kernels;

#define KERNELS(letter)                                                                            \
  { subtract_##letter, subtract_dots_##letter, solve_block_##letter }
static const kernels by_type[] = {KERNELS (s), KERNELS (d), KERNELS (c), KERNELS (z)};

/* ---- one solution ------------------------------------------------------------------------- */

typedef struct {
  const panel *p;
  void (*subtract) (const panel *p, int64_t begin, int64_t end);
} subtraction;

static void subtract (void *context, int64_t begin, int64_t end) {
  const subtraction *s = context;
  s->subtract (s->p, begin, end);
}

/* Overwrites x with the solution. */
static gpumm_status solve (gpumm_type type, const triangle *t, void *x) {
  const kernels *k = &by_type[type];
  const int64_t element = (int64_t) gpumm_type_bytes (type);
  const int64_t n = t->n, blocks = gpumm_pieces (n, BLOCK);
  const int is_forward = t->is_upper == t->is_transposed;
  gpumm_status status = GPUMM_OK;
  for (int64_t step = 0; step < blocks && !status; step++) {
    const int64_t first = (is_forward ? step : blocks - 1 - step) * BLOCK;
    const int64_t size = gpumm_least (BLOCK, n - first), end = first + size;
    const int64_t row = t->is_upper ? 0 : end, rows = t->is_upper ? first : n - end;
    const int64_t least_cols = gpumm_pieces (LEAST_ELEMENTS, COLUMNS * (rows + 1)) * COLUMNS;
    const char *column = (const char *) t->a + first * t->lda * element;
    void *here = (char *) x + first * element, *others = (char *) x + row * element;
    const panel block = {column + first * element, here, here, size, size, t->lda, n};
    panel rest = {column + row * element, here, others, rows, size, t->lda, n};
    subtraction s = {&rest, k->subtract};
    if (t->is_transposed) {
      rest.x = others, rest.y = here;
      s.subtract = k->subtract_dots;
      status = rows > 0 ? gpumm_parallel (size, least_cols, subtract, &s) : GPUMM_OK;
    }
    k->solve_block (&block, t, size);
    if (!t->is_transposed && rows > 0 && !status)
      status = gpumm_parallel (rows, LEAST_ELEMENTS / BLOCK, subtract, &s);
  }
  return status;
}

/* ---- the estimate ------------------------------------------------------------------------- */

/* The two triangles whose product is A, but for pivots, which do not change a norm of the inverse:
 * they exchange its columns. */
static void factors_of (const gpumm_call *x, triangle factor[2]) {
  const triangle t = {.a = x->a, .n = x->n, .lda = x->lda};
  factor[0] = factor[1] = t;
  if (x->routine == GPUMM_GECON) {
    factor[0].is_unit = 1;
    factor[1].is_upper = 1;
  } else {
    factor[0].is_upper = factor[1].is_upper = x->uplo == 'U';
    factor[x->uplo == 'U' ? 0 : 1].is_transposed = 1; /* U' U or L L' */
  }
}

/* Multiplies x by the inverse, or by its transpose. */
static gpumm_status invert (const gpumm_call *call, const triangle factor[2], int is_transposed,
                            void *x) {
  const gpumm_range allowed = gpumm_safe_range (call->type);
  gpumm_status status = GPUMM_OK;
  for (int i = 0; i < 2 && !status; i++) {
    triangle t = factor[is_transposed ? 1 - i : i];
    t.is_transposed ^= is_transposed;
    status = solve (call->type, &t, x);
    const double largest = gpumm_largest (call->type, x, call->n);
    if (!status && !(largest >= allowed.least && largest <= allowed.most))
      status = gpumm_fail (GPUMM_UNSUPPORTED, "a solution is too large or too small");
  }
  return status;
}

static gpumm_status check_diagonals (const gpumm_call *call, const triangle factor[2]) {
  const gpumm_range allowed = gpumm_safe_range (call->type);
  for (int i = 0; i < 2; i++) {
    const triangle *t = &factor[i];
    if (t->is_unit)
      continue;
    const gpumm_range found = gpumm_diagonal_range (call->type, t->a, t->n, t->lda);
    if (!(found.least >= allowed.least && found.most <= allowed.most))
      return gpumm_fail (GPUMM_UNSUPPORTED, "a diagonal element is too large or too small");
  }
  return GPUMM_OK;
}

gpumm_status gpumm_estimate_condition (const gpumm_call *call, char norm, double anorm,
                                       double *rcond) {
  if (!call || !rcond || (call->routine != GPUMM_GECON && call->routine != GPUMM_POCON)
      || (unsigned) call->type > GPUMM_Z || call->n < 1 || call->lda < call->n || !call->a
      || !(anorm > 0 && anorm <= DBL_MAX)
      || (call->routine == GPUMM_GECON && norm != '1' && norm != 'O' && norm != 'I')
      || (call->routine == GPUMM_POCON && call->uplo != 'U' && call->uplo != 'L'))
    return gpumm_fail (GPUMM_INVALID, "no condition number to estimate");
  triangle factor[2];
  factors_of (call, factor);
  gpumm_inverse_norm e;
  gpumm_status status = gpumm_inverse_norm_open (&e, call->type, call->n);
  if (!status)
    status = check_diagonals (call, factor);
  /* norm I is norm 1 of the transpose */
  while (!status && gpumm_inverse_norm_next (&e))
    status = invert (call, factor, e.is_transposed ^ (norm == 'I'), e.x);
  if (!status)
    status = gpumm_inverse_norm_rcond (&e, anorm, rcond);
  gpumm_inverse_norm_close (&e);
  return status;
}

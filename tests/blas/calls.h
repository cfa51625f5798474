/* calls.h - calls of the drop-in's routines and of the same routines below, in tests. Matrices have
 * up to LARGEST rows and columns, which the test defines before.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_CALLS_H
#define GPUMM_TESTS_CALLS_H

#include "elements.h"

enum { CELLS = 2 * (LARGEST + 8) * LARGEST };

/* One case: the arguments, and three arrays with tau and pivots. */
typedef struct {
  gpumm_call x;
  integer m, n, k, lda, ldb, ldc, lwork, info;
  double a[CELLS], b[CELLS], c[CELLS], tau[2 * LARGEST], work[CELLS * 64 / LARGEST];
  integer pivots[LARGEST];
  double alpha[2], beta[2];
} test_case;

static void call (routine *f, test_case *t) {
  const gpumm_call *x = &t->x;
  const size_t one = 1;
  switch (x->routine) {
  case GPUMM_GEMM:
    f (&x->trans, &x->trans_b, &t->m, &t->n, &t->k, t->alpha, t->a, &t->lda, t->b, &t->ldb, t->beta,
       t->c, &t->ldc, one, one);
    break;
  case GPUMM_SYMM:
  case GPUMM_HEMM:
    f (&x->side, &x->uplo, &t->m, &t->n, t->alpha, t->a, &t->lda, t->b, &t->ldb, t->beta, t->c,
       &t->ldc, one, one);
    break;
  case GPUMM_SYRK:
  case GPUMM_HERK:
    f (&x->uplo, &x->trans, &t->n, &t->k, t->alpha, t->a, &t->lda, t->beta, t->c, &t->ldc, one,
       one);
    break;
  case GPUMM_SYR2K:
  case GPUMM_HER2K:
    f (&x->uplo, &x->trans, &t->n, &t->k, t->alpha, t->a, &t->lda, t->b, &t->ldb, t->beta, t->c,
       &t->ldc, one, one);
    break;
  case GPUMM_TRMM:
  case GPUMM_TRSM:
    f (&x->side, &x->uplo, &x->trans, &x->diag, &t->m, &t->n, t->alpha, t->a, &t->lda, t->b,
       &t->ldb, one, one, one, one);
    break;
  case GPUMM_GETRF:
    f (&t->m, &t->n, t->a, &t->lda, t->pivots, &t->info);
    break;
  case GPUMM_GETRS:
    f (&x->trans, &t->n, &t->k, t->a, &t->lda, t->pivots, t->b, &t->ldb, &t->info, one);
    break;
  case GPUMM_GETRI:
    f (&t->n, t->a, &t->lda, t->pivots, t->work, &t->lwork, &t->info);
    break;
  case GPUMM_POTRF:
    f (&x->uplo, &t->n, t->a, &t->lda, &t->info, one);
    break;
  case GPUMM_POTRS:
    f (&x->uplo, &t->n, &t->k, t->a, &t->lda, t->b, &t->ldb, &t->info, one);
    break;
  case GPUMM_GEQRF:
    f (&t->m, &t->n, t->a, &t->lda, t->tau, t->work, &t->lwork, &t->info);
    break;
  case GPUMM_ORGQR:
    f (&t->m, &t->n, &t->k, t->a, &t->lda, t->tau, t->work, &t->lwork, &t->info);
    break;
  default:
    f (&x->side, &x->trans, &t->m, &t->n, &t->k, t->a, &t->lda, t->tau, t->c, &t->ldc, t->work,
       &t->lwork, &t->info, one, one);
  }
}

static routine *find (int whose, gpumm_routine which, gpumm_type type) {
  return find_routine (whose, type, gpumm_routine_name (which, type));
}

#endif

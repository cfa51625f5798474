/* test_routine.c - routines of BLAS and LAPACK on the host device, where every allocation and every
 * call of the device fails in turn: the arguments stay as they were, and nothing is kept. That the
 * results are right is tested in tests/blas.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "gpumm_blas.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40, CELLS = N * N };

typedef struct {
  double a[CELLS], b[CELLS], c[CELLS], tau[N];
  int32_t pivots[N];
} arrays;

static void make (arrays *x) {
  memset (x, 0, sizeof *x);
  for (int i = 0; i < CELLS; i++) {
    x->a[i] = (i % (N + 1) == 0 ? N : 0) + check_uniform ();
    x->b[i] = check_uniform ();
    x->c[i] = check_uniform ();
  }
  for (int i = 0; i < N; i++)
    x->pivots[i] = i + 1;
}

static gpumm_status run (gpumm_routine routine, arrays *x) {
  const gpumm_call call = {.routine = routine,
                           .type = GPUMM_D,
                           .side = 'L',
                           .uplo = 'L',
                           .trans = 'N',
                           .trans_b = 'T',
                           .diag = 'N',
                           .m = N,
                           .n = N,
                           .k = N,
                           .alpha = {2, 0},
                           .beta = {1, 0},
                           .a = x->a,
                           .b = x->b,
                           .c = x->c,
                           .lda = N,
                           .ldb = N,
                           .ldc = N,
                           .tau = x->tau,
                           .pivots = x->pivots};
  return gpumm_run_call (&call, GPUMM_CPU);
}

typedef struct {
  gpumm_routine routine;
  arrays before, x, right;
} trial;

/* The right result, also where it did without; or arguments as they were: tau and pivots are
 * results. */
static gpumm_status try_again (void *context) {
  trial *t = context;
  t->x = t->before;
  const gpumm_status status = run (t->routine, &t->x);
  CHECK (status ? !memcmp (&t->x, &t->before, offsetof (arrays, tau))
                : !memcmp (&t->x, &t->right, sizeof t->x),
         "%s: %s", gpumm_routine_name (t->routine, GPUMM_D),
         status ? "arguments changed" : "another result");
  return status;
}

static void test_faults (gpumm_routine routine) {
  trial *t = check_allocate (1, sizeof *t);
  t->routine = routine;
  make (&t->before);
  t->right = t->before;
  OK (run (routine, &t->right));
  for (int which = 0; which < 2; which++)
    fail_in_turn (&(faults){.name = gpumm_routine_name (routine, GPUMM_D),
                            .inject = which ? gpumm_fault_device : gpumm_fault_memory,
                            .run = try_again,
                            .context = t,
                            /* of several devices another one may do it */
                            .least = getenv ("GPUMM_DEVICES") ? 1 : 4});
  free (t);
}

int main (void) {
  static const gpumm_routine routines[] = {GPUMM_GEMM,  GPUMM_SYMM,  GPUMM_SYRK,
                                           GPUMM_TRSM,  GPUMM_GETRF, GPUMM_GETRI,
                                           GPUMM_POTRF, GPUMM_GEQRF, GPUMM_ORMQR};
  check_seed (20261123);
  for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
    test_faults (routines[i]);
  return check_done ();
}

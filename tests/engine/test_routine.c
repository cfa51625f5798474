/* test_routine.c - routines of BLAS and LAPACK on the host device, where every allocation and every call of
 * the device fails in turn: the arguments stay as they were, and nothing is kept. That the results are
 * right is tested in tests/blas.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "gpumm.h"

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

/* Makes call 1, 2, ... of `fault` fail, until the routine needs no more of them. */
static void fail_in_turn (gpumm_routine routine, int64_t (*fault) (int64_t), const char *what) {
  const char *name = gpumm_routine_name (routine, GPUMM_D);
  arrays *before = check_allocate (3, sizeof *before), *x = before + 1, *right = before + 2;
  make (before);
  *right = *before;
  CHECK (run (routine, right) == GPUMM_OK, "%s: %s", name, gpumm_last_error ());
  gpumm_reset ();
  const int64_t live = gpumm_live_allocations ();
  int64_t failed = 0;
  for (int64_t n = 1; n < 1000; n++) {
    *x = *before;
    fault (n);
    const gpumm_status status = run (routine, x);
    const int64_t calls = fault (0);
    if (status == GPUMM_OK) /* also where it did without */
      CHECK (memcmp (x, right, sizeof *x) == 0, "%s: %s %lld: another result", name, what,
             (long long) n);
    else
      CHECK (memcmp (x, before, offsetof (arrays, tau)) == 0, "%s: %s %lld: arguments changed",
             name, what, (long long) n); /* tau and pivots are results */
    failed += status != GPUMM_OK;
    gpumm_reset ();
    CHECK (gpumm_live_allocations () == live, "%s: %s %lld: %lld blocks are kept", name, what,
           (long long) n, (long long) (gpumm_live_allocations () - live));
    if (calls < n)
      break;
  }
  /* of several devices another one may do it */
  CHECK (failed > (getenv ("GPUMM_DEVICES") ? 0 : 3), "%s: %lld failures", name,
         (long long) failed);
  free (before);
}

int main (void) {
  static const gpumm_routine routines[] = {GPUMM_GEMM,  GPUMM_SYMM,  GPUMM_SYRK,
                                           GPUMM_TRSM,  GPUMM_GETRF, GPUMM_GETRI,
                                           GPUMM_POTRF, GPUMM_GEQRF, GPUMM_ORMQR};
  check_seed (20261123);
  for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
    fail_in_turn (routines[i], gpumm_fault_memory, "allocation");
    fail_in_turn (routines[i], gpumm_fault_device, "device call");
  }
  return check_done ();
}

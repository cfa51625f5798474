/* faults.h - a run in which each call fails in turn: each allocation of the engine
 * (gpumm_fault_memory), or each call of the host device (gpumm_fault_device) or of a test's own. A
 * test's own may also cancel.
 *
 * Whatever fails, there is an error with a text or the right result, nothing is left behind, and
 * the run after it succeeds.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_FAULTS_H
#define GPUMM_TESTS_FAULTS_H

#include "check.h"
#include "gpumm_tools.h"

#include <string.h>

typedef struct {
  const char *name;
  int64_t (*inject) (int64_t);
  gpumm_status (*run) (void *context); /* checks its result where it succeeds */
  void *context;
  int64_t least; /* as many calls have to fail at least */
  int64_t step;  /* every step-th call; 0: each */
  int cancels;   /* inject calls gpumm_cancel */
} faults;

static inline int is_expected (const faults *f, gpumm_status status) {
  if (f->cancels)
    return status == GPUMM_CANCELLED && strstr (gpumm_last_error (), "cancelled");
  return status == GPUMM_HOST_MEMORY
         || (f->inject != gpumm_fault_memory
             && (status == GPUMM_DEVICE_FAILED || status == GPUMM_DEVICE_MEMORY));
}

/* Returns how many runs failed. */
static inline int64_t fail_in_turn (const faults *f) {
  enum { AGAIN = 8 }; /* after every eighth failure, a run without one */
  const int64_t step = (f->step > 0 ? f->step : 1) * SANITIZED_STEP;
  int64_t failures = 0, calls, n = 0;
  gpumm_reset ();
  const int64_t live = gpumm_live_allocations ();
  do {
    n += step;
    f->inject (n);
    const gpumm_status status = f->run (f->context);
    calls = f->inject (0);
    if (status) {
      CHECK (is_expected (f, status) && gpumm_last_error ()[0], "%s, call %lld: %s: %s", f->name,
             (long long) n, gpumm_status_name (status), gpumm_last_error ());
      if (failures++ % AGAIN == 0)
        CHECK (!f->run (f->context), "%s, after call %lld: %s", f->name, (long long) n,
               gpumm_last_error ());
    }
    gpumm_reset ();
    CHECK (gpumm_live_allocations () == live, "%s, call %lld: %lld allocations are left", f->name,
           (long long) n, (long long) (gpumm_live_allocations () - live));
  } while (calls >= n);
  CHECK (failures >= f->least / SANITIZED_STEP, "%s: only %lld calls failed", f->name,
         (long long) failures);
  return failures;
}

#endif

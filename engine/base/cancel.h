/* cancel.h - must the open products stop?
 *
 * Nothing is interrupted: each loop checks the flag at least every 0.1 s and returns. A stopped
 * loop leaves its result undefined, so its caller fails with gpumm_check_cancelled () before the
 * result is read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CANCEL_H
#define GPUMM_CANCEL_H

#include "gpumm.h"

#include <stdatomic.h>

/* The number of open jobs times 2; the lowest bit is set once they are cancelled. The last job to
 * close clears the bit, so gpumm_cancel never stops a product that begins after it. */
extern _Atomic unsigned gpumm_cancel_word;

/* The caller's flag, see gpumm_watch; never NULL. */
extern const volatile sig_atomic_t *_Atomic gpumm_cancel_flag;

/* Costs two loads: cheap enough for every few hundred operations of a loop. */
static inline int gpumm_is_cancelled (void) {
  return (atomic_load_explicit (&gpumm_cancel_word, memory_order_relaxed) & 1)
         || __atomic_load_n (atomic_load_explicit (&gpumm_cancel_flag, memory_order_relaxed),
                             __ATOMIC_RELAXED)
                > 0;
}

/* For loops whose steps take nanoseconds: checks in 16 consecutive steps of each 1024, so a loop
 * with strides of up to 16 does not miss them. */
static inline int gpumm_is_cancelled_at (int64_t step) {
  return (step & 1008) == 1008 && gpumm_is_cancelled ();
}

/* The same as a function, for drivers. */
int gpumm_cancelled (void);

/* GPUMM_CANCELLED with its text, or GPUMM_OK. */
gpumm_status gpumm_check_cancelled (void);

/* Call these around all work that gpumm_cancel stops. */
void gpumm_cancel_enter (void);
void gpumm_cancel_leave (void);

#endif

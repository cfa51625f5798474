/* cancel.h - whether the products that are open are to stop.
 *
 * Nothing is interrupted: whoever works looks, at least every 0.1 s of work, and returns. A loop that
 * stopped leaves its result undefined, so the function that called it fails with
 * gpumm_check_cancelled () before anybody reads that result.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CANCEL_H
#define GPUMM_CANCEL_H

#include "gpumm.h"

#include <stdatomic.h>

/* Open jobs, counted in steps of 2; the lowest bit: they are cancelled. The last one to close takes
 * the bit away, so that a call of gpumm_cancel never reaches a product that begins after it. */
extern _Atomic unsigned gpumm_cancel_word;

/* The caller's flag, see gpumm_watch; never NULL. */
extern const volatile sig_atomic_t *_Atomic gpumm_cancel_flag;

/* Two loads: cheap enough for every few hundred operations of a loop. */
static inline int gpumm_is_cancelled (void) {
  return (atomic_load_explicit (&gpumm_cancel_word, memory_order_relaxed) & 1)
         || __atomic_load_n (atomic_load_explicit (&gpumm_cancel_flag, memory_order_relaxed),
                             __ATOMIC_RELAXED)
                > 0;
}

/* For loops whose steps take nanoseconds: looks in 16 of 1024 steps, so that a loop which goes on by
 * several at once, up to 16, does not step over them. */
static inline int gpumm_is_cancelled_at (int64_t step) {
  return (step & 1008) == 1008 && gpumm_is_cancelled ();
}

/* The same as a function, for drivers. */
int gpumm_cancelled (void);

/* GPUMM_CANCELLED with its text, or GPUMM_OK. */
gpumm_status gpumm_check_cancelled (void);

/* Around all that gpumm_cancel stops. */
void gpumm_cancel_enter (void);
void gpumm_cancel_leave (void);

#endif

/* progress.h - the part of a product that is done, for the caller's teller (gpumm_tell).
 *
 * An algorithm states its whole work once, in a unit of its own. Its threads add the work they have
 * done where they check the cancel flag. An algorithm that does not know its work states nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_PROGRESS_H
#define GPUMM_PROGRESS_H

#include "gpumm.h"

#include <stdatomic.h>

/* Not 0 while work is counted: the number of the run that counts it. */
extern _Atomic unsigned gpumm_progress_counted;

/* States the whole work of the phase. A phase within another one counts only if that one stated
 * nothing and does not end later. */
void gpumm_progress_of (double work);

/* Only for gpumm_progress_add. */
void gpumm_progress_count (double work);

/* Costs one load if nobody listens. Otherwise it adds to the thread's own sum (progress.c). */
static inline void gpumm_progress_add (double work) {
  if (atomic_load_explicit (&gpumm_progress_counted, memory_order_relaxed))
    gpumm_progress_count (work);
}

/* The same counted in launches, for the host device, which finishes a launch before the call
 * returns. Launches count only if the run stated its work by gpumm_progress_of_launches. */
void gpumm_progress_of_launches (double launches);
void gpumm_progress_launched (double fraction);

/* Called before and after a phase of a product, and between two attempts at it. The phase's work is
 * the part from..to of the whole, which began at the time begun (gpumm_seconds).
 * gpumm_progress_leave: was work stated? */
void gpumm_progress_enter (double begun, double from, double to);
void gpumm_progress_again (void);
int gpumm_progress_leave (void);

/* This thread reports no progress any more, because another thread reports that of the whole
 * product. */
void gpumm_progress_mute (void);

/* Seconds until the first word: GPUMM_TELL_AFTER, or less for tests. */
void gpumm_progress_set_delay (double seconds);

#endif

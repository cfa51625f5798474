/* progress.h - how much of a product is done, for a caller that tells it (gpumm_tell).
 *
 * An algorithm says once how much work it has, in a unit of its own, and whoever works adds what it has
 * done, where it looks at the cancel flag too. An algorithm that does not know its work says nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_PROGRESS_H
#define GPUMM_PROGRESS_H

#include "gpumm.h"

#include <stdatomic.h>

/* Not 0 while work is counted: the number of the run that counts it. */
extern _Atomic unsigned gpumm_progress_counted;

/* All the work of the run. A run within another counts where the other one has not said its own. */
void gpumm_progress_of (double work);

/* For gpumm_progress_add alone. */
void gpumm_progress_count (double work);

/* Where nobody is told: one load. Else a sum of the thread's own, shared a thousand times a run. */
static inline void gpumm_progress_add (double work) {
  if (atomic_load_explicit (&gpumm_progress_counted, memory_order_relaxed))
    gpumm_progress_count (work);
}

/* The same in launches of a device that runs them at once, the host device: they count where the run
 * said its work by gpumm_progress_of_launches. */
void gpumm_progress_of_launches (double launches);
void gpumm_progress_launched (double part);

/* Around a run, and between two attempts at it. */
void gpumm_progress_enter (void);
void gpumm_progress_again (void);
void gpumm_progress_leave (void);

/* Seconds until the first word: GPUMM_TELL_AFTER, or less for tests. */
void gpumm_progress_set_delay (double seconds);

#endif

/* threads.h - threads for the engine's own host code.
 *
 * One team of threads is made at first use and kept: waking it costs some 10 us where making
 * threads costs 25 us each. A child of fork () makes a team of its own. When the team is taken by
 * another caller, or threads cannot be had, the caller does the work alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_THREADS_H
#define GPUMM_THREADS_H

#include "gpumm.h"

/* Threads that may work at once: the cores this process may run on, at most 64. */
int gpumm_threads (void);

/* Calls work (context, worker) for worker = 0 .. count - 1 (count at most gpumm_threads ()) in
 * threads of their own, worker 0 in the caller, and returns when all that have begun have returned
 * or rest. Those that have not begun when worker 0 returns are not called: so work shares itself
 * out, and worker 0 returns when there is none left to begin. A thread that was woken onto a busy
 * core, or is taken from it, goes on milliseconds later, and nobody should wait for one that has
 * nothing to do. */
void gpumm_team (int count, void (*work) (void *context, int worker), void *context);

/* A worker but 0 that waits for something to do rests: until it resumes it touches nothing of the
 * context. Where resume gives 0 the team has gone on without it, and it must return at once. */
void gpumm_team_rest (int worker);
int gpumm_team_resume (int worker);

/* From worker 0: calls those that have returned to work again. */
void gpumm_team_recall (const void *context);

/* Calls body (context, begin, end) over pieces that cover 0 .. n - 1 once; pieces are at least
 * grain long but for the last. n <= grain runs in the caller. After a cancellation no more pieces
 * are handed out, and it returns GPUMM_CANCELLED: a body that may take longer than 0.1 s looks by
 * itself (cancel.h). */
gpumm_status gpumm_parallel (int64_t n, int64_t grain,
                             void (*body) (void *context, int64_t begin, int64_t end),
                             void *context) __attribute__ ((warn_unused_result));

#endif

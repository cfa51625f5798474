/* threads.h - threads for the engine's own host code.
 *
 * One team of threads is made at first use and kept: waking it costs some 10 us where making
 * threads costs 25 us each. A child of fork () makes a team of its own. When the team is taken by
 * another caller, or threads cannot be had, the caller does the work alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_THREADS_H
#define GPUMM_THREADS_H

#include <stdint.h>

/* Threads that may work at once: the cores this process may run on, at most 64. */
int gpumm_threads (void);

/* Calls work (context, worker) for worker = 0 .. count - 1 (count at most gpumm_threads ()) in
 * threads of their own, worker 0 in the caller, and returns when all have returned. Those that
 * have not begun when worker 0 returns are not called: so work shares itself out, and worker 0
 * returns when there is none left to begin. (A thread that was woken onto a busy core begins
 * milliseconds later.) Returns how many ran, at least 1. */
int gpumm_team (int count, void (*work) (void *context, int worker), void *context);

/* Calls body (context, begin, end) over pieces that cover 0 .. n - 1 once; pieces are at least
 * grain long but for the last. n <= grain runs in the caller. */
void gpumm_parallel (int64_t n, int64_t grain,
                     void (*body) (void *context, int64_t begin, int64_t end), void *context);

#endif

/* threads.h - threads for the engine's own host code.
 *
 * A team of threads is made at first use and kept: waking the team costs about 10 us, making a
 * thread 25 us. A forked child makes its own team. If another caller uses the team, or the system
 * gives no threads, the caller does the work alone. All callers use one team, unless they choose
 * others.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_THREADS_H
#define GPUMM_THREADS_H

#include "gpumm.h"

/* The number of threads that may work at once: the cores of this process, at most 64; or this
 * thread's share of them. */
int gpumm_threads (void);

/* The number of teams that share the cores with this thread's, itself included. */
int gpumm_teams (void);

/* This thread now works with team `team`, one of `teams` that share the cores; at first with (0,
 * 1). Only the work of team 0 counts for progress (progress.h). */
void gpumm_team_choose (int team, int teams);

/* Calls work (context, i) for i = 0 .. count - 1 at once: 0 in the caller, each other in a thread
 * with its own team and share of the cores, which reports no progress. What gets no thread is
 * called after 0; before 0, late (context, i) is called for it, unless late is NULL. */
enum { GPUMM_MOST_TEAMS = 64 };
void gpumm_each_team (int count, void (*work) (void *context, int i),
                      void (*late) (void *context, int i), void *context);

/* Calls work (context, worker) for worker = 0 .. count - 1 (at most gpumm_threads ()), worker 0 in
 * the caller, the others in threads. Returns when all started workers have returned or rest.
 * Workers that have not started when worker 0 returns are not called, because a thread on a busy
 * core may start milliseconds late. So worker 0 must return only when no work is left to begin. */
void gpumm_team (int count, void (*work) (void *context, int worker), void *context);

/* A worker other than 0 rests while it has nothing to do, and does not touch the context until it
 * resumes. If resume returns 0 the team has gone on without the worker, which must return at
 * once. */
void gpumm_team_rest (int worker);
int gpumm_team_resume (int worker);

/* Called by worker 0: starts workers that have returned again. */
void gpumm_team_recall (const void *context);

/* Calls body (context, begin, end) for pieces that cover 0 .. n - 1 once. Each piece but the last
 * is at least grain long; n <= grain runs in the caller. After a cancellation no more
 * pieces are handed out, and it returns GPUMM_CANCELLED. A body that may take longer than 0.1 s
 * checks the flag itself (cancel.h). */
gpumm_status gpumm_parallel (int64_t n, int64_t grain,
                             void (*body) (void *context, int64_t begin, int64_t end),
                             void *context) __attribute__ ((warn_unused_result));

/* The grain for columns of so many rows that are copied or looked at: 65536 elements, which take 20
 * to 50 us. */
static inline int64_t gpumm_column_grain (int64_t rows) {
  return (1 << 16) / (rows + 1) + 1;
}

#endif

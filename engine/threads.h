/* threads.h - a loop in parallel, for the engine's own host code.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_THREADS_H
#define GPUMM_THREADS_H

#include <stdint.h>

/* Threads that a parallel loop may use: the cores this process may run on, at most 64. */
int gpumm_threads (void);

/* Calls body (context, begin, end) over pieces that cover 0 .. n - 1 once, in threads that are
 * joined before it returns; pieces are at least grain long but for the last. n <= grain runs in
 * the caller. When threads cannot be had, the caller does their work too. */
void gpumm_parallel (int64_t n, int64_t grain,
                     void (*body) (void *context, int64_t begin, int64_t end), void *context);

#endif

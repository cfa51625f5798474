/* lessons.h - small kernels with known faults and known counts, for test_host.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_LESSONS_H
#define GPUMM_TESTS_LESSONS_H

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LESSON_THREADS = 64 };

/* y[i] = x[LESSON_THREADS - 1 - i] through shared memory, with and without the barrier. */
gpumm_status lesson_reverse (const double *x, double *y, int with_barrier);

/* Three blocks; in the second, threads from 5 on leave before a barrier, come to another one, or,
 * with how = 2, loop once less. */
enum { LEAVES, OTHER_BARRIER, FEWER_TURNS };
gpumm_status lesson_diverge (int how);

/* y[i] = the shared element i, which no thread has written. */
gpumm_status lesson_unwritten (double *y);

/* Asks for so much shared memory as no block has. */
gpumm_status lesson_too_much (void);

/* y[i] = a sum over a large array on the stack of each of 1024 threads, before and after a
 * barrier. */
gpumm_status lesson_stacks (double *y);

/* Writes element last of an array of 8 on each thread's stack, after a barrier. */
gpumm_status lesson_overrun (int last);

/* Writes a 32 x 32 tile along rows and reads it along columns, which are 32 or 33 floats apart. */
gpumm_status lesson_banks (float *y, int padded);

/* One warp reads 32 floats, stride apart, from the offset-th on, those below most. */
gpumm_status lesson_strided (const float *x, float *y, int stride, int offset, int most);

/* A launch of blocks x threads that does nothing. */
gpumm_status lesson_launch (int64_t blocks, int threads);

#ifdef __cplusplus
}
#endif
#endif

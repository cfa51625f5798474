/* fibers.h - runs a kernel on the host: the threads of a block are fibers, one runs at a time, and
 * a barrier switches to the next.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_HOST_FIBERS_H
#define GPUMM_HOST_FIBERS_H

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gpumm_index3 {
  unsigned x, y, z;
} gpumm_index3;

/* What threadIdx, blockIdx, blockDim and gridDim are in a kernel on the host. */
extern gpumm_index3 gpumm_host_thread, gpumm_host_block, gpumm_host_block_size,
    gpumm_host_grid_size;

/* Calls thread (arguments) for each thread of each block. kernel is its name, for errors. Blocks
 * run one after the other. Fails with a text when threads of a block come to different barriers,
 * or some leave while others wait. Only one may run at a time, so launchers call
 * gpumm_host_launch, driver.c's: the same, one after the other, and a call that can be made fail. */
gpumm_status gpumm_host_launch (const char *kernel, int64_t blocks, gpumm_index3 threads,
                                void (*thread) (const void *arguments), const void *arguments);
gpumm_status gpumm_host_run (const char *kernel, int64_t blocks, gpumm_index3 threads,
                             void (*thread) (const void *arguments), const void *arguments);

/* For a kernel's threads: __syncthreads () in that line of its source. */
void gpumm_host_barrier (int line);

/* For a kernel's threads: the block's next array in shared memory. Every thread of a block must
 * ask for the same arrays in the same order; the first to ask finds it full of NaN. */
void *gpumm_host_shared (size_t bytes);

/* Bytes of all arrays in shared memory of the block that ran last. */
int64_t gpumm_host_shared_bytes (void);

/* Gives back the stacks and the shared memory that are kept from run to run. */
void gpumm_host_run_reset (void);

/* ---- counting, count.c -------------------------------------------------------------------- */

extern int gpumm_host_counting; /* on? */
extern int64_t gpumm_host_operations, gpumm_host_barriers;

enum { GPUMM_LOAD, GPUMM_STORE, GPUMM_SHARED_LOAD, GPUMM_SHARED_STORE, GPUMM_ACCESS_KINDS };

/* A thread accesses bytes at p. The place it is called from tells the accesses of a kernel apart:
 * it must not be inlined, and what calls it must be. */
void gpumm_host_access (int kind, const void *p, unsigned bytes);

/* All threads of the block have come to a barrier or the end: make requests of the accesses. */
void gpumm_host_count_phase (void);

/* driver.c: the first byte of the device's allocation that holds p, or NULL. */
const char *gpumm_host_allocation (const void *p);

#ifdef __cplusplus
}
#endif
#endif

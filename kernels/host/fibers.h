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
 * run one after the other. Fails with a text if threads of a block reach different barriers, or
 * some end while others wait. Only one may run at a time, so launchers call gpumm_host_launch of
 * driver.c: it does the same under the device's lock, and tests can make it fail. */
gpumm_status gpumm_host_launch (const char *kernel, int device, gpumm_stream *stream,
                                int64_t blocks, gpumm_index3 threads,
                                void (*thread) (const void *arguments), const void *arguments);
gpumm_status gpumm_host_run (const char *kernel, int64_t blocks, gpumm_index3 threads,
                             void (*thread) (const void *arguments), const void *arguments);

/* For a kernel's threads: __syncthreads () at that line of the source. */
void gpumm_host_barrier (int line);

/* For a kernel's threads: the block's next array in shared memory. Every thread of a block must
 * ask for the same arrays in the same order; the first thread finds it full of NaN. */
void *gpumm_host_shared (size_t bytes, const char *name, int columns);

/* Sets first, array and columns of an access to shared memory. */
void gpumm_host_name_array (gpumm_record *access);

/* Bytes of shared memory that the last block used. */
int64_t gpumm_host_shared_bytes (void);

/* Frees the shared memory that is kept from run to run. */
void gpumm_host_run_reset (void);

/* ---- counting, count.c -------------------------------------------------------------------- */

extern int gpumm_host_counting; /* on? GPUMM_RECORD: records, too */
extern int64_t gpumm_host_operations, gpumm_host_barriers;

enum { GPUMM_LOAD, GPUMM_STORE, GPUMM_SHARED_LOAD, GPUMM_SHARED_STORE, GPUMM_ACCESS_KINDS };

/* A thread accesses bytes at p. The address of the call identifies the access within a kernel: this
 * function must not be inlined, and its caller must be. */
void gpumm_host_access (int kind, const void *p, unsigned bytes, int line);

/* All threads of the block have reached a barrier or the end: combines the accesses to requests. */
void gpumm_host_count_phase (void);

/* driver.c: the first byte of the device's allocation that contains p, or NULL. */
const char *gpumm_host_allocation (const void *p);

#ifdef __cplusplus
}
#endif
#endif

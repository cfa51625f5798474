/* pool.h - memory that outlives a call: blocks of devices and page-locked blocks of the host.
 *
 * cudaMalloc costs up to milliseconds and page-locking 0.4 s/GiB, so blocks are kept when
 * released and handed out again. A pool is bounded, and gpumm_pools_reset gives all back.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_POOL_H
#define GPUMM_MEMORY_POOL_H

#include "device.h"

typedef enum gpumm_pool_kind { GPUMM_POOL_DEVICE, GPUMM_POOL_PINNED } gpumm_pool_kind;

/* A block of at least bytes, or a failed status: GPUMM_DEVICE_MEMORY (GPUMM_HOST_MEMORY for
 * pinned) after everything kept has been given back and the driver was asked again. */
gpumm_status gpumm_pool_take (const gpumm_driver *driver, int device, gpumm_pool_kind kind,
                              size_t bytes, void **p);

/* Back into the pool; NULL is allowed. No work may be using it. */
void gpumm_pool_give (const gpumm_driver *driver, int device, gpumm_pool_kind kind, void *p);

/* Gives unused blocks of one device back until at most keep bytes of them are left. */
void gpumm_pool_trim (const gpumm_driver *driver, int device, gpumm_pool_kind kind, size_t keep);

/* What a request of bytes really takes. */
size_t gpumm_pool_rounded (size_t bytes);

/* Bytes that the pool holds of a device, used or not; of them unused. */
size_t gpumm_pool_bytes (const gpumm_driver *driver, int device, gpumm_pool_kind kind,
                         size_t *unused);

/* Bytes of device memory that a product may use where so many are free; limit is the caller's, 0: none. */
double gpumm_room (int64_t memory_free, int64_t limit);

/* The same where memory_free are free beside what the pool keeps. Under a limit the pool gives back
 * what it keeps, which may be in blocks of other sizes. */
double gpumm_pool_room (const gpumm_driver *driver, int device, int64_t memory_free, int64_t limit);

/* Gives back everything that is not in use. */
void gpumm_pools_reset (void);

/* A child of fork () must forget what it cannot give back. */
void gpumm_pools_forget (void);

#endif

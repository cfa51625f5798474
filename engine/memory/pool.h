/* pool.h - memory that outlives a call: blocks of devices and page-locked blocks of the host.
 *
 * cudaMalloc takes up to milliseconds and page-locking 0.4 s/GiB, so released blocks are kept and
 * handed out again. A pool is bounded, and gpumm_pools_reset releases all of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_POOL_H
#define GPUMM_MEMORY_POOL_H

#include "device.h"

typedef enum gpumm_pool_kind { GPUMM_POOL_DEVICE, GPUMM_POOL_PINNED } gpumm_pool_kind;

/* A block of at least this many bytes. Fails with GPUMM_DEVICE_MEMORY (pinned: GPUMM_HOST_MEMORY)
 * only after releasing all kept blocks and asking the driver again. */
gpumm_status gpumm_pool_take (const gpumm_driver *driver, int device, gpumm_pool_kind kind,
                              size_t bytes, void **p);

/* Gives a block back to the pool; NULL is allowed. No work may still use it. */
void gpumm_pool_give (const gpumm_driver *driver, int device, gpumm_pool_kind kind, void *p);

/* Releases unused blocks of a device until at most keep bytes of them are left. */
void gpumm_pool_trim (const gpumm_driver *driver, int device, gpumm_pool_kind kind, size_t keep);

/* The bytes that a request takes after rounding. */
size_t gpumm_pool_rounded (size_t bytes);

/* Bytes that the pool holds of a device, used or not; and the unused ones alone. */
size_t gpumm_pool_bytes (const gpumm_driver *driver, int device, gpumm_pool_kind kind,
                         size_t *unused);

/* Bytes of device memory that a product may use if memory_free are free; limit is the caller's, or
 * 0. */
double gpumm_room (int64_t memory_free, int64_t limit);

/* Releases all unused blocks. */
void gpumm_pools_reset (void);

/* A forked child must forget blocks that it cannot release. */
void gpumm_pools_forget (void);

#endif

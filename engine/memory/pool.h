/* pool.h - what outlives a call: blocks of devices, page-locked blocks of the host, streams and
 * events.
 *
 * cudaMalloc takes up to milliseconds, page-locking 0.4 s/GiB, and making a stream longer than a
 * small product, so what is released is kept and handed out again.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_POOL_H
#define GPUMM_MEMORY_POOL_H

#include "device/context.h"

/* AddressSanitizer sees an access past a block, or after its release, only if the block has the
 * size that was asked for and is not kept. The host device has done its work when a block is
 * given back. */
#ifdef __SANITIZE_ADDRESS__
enum { GPUMM_POOL_KEEPS = 0 };
#else
enum { GPUMM_POOL_KEEPS = 1 };
#endif

typedef enum gpumm_pool_kind { GPUMM_POOL_DEVICE, GPUMM_POOL_PINNED } gpumm_pool_kind;

/* A block of at least this many bytes. Fails with GPUMM_DEVICE_MEMORY (pinned: GPUMM_HOST_MEMORY)
 * only after releasing all kept blocks and asking the driver again. */
gpumm_status gpumm_pool_take (gpumm_context *context, gpumm_pool_kind kind, size_t bytes, void **p);

/* The same without waiting for work on arrays (queue.h), which may still use the block. */
gpumm_status gpumm_pool_take_in_order (gpumm_context *context, gpumm_pool_kind kind, size_t bytes,
                                       void **p);

/* Gives a block back to the pool; NULL is allowed. No work may still use it but work on arrays. */
void gpumm_pool_give (gpumm_context *context, gpumm_pool_kind kind, void *p);

/* Releases unused blocks of a device until at most keep bytes of them are left. */
void gpumm_pool_trim (gpumm_context *context, gpumm_pool_kind kind, size_t keep);

/* The bytes that a request takes after rounding. */
size_t gpumm_pool_rounded (size_t bytes);

/* Bytes that the pool holds of a device, used or not; and the unused ones alone. */
size_t gpumm_pool_bytes (gpumm_context *context, gpumm_pool_kind kind, size_t *unused);

/* Bytes of device memory that a product may use if memory_free are free; limit is the caller's, or
 * 0. */
double gpumm_room (int64_t memory_free, int64_t limit);

/* A kept stream or event, or a new one. Nothing is queued on a stream from here. */
gpumm_status gpumm_stream_take (gpumm_context *context, gpumm_stream **stream);
gpumm_status gpumm_event_take (gpumm_context *context, gpumm_event_kind kind, gpumm_event **event);

/* Gives it back; NULL is allowed. Queued work must have ended: synchronise first after a
 * failure. */
void gpumm_stream_give (gpumm_context *context, gpumm_stream *stream);
void gpumm_event_give (gpumm_context *context, gpumm_event_kind kind, gpumm_event *event);

/* Releases all of a device that is unused. */
void gpumm_pool_reset (gpumm_context *context);

/* A forked child must forget what it cannot release. */
void gpumm_pool_forget (gpumm_context *context);

#endif

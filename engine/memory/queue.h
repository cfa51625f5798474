/* queue.h - the array stream of a device, and who waits for it.
 *
 * The rule: work on arrays (gpumm_map_entries and the like) is queued on this one stream, and runs
 * in order. A buffer may be released while queued work still uses it, because the pool hands the
 * block to others only where it cannot do harm:
 *
 *   gpumm_buffer_new and workspace of arrays  at once: what follows on the stream comes later, and
 *                                             all other users of a buffer wait
 *   gpumm_pool_take, for everything else      after a wait; pinned memory at once: who gives it
 *                                             back has waited
 *   gpumm_pool_trim, gpumm_pool_reset         release memory after a wait
 *   gpumm_run_steps: copies and products      wait before they begin: their operands may be queued
 *
 * Where nothing is queued, a wait only looks at two numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_QUEUE_H
#define GPUMM_MEMORY_QUEUE_H

#include "device/context.h"

/* Begins a launch on the stream, which is made at first use. Where it succeeds, gpumm_queue_end
 * must follow: no other launch and no reset comes between. name is a constant, for errors. */
gpumm_status gpumm_queue_begin (gpumm_context *context, gpumm_stream **stream);
void gpumm_queue_end (gpumm_context *context, const char *name);

/* Waits for all that is queued. A failure is kept. */
void gpumm_queue_drain (gpumm_context *context);

/* The same, and reports a failure, once. */
gpumm_status gpumm_queue_wait (gpumm_context *context);

/* Reports a failure that was kept, once; does not wait. */
gpumm_status gpumm_queue_failure (gpumm_context *context);

/* Waits, drops what failed and destroys the stream. */
void gpumm_queue_reset (gpumm_context *context);

/* A forked child must forget what it cannot use. */
void gpumm_queue_forget (gpumm_context *context);

#endif

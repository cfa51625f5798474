/* handles.h - streams and events that outlive a call: making them costs more than a small product.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_HANDLES_H
#define GPUMM_MEMORY_HANDLES_H

#include "device.h"

/* A kept handle, or a new one. Nothing is queued on a stream from here. */
gpumm_status gpumm_stream_take (const gpumm_driver *driver, int device, gpumm_stream **stream);
gpumm_status gpumm_event_take (const gpumm_driver *driver, int device, gpumm_event **event);

/* Gives a handle back; NULL is allowed. Queued work must have ended: synchronise first after a
 * failure. */
void gpumm_stream_give (const gpumm_driver *driver, int device, gpumm_stream *stream);
void gpumm_event_give (const gpumm_driver *driver, int device, gpumm_event *event);

/* Destroys all kept handles; a forked child forgets them instead. */
void gpumm_handles_reset (void);
void gpumm_handles_forget (void);

#endif

/* handles.h - streams and events that outlive a call: making them costs more than a small product.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MEMORY_HANDLES_H
#define GPUMM_MEMORY_HANDLES_H

#include "device.h"

/* One of those kept, or a new one. Nothing is queued on a stream that comes from here. */
gpumm_status gpumm_stream_take (const gpumm_driver *driver, int device, gpumm_stream **stream);
gpumm_status gpumm_event_take (const gpumm_driver *driver, int device, gpumm_event **event);

/* Back; NULL is allowed. What was queued must have ended: after a failure synchronise first. */
void gpumm_stream_give (const gpumm_driver *driver, int device, gpumm_stream *stream);
void gpumm_event_give (const gpumm_driver *driver, int device, gpumm_event *event);

/* Destroys all that are kept; a child of fork () forgets them instead. */
void gpumm_handles_reset (void);
void gpumm_handles_forget (void);

#endif

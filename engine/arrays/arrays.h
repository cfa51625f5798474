/* arrays.h - what calls on arrays of a device share: checks of views, and the way to the array stream.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ARRAYS_H
#define GPUMM_ARRAYS_H

#include "context.h"

/* One call: the device of its arrays, which the first one decides. */
typedef struct gpumm_array_call {
  const char *name;
  gpumm_context *context;
} gpumm_array_call;

/* Do entries by strides lie in the buffer of x? writes: each has its own place, as far as stride 0 can
 * tell. Then the same without gaps. */
gpumm_status gpumm_check_view (gpumm_array_call *c, const gpumm_view *x, const int64_t *size,
                               int writes, const char *what);
gpumm_status gpumm_check_vector (gpumm_array_call *c, const gpumm_view *x, int64_t entries,
                                 const char *what);
/* The same, and the vector has this type; GPUMM_TYPES: any. */
gpumm_status gpumm_check_typed (gpumm_array_call *c, const gpumm_view *x, gpumm_type type,
                                int64_t entries, const char *what);

typedef gpumm_status gpumm_array_launch (gpumm_context *context, gpumm_stream *stream,
                                         const void *what, void *workspace);

/* Queues a launch with workspace, which may go back to the pool at once (memory/queue.h). */
gpumm_status gpumm_queue_launch (const gpumm_array_call *c, gpumm_array_launch *launch,
                                 const void *what, size_t bytes);

#endif

/* arrays.h - shared by calls on arrays of a device: checks of views, and the queue of the array stream.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ARRAYS_H
#define GPUMM_ARRAYS_H

#include "context.h"

/* One call, on the device of its first array. */
typedef struct gpumm_array_call {
  const char *name;
  gpumm_context *context;
} gpumm_array_call;

/* Checks that all entries of a view lie in its buffer. writes: also that no entry is repeated by a
 * stride of 0. A vector is a view without gaps. */
gpumm_status gpumm_check_view (gpumm_array_call *c, const gpumm_view *x, const int64_t *size,
                               int writes, const char *what);
gpumm_status gpumm_check_vector (gpumm_array_call *c, const gpumm_view *x, int64_t entries,
                                 const char *what);
/* Also checks the type of the vector; GPUMM_TYPES: any type. */
gpumm_status gpumm_check_typed (gpumm_array_call *c, const gpumm_view *x, gpumm_type type,
                                int64_t entries, const char *what);

typedef gpumm_status gpumm_array_launch (gpumm_context *context, gpumm_stream *stream,
                                         const void *what, void *workspace);

/* Queues a launch with workspace. The workspace may return to the pool at once (memory/queue.h). */
gpumm_status gpumm_queue_launch (const gpumm_array_call *c, gpumm_array_launch *launch,
                                 const void *what, size_t bytes);

#endif

/* calls.h - shared by calls on arrays of a device: checks of views, and the queue of the array
 * stream.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CALLS_H
#define GPUMM_CALLS_H

#include "device/context.h"

/* One call, on the device of its first array. */
typedef struct gpumm_array_call {
  const char *name;
  gpumm_context *context;
  gpumm_stream *stream; /* and workspace: between begin and end */
  void *workspace;
} gpumm_array_call;

/* Checks that all entries of a view lie in its buffer. writes: also that no two of them lie at one
 * place. A vector is a view without gaps. */
gpumm_status gpumm_check_view (gpumm_array_call *c, const gpumm_view *x, const int64_t *size,
                               int writes, const char *what);
gpumm_status gpumm_check_vector (gpumm_array_call *c, const gpumm_view *x, int64_t entries,
                                 const char *what);

/* Checks that what is written lies apart from another array. Both have been checked before. */
gpumm_status gpumm_check_apart (const gpumm_array_call *c, const gpumm_view *out,
                                const int64_t *size_out, const gpumm_view *other,
                                const int64_t *size, const char *what_out, const char *what);
gpumm_status gpumm_check_vectors_apart (const gpumm_array_call *c, const gpumm_view *out,
                                        int64_t entries_out, const gpumm_view *other,
                                        int64_t entries, const char *what_out, const char *what);

/* Begins a launch with workspace on the array stream. On success gpumm_array_end must follow. */
gpumm_status gpumm_array_begin (gpumm_array_call *c, size_t bytes);

/* Ends the launch, which returned launched, and returns that status with a text. The workspace may
 * return to the pool at once (memory/queue.h). */
gpumm_status gpumm_array_end (gpumm_array_call *c, gpumm_status launched);

#endif

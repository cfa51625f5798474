/* transfer.c - a full matrix to a device, back, and to another device.
 *
 * Entries move as they are: nothing is converted, transposed or launched. gpumm_copy returns when
 * the copy is there, after all work on arrays that is queued on its devices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/cancel.h"
#include "base/error.h"
#include "base/matrix.h"
#include "memory/buffer.h"
#include "memory/host.h"
#include "memory/pool.h"
#include "memory/queue.h"
#include "streaming.h"

#include <string.h>

/* Nothing is launched: the step only moves. */
static gpumm_status transfer (const gpumm_buffer *buffer, const gpumm_step *step) {
  const gpumm_stream_job job = {.context = buffer->context, .steps = step, .count = 1};
  gpumm_report report = {0};
  gpumm_cancel_enter ();
  const gpumm_status status = gpumm_run_steps (&job, &report);
  gpumm_cancel_leave ();
  return status;
}

/* Steps with streams and events of their own take longer than copies up to this. */
enum { FEW_BYTES = 64 << 10 };

/* Copies columns of `width` bytes. */
static void copy_columns (char *to, size_t ld_to, const char *from, size_t ld_from, size_t width,
                          int64_t columns) {
  for (int64_t j = 0; j < columns; j++)
    memcpy (to + (size_t) j * ld_to, from + (size_t) j * ld_from, width);
}

/* As work on arrays, through pinned memory, with one wait. The pool hands pinned memory to others
 * at once, so an upload waits, too. */
static gpumm_status copy_few (const gpumm_matrix *from, const gpumm_matrix *to) {
  gpumm_context *context = (to->buffer ? to : from)->buffer->context;
  const gpumm_driver *driver = context->driver;
  const size_t element = gpumm_type_bytes (from->type), width = (size_t) from->rows * element;
  const size_t ld_from = (size_t) from->ld * element, ld_to = (size_t) to->ld * element;
  const size_t columns = (size_t) from->cols;
  char *pinned;
  gpumm_stream *stream;
  gpumm_status status = gpumm_queue_failure (context);
  if (!status)
    status = gpumm_pool_take (context, GPUMM_POOL_PINNED, width * columns, (void **) &pinned);
  if (status)
    return status;
  if (to->buffer)
    copy_columns (pinned, width, from->values, ld_from, width, from->cols);
  status = gpumm_queue_begin (context, &stream);
  if (!status) {
    status = to->buffer ? driver->copy_up (context->device, stream, to->values, ld_to, pinned,
                                           width, width, columns)
                        : driver->copy_down (context->device, stream, pinned, width, from->values,
                                             ld_from, width, columns);
    if (status)
      gpumm_fail (status, "device %d: a copy failed: %s", context->device, driver->error_text ());
    gpumm_queue_end (context, "copy");
  }
  if (!status)
    status = gpumm_queue_wait (context);
  if (!status && from->buffer)
    copy_columns (to->values, ld_to, pinned, width, width, from->cols);
  gpumm_pool_give (context, GPUMM_POOL_PINNED, pinned);
  return status;
}

/* Straight to another device of the same driver. */
static gpumm_status copy_to_peer (const gpumm_matrix *from, const gpumm_matrix *to) {
  gpumm_context *here = to->buffer->context, *there = from->buffer->context;
  const size_t element = gpumm_type_bytes (from->type);
  gpumm_stream *stream;
  gpumm_status status = gpumm_queue_wait (there);
  if (!status)
    status = gpumm_queue_wait (here);
  if (!status)
    status = gpumm_stream_take (here, &stream);
  if (status)
    return status;
  status = here->driver->copy_peer (here->device, stream, to->values, (size_t) to->ld * element,
                                    there->device, from->values, (size_t) from->ld * element,
                                    (size_t) from->rows * element, (size_t) from->cols);
  const gpumm_status ended = here->driver->stream_synchronize (here->device, stream);
  status = status ? status : ended;
  if (status)
    gpumm_fail (status, "a copy from device %d to device %d failed: %s", there->device,
                here->device, here->driver->error_text ());
  gpumm_stream_give (here, stream);
  return status;
}

/* Through memory of the host. */
static gpumm_status copy_by_host (const gpumm_matrix *from, const gpumm_matrix *to) {
  gpumm_matrix between = *from;
  between.buffer = NULL;
  between.ld = from->rows;
  between.values = gpumm_allocate (from->rows * from->cols, gpumm_type_bytes (from->type));
  gpumm_status status = between.values ? gpumm_copy (from, &between) : GPUMM_HOST_MEMORY;
  if (!status)
    status = gpumm_copy (&between, to);
  gpumm_release (between.values);
  return status;
}

gpumm_status gpumm_copy (const gpumm_matrix *from, const gpumm_matrix *to) {
  if (!from || !to)
    return gpumm_fail (GPUMM_INVALID, "no matrix to copy, or none to copy to");
  gpumm_status status = gpumm_check_matrix (from, "the matrix to copy");
  if (!status)
    status = gpumm_check_matrix (to, "the copy");
  if (status)
    return status;
  if (from->format != GPUMM_FULL || to->format != GPUMM_FULL || from->type != to->type
      || from->rows != to->rows || from->cols != to->cols || (!from->buffer && !to->buffer)
      || (from->buffer && to->buffer && from->buffer->context == to->buffer->context))
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "only between host and device, or two devices, and of one type and size, "
                       "are full matrices copied");
  if (from->rows == 0 || from->cols == 0)
    return GPUMM_OK;
  if (from->buffer && to->buffer)
    return from->buffer->context->driver == to->buffer->context->driver
                   && to->buffer->context->driver->copy_peer
               ? copy_to_peer (from, to)
               : copy_by_host (from, to);
  if ((double) from->rows * (double) from->cols * (double) gpumm_type_bytes (from->type)
      <= FEW_BYTES)
    return copy_few (from, to);
  const gpumm_panel panel = {.from = from->values,
                             .to = to->values,
                             .rows = from->rows,
                             .cols = from->cols,
                             .ld_from = from->ld,
                             .ld_to = to->ld,
                             .element = gpumm_type_bytes (from->type)};
  gpumm_step step = {.after_launch = -1, .after_download = -1};
  if (to->buffer)
    step.up[step.ups++] = panel;
  else
    step.down[step.downs++] = panel;
  return transfer (to->buffer ? to->buffer : from->buffer, &step);
}

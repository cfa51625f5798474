/* transfer.c - a full matrix to a device, and back.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cancel.h"
#include "error.h"
#include "matrix.h"
#include "memory/buffer.h"
#include "streaming.h"

/* Nothing is launched: the step only moves. */
static gpumm_status transfer (const gpumm_buffer *buffer, const gpumm_step *step) {
  const gpumm_stream_job job = {.context = buffer->context, .steps = step, .count = 1};
  gpumm_report report = {0};
  gpumm_cancel_enter ();
  const gpumm_status status = gpumm_run_steps (&job, &report);
  gpumm_cancel_leave ();
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
  if (from->format != GPUMM_DENSE || to->format != GPUMM_DENSE || from->type != to->type
      || from->rows != to->rows || from->cols != to->cols || !from->buffer == !to->buffer)
    return gpumm_fail (GPUMM_UNSUPPORTED, "only between host and device, and of one type and size, "
                                          "are full matrices copied");
  if (from->rows == 0 || from->cols == 0)
    return GPUMM_OK;
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

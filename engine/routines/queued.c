/* queued.c - routines of BLAS and LAPACK, and looks at their numbers, queued on the array stream.
 *
 * Nothing here waits, and nothing knows where operands came from or go to: brought.c copies them
 * from and to host memory. On the host device the CPU's library computes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "queued.h"
#include "arrays/calls.h"
#include "base/error.h"
#include "base/types.h"
#include "gpumm_elementwise.h"
#include "gpumm_folds.h"

gpumm_status gpumm_call_space (gpumm_context *context, const gpumm_call *call, size_t *bytes) {
  const gpumm_driver *driver = context->driver;
  *bytes = 0;
  const gpumm_status status =
      driver->call_bytes ? driver->call_bytes (context->device, call, bytes) : GPUMM_OK;
  return status ? gpumm_fail (status, "%s", driver->error_text ()) : GPUMM_OK;
}

gpumm_status gpumm_queue_call (gpumm_context *context, const gpumm_call *call, size_t bytes,
                               int32_t *info) {
  const gpumm_driver *driver = context->driver;
  gpumm_array_call queued = {.name = gpumm_routine_name (call->routine, call->type),
                             .context = context};
  gpumm_status status = gpumm_array_begin (&queued, bytes);
  if (status)
    return status;
  if (driver->call)
    return gpumm_array_end (&queued, driver->call (context->device, queued.stream, call,
                                                   queued.workspace, bytes, info));
  status = gpumm_call_on_host (call, info);
  gpumm_array_end (&queued, GPUMM_OK); /* which would say what the device says */
  return status;
}

gpumm_status gpumm_queue_fold (gpumm_fold_op op, const gpumm_matrix *x, char part,
                               const gpumm_matrix *to) {
  const int64_t parts = gpumm_is_complex (x->type) ? 2 : 1;
  const gpumm_type real = gpumm_is_single (x->type) ? GPUMM_S : GPUMM_D;
  gpumm_map map = {.domain = real,
                   .size = {parts, x->rows, x->cols, 1},
                   .inputs = 3,
                   .input = {{real, x->buffer, x->values, {1, parts, parts * x->ld}},
                             {.type = GPUMM_I64, .stride = {0, 1, 0}},  /* the row */
                             {.type = GPUMM_I64, .stride = {0, 0, 1}}}, /* the column */
                   .steps = 3,
                   .step = {{.op = GPUMM_MAP_PUSH, .source = 1},
                            {.op = part == 'U' ? GPUMM_MAP_LE : GPUMM_MAP_GE, .source = 2},
                            {.op = GPUMM_MAP_MASK, .source = GPUMM_MAP_POP, .swapped = 1}}};
  if (part == 'A') { /* parts are rows */
    map.inputs = 1, map.steps = 0;
    map.size[0] = parts * x->rows, map.size[1] = x->cols, map.size[2] = 1;
    map.input[0].stride[1] = parts * x->ld;
  }
  map.step[map.steps] = (gpumm_map_step){.op = GPUMM_MAP_ABS};
  map.steps += op == GPUMM_FOLD_LARGEST;
  return gpumm_operation_run (&(gpumm_operation){
      .name = "fold",
      .fold = op,
      .map = map,
      .inner = 1,
      .count = parts * x->rows * x->cols,
      .outer = 1,
      .result = {{.type = to->type, .buffer = to->buffer, .values = to->values}}});
}

/* trace.c - one kernel of the table under the microscope: run in one piece, then counted.
 *
 * Unlike in dense.c the product is not cut into overlapping tiles and panels, so that a reader sees
 * what the kernel does with all of A, B and C. It runs twice: once for the time, and once with
 * counting, which is a hundred times slower.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"
#include "error.h"
#include "memory/handles.h"
#include "move/streaming.h"
#include "memory/pool.h"
#include "tiles.h"
#include "types.h"

enum { A, B, C, WORKSPACE, PARTS };

/* One product that lies entirely on the device. */
typedef struct {
  const gpumm_plan *plan;
  void *memory[PARTS];
  gpumm_product product;
  gpumm_step step;
} stage;

static gpumm_status driver_failed (const gpumm_plan *plan, gpumm_status status, const char *what) {
  return status ? gpumm_fail (status, "%s failed on device %d: %s", what, plan->device,
                              plan->driver->error_text ())
                : GPUMM_OK;
}

static gpumm_status take (stage *s, int part, size_t bytes) {
  return gpumm_pool_take (s->plan->driver, s->plan->device, GPUMM_POOL_DEVICE,
                          bytes > 0 ? bytes : 1, &s->memory[part]);
}

/* Takes device memory for the operand; the panel uploads it. */
static gpumm_status take_operand (stage *s, int part, const gpumm_operand *x, gpumm_panel *panel) {
  size_t element = gpumm_type_bytes (x->type);
  *panel = (gpumm_panel){.from = x->values,
                         .rows = x->rows,
                         .cols = x->cols,
                         .ld_from = x->ld,
                         .ld_to = gpumm_device_ld (x->rows, element),
                         .element = element};
  gpumm_status status = take (s, part, (size_t) panel->ld_to * (size_t) x->cols * element);
  panel->to = s->memory[part];
  return status;
}

/* The only step: A and B up, the product, C down. */
static gpumm_status set_up (stage *s, const gpumm_problem *p, const gpumm_operand *result) {
  const gpumm_kernel *kernel = s->plan->kernel;
  gpumm_device_properties properties;
  gpumm_panel up[2], c;
  gpumm_status status = take_operand (s, A, &p->a, &up[A]);
  if (!status)
    status = take_operand (s, B, &p->b, &up[B]);
  if (!status)
    status = take_operand (s, C, result, &c);
  if (!status)
    status = driver_failed (s->plan, s->plan->driver->properties (s->plan->device, &properties),
                            "reading the properties");
  if (status)
    return status;
  s->step = (gpumm_step){.after_launch = -1, .after_download = -1};
  for (int i = A; i <= B; i++)
    if (up[i].rows > 0 && up[i].cols > 0)
      s->step.up[s->step.ups++] = up[i];
  gpumm_product *product = &s->product;
  *product = (gpumm_product){.type = p->output,
                             .op_a = p->op_a,
                             .op_b = p->op_b,
                             .m = result->rows,
                             .n = result->cols,
                             .k = gpumm_k (p),
                             .lda = up[A].ld_to,
                             .ldb = up[B].ld_to,
                             .ldc = c.ld_to,
                             .alpha = p->alpha,
                             .beta = {0, 0}};
  s->step.task = product;
  s->step.down[0] = (gpumm_panel){.from = c.to,
                                  .to = result->values,
                                  .rows = c.rows,
                                  .cols = c.cols,
                                  .ld_from = c.ld_to,
                                  .ld_to = result->ld,
                                  .element = c.element};
  s->step.downs = 1;
  if (kernel->workspace)
    product->workspace_bytes = kernel->workspace (product, &properties);
  if (product->workspace_bytes > 0)
    status = take (s, WORKSPACE, product->workspace_bytes);
  product->a = s->memory[A];
  product->b = s->memory[B];
  product->c = s->memory[C];
  product->workspace = s->memory[WORKSPACE];
  return status;
}

gpumm_status gpumm_trace_launches (const struct gpumm_job *job, gpumm_launches *launches) {
  const gpumm_plan *plan = &job->plan;
  if (!plan->driver->launched)
    return GPUMM_OK;
  return driver_failed (plan, plan->driver->launched (plan->device, launches), "watching launches");
}

static gpumm_status read_counts (const gpumm_plan *plan, void *const memory[], gpumm_trace *trace) {
  gpumm_counts *counts[PARTS] = {&trace->a, &trace->b, &trace->c, &trace->workspace};
  gpumm_status status = plan->driver->counts (NULL, &trace->all);
  for (int i = 0; i < PARTS && !status; i++)
    if (memory[i])
      status = plan->driver->counts (memory[i], counts[i]);
  trace->counted = !status;
  return driver_failed (plan, status, "counting");
}

gpumm_status gpumm_trace_count (const struct gpumm_job *job, gpumm_counted_launch *launch,
                                const void *context, void *const memory[]) {
  const gpumm_plan *plan = &job->plan;
  const gpumm_driver *driver = plan->driver;
  gpumm_stream *stream = NULL;
  if (!driver->count_accesses || !driver->counts)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "device %d does not count what a kernel does; the CPU's host device does",
                       plan->device);
  gpumm_status status = gpumm_stream_take (driver, plan->device, &stream);
  if (status)
    return status;
  driver->count_accesses (1);
  status = driver_failed (plan, launch (job, context, stream), "a counted kernel");
  if (!status)
    status = driver_failed (plan, driver->stream_synchronize (plan->device, stream),
                            "waiting for a counted kernel");
  if (!status)
    status = read_counts (plan, memory, job->trace);
  driver->count_accesses (0);
  gpumm_stream_give (driver, plan->device, stream);
  return status;
}

/* Runs the product again, counted. */
static gpumm_status launch_again (const struct gpumm_job *job, const void *product,
                                  gpumm_stream *stream) {
  return job->plan.kernel->launch (job->plan.device, stream, product);
}

gpumm_status gpumm_trace_kernel (struct gpumm_job *job, gpumm_operand *result) {
  const gpumm_plan *plan = &job->plan;
  stage s = {.plan = plan};
  gpumm_launches before;
  gpumm_stream_job stream = {.driver = plan->driver,
                             .device = plan->device,
                             .steps = &s.step,
                             .count = 1,
                             .launch = gpumm_launch_product,
                             .context = plan->kernel,
                             .waits = plan->kernel->waits};
  gpumm_status status = set_up (&s, &job->problem, result);
  if (!status)
    status = gpumm_trace_launches (job, &before);
  if (!status && result->rows > 0 && result->cols > 0)
    status = gpumm_run_steps (&stream, &job->report);
  if (!status)
    status = gpumm_trace_launches (job, &job->trace->launched);
  if (!status && job->count)
    status = gpumm_trace_count (job, launch_again, &s.product, s.memory);
  for (int i = 0; i < PARTS; i++)
    gpumm_pool_give (plan->driver, plan->device, GPUMM_POOL_DEVICE, s.memory[i]);
  gpumm_pool_trim (plan->driver, plan->device, GPUMM_POOL_DEVICE, (size_t) plan->keep_bytes);
  return status;
}

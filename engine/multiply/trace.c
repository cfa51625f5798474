/* trace.c - one kernel of the table under the microscope: run in one piece, then counted.
 *
 * Unlike in dense.c the product is not cut into overlapping tiles and panels, so that a reader sees
 * what the kernel does with all of A, B and C. It runs twice: once for the time, and once with
 * counting, which is a hundred times slower.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pass.h"
#include "error.h"
#include "memory/pool.h"
#include "tiles.h"
#include "types.h"
#include "work.h"

enum { A, B, C, WORKSPACE, PARTS };

/* One product that lies entirely on the device. */
typedef struct {
  gpumm_pass pass; /* of its memory */
  void *memory[PARTS];
  gpumm_product product;
  gpumm_step step;
} stage;

static gpumm_status driver_failed (const gpumm_plan *plan, gpumm_status status, const char *what) {
  return status ? gpumm_fail (status, "%s failed on device %d: %s", what, plan->context->device,
                              plan->context->driver->error_text ())
                : GPUMM_OK;
}

/* x on its way to memory that is taken for it. */
static gpumm_panel bring (stage *s, int part, const gpumm_matrix *x) {
  const size_t element = gpumm_type_bytes (x->type);
  const int64_t ld = gpumm_device_ld (x->rows, element);
  s->memory[part] = gpumm_pass_take (&s->pass, ld * x->cols, element);
  return (gpumm_panel){.from = x->values,
                       .to = s->memory[part],
                       .rows = x->rows,
                       .cols = x->cols,
                       .ld_from = x->ld,
                       .ld_to = ld,
                       .element = element};
}

/* The only step: A and B up, the product, C down. */
static gpumm_status set_up (stage *s, const struct gpumm_job *job, const gpumm_matrix *result) {
  const gpumm_problem *p = &job->problem;
  const gpumm_kernel *kernel = job->plan.kernel;
  const gpumm_panel a = bring (s, A, &p->a), b = bring (s, B, &p->b), c = bring (s, C, result);
  gpumm_product *product = &s->product;
  s->step = (gpumm_step){.after_launch = -1, .after_download = -1, .task = product};
  gpumm_add_upload (&s->step, a);
  gpumm_add_upload (&s->step, b);
  gpumm_add_download (&s->step, gpumm_turned (c));
  *product = gpumm_product_of (p);
  product->a = a.to;
  product->lda = a.ld_to;
  product->b = b.to;
  product->ldb = b.ld_to;
  product->c = c.to;
  product->ldc = c.ld_to;
  if (kernel->workspace)
    product->workspace_bytes = kernel->workspace (product, &s->pass.device);
  if (product->workspace_bytes > 0)
    product->workspace = s->memory[WORKSPACE] =
        gpumm_pass_take (&s->pass, (int64_t) product->workspace_bytes, 1);
  return s->pass.status;
}

gpumm_status gpumm_trace_launches (const struct gpumm_job *job, gpumm_launches *launches) {
  const gpumm_plan *plan = &job->plan;
  if (!plan->context->driver->launched)
    return GPUMM_OK;
  return driver_failed (plan, plan->context->driver->launched (plan->context->device, launches),
                        "watching launches");
}

static gpumm_status read_counts (const gpumm_plan *plan, void *const memory[], gpumm_trace *trace) {
  gpumm_counts *counts[PARTS] = {&trace->a, &trace->b, &trace->c, &trace->workspace};
  gpumm_status status = plan->context->driver->counts (NULL, &trace->all);
  for (int i = 0; i < PARTS && !status; i++)
    if (memory[i])
      status = plan->context->driver->counts (memory[i], counts[i]);
  trace->counted = !status;
  return driver_failed (plan, status, "counting");
}

gpumm_status gpumm_trace_count (const struct gpumm_job *job, gpumm_counted_launch *launch,
                                const void *context, void *const memory[]) {
  const gpumm_plan *plan = &job->plan;
  const gpumm_driver *driver = plan->context->driver;
  gpumm_stream *stream = NULL;
  if (!driver->count_accesses || !driver->counts)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "device %d does not count what a kernel does; the CPU's host device does",
                       plan->context->device);
  gpumm_status status = gpumm_stream_take (plan->context, &stream);
  if (status)
    return status;
  driver->count_accesses (1);
  status = driver_failed (plan, launch (job, context, stream), "a counted kernel");
  /* also after a failure: no work may be queued on a stream that is given back */
  const gpumm_status waited = driver->stream_synchronize (plan->context->device, stream);
  if (!status)
    status = driver_failed (plan, waited, "waiting for a counted kernel");
  if (!status)
    status = read_counts (plan, memory, job->trace);
  driver->count_accesses (0);
  gpumm_stream_give (plan->context, stream);
  return status;
}

/* Runs the product again, counted. */
static gpumm_status launch_again (const struct gpumm_job *job, const void *product,
                                  gpumm_stream *stream) {
  return job->plan.kernel->launch (job->plan.context->device, stream, product);
}

gpumm_status gpumm_trace_kernel (struct gpumm_job *job, gpumm_matrix *result) {
  const gpumm_plan *plan = &job->plan;
  stage s = {.step = {.ups = 0}};
  gpumm_launches before;
  gpumm_stream_job stream = {.steps = &s.step,
                             .count = 1,
                             .launch = gpumm_launch_product,
                             .kernel = plan->kernel,
                             .waits = plan->kernel->waits};
  gpumm_pass_open (&s.pass, job, "traced product");
  gpumm_status status = set_up (&s, job, result);
  if (!status)
    status = gpumm_trace_launches (job, &before);
  if (!status && result->rows > 0 && result->cols > 0)
    status = gpumm_pass_stream (&s.pass, &stream, NULL, 0);
  if (!status)
    status = gpumm_trace_launches (job, &job->trace->launched);
  if (!status && job->count)
    status = gpumm_trace_count (job, launch_again, &s.product, s.memory);
  gpumm_pass_close (&s.pass);
  return status;
}

/* pass.c - a product on a device: memory, kernel, steps.
 *
 * It knows kernels only as rows of the driver's table, and takes the one with the least estimated
 * time. The algorithm says what goes up and down (pass.h); move/streaming.c decides when it is
 * copied.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pass.h"
#include "base/error.h"
#include "base/types.h"
#include "memory/pool.h"
#include "memory/queue.h"

#include <math.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------- */

void gpumm_pass_open (gpumm_pass *s, struct gpumm_job *job, const char *what) {
  const gpumm_plan *plan = &job->plan;
  const int64_t limit = job->options.max_device_memory;
  s->job = job;
  s->what = what;
  s->device = plan->properties;
  s->room = gpumm_room (s->device.memory_free, limit);
  s->device.memory_free = (int64_t) s->room;
  /* kept blocks count too, and have other sizes */
  const size_t held = gpumm_pool_bytes (plan->context, GPUMM_POOL_DEVICE, NULL);
  const int64_t needs = plan->device_bytes > 0 ? plan->device_bytes : limit;
  if (limit > 0 && needs > limit - (int64_t) held)
    gpumm_pool_trim (plan->context, GPUMM_POOL_DEVICE, 0);
}

void gpumm_pass_close (gpumm_pass *s) {
  const gpumm_plan *plan = s->job ? &s->job->plan : NULL;
  if (s->pinned) {
    if (s->job->counted) /* it may still be written to */
      gpumm_queue_drain (plan->context);
    gpumm_pool_give (plan->context, GPUMM_POOL_PINNED, s->pinned);
  }
  for (int i = 0; i < s->count; i++)
    gpumm_pool_give (plan->context, GPUMM_POOL_DEVICE, s->taken[i]);
  if (plan && !s->queues)
    gpumm_pool_trim (plan->context, GPUMM_POOL_DEVICE, (size_t) plan->keep_bytes);
}

/* Queued work frees memory later, so only the pool knows whether there is room for it. */
static int has_room (const gpumm_pass *s, size_t bytes) {
  return s->queues || (double) gpumm_pool_rounded (bytes) <= (double) s->device.memory_free;
}

static gpumm_status fail_room (gpumm_pass *s) {
  s->status =
      gpumm_fail (GPUMM_DEVICE_MEMORY, "a %s needs more device memory than %.0f bytes%s", s->what,
                  s->room, s->job->options.max_device_memory > 0 ? ", MaxDeviceMemory given" : "");
  return s->status;
}

void *gpumm_pass_take (gpumm_pass *s, int64_t count, size_t element) {
  const gpumm_plan *plan = &s->job->plan;
  const size_t bytes = (size_t) count * element;
  void *p = NULL;
  if (!s->status && !has_room (s, bytes))
    fail_room (s);
  if (!s->status)
    s->status = (s->queues ? gpumm_pool_take_in_order
                           : gpumm_pool_take) (plan->context, GPUMM_POOL_DEVICE, bytes, &p);
  if (s->status)
    return NULL;
  s->taken[s->count++] = p;
  s->device.memory_free -= (int64_t) gpumm_pool_rounded (bytes);
  return p;
}

/* ---- the kernel --------------------------------------------------------------------------- */

const gpumm_sparse_kernel *gpumm_next_sparse_kernel (const gpumm_driver *driver, const char *name,
                                                     int capability,
                                                     const gpumm_sparse_kernel *last) {
  const gpumm_sparse_kernel *const *row = driver->sparse_kernels;
  while (last && *row++ != last)
    ;
  for (; row && *row; row++)
    if ((strcmp ((*row)->algorithm, name) == 0 || strcmp ((*row)->name, name) == 0)
        && (*row)->capability <= capability)
      return *row;
  return NULL;
}

gpumm_status gpumm_pass_choose (gpumm_pass *s, gpumm_describe *describe) {
  const gpumm_plan *plan = &s->job->plan;
  const char *name = plan->sparse_kernel ? plan->sparse_kernel->name : plan->algorithm->name;
  const int most = s->job->options.max_capability;
  const int capability = most > 0 && most < s->device.capability ? most : s->device.capability;
  const gpumm_sparse_kernel *k = NULL;
  gpumm_sparse_product p = s->product;
  double best = INFINITY;
  int without_room = 0;
  while (!s->status
         && (k = gpumm_next_sparse_kernel (plan->context->driver, name, capability, k))) {
    if (describe)
      describe (s, k, &p);
    if (k->runs && !k->runs (&p, &s->device))
      continue;
    const size_t bytes = k->workspace ? k->workspace (&p, &s->device) : 0;
    const double seconds = k->seconds ? k->seconds (&s->product, &s->device) : INFINITY;
    if (bytes > 0 && !has_room (s, bytes))
      without_room = 1;
    else if (seconds <= best) {
      best = seconds;
      s->kernel = k;
      s->launch = p;
      s->product.workspace_bytes = bytes;
    }
  }
  if (!s->status && !s->kernel && without_room)
    return fail_room (s);
  if (!s->status && !s->kernel)
    s->status =
        gpumm_fail (GPUMM_UNSUPPORTED, "no kernel of \"%s\" makes this %s on %s%s", name, s->what,
                    s->device.name, most > 0 ? " under the given MaxCapability" : "");
  if (s->product.workspace_bytes > 0)
    s->product.workspace = gpumm_pass_take (s, (int64_t) s->product.workspace_bytes, 1);
  return s->status;
}

/* ---- steps -------------------------------------------------------------------------------- */

int64_t gpumm_launch_count (double seconds) {
  static const double LAUNCH_SECONDS = 0.02, MOST = 4096;
  return (int64_t) fmin (seconds / LAUNCH_SECONDS, MOST) + 1;
}

gpumm_steps gpumm_make_steps (gpumm_pass *s, int64_t count) {
  gpumm_steps steps = {.count = count};
  if (s->status)
    return steps;
  steps.step = gpumm_allocate (count, sizeof *steps.step);
  steps.task = steps.step ? gpumm_allocate (count, sizeof *steps.task) : NULL;
  if (!steps.task) {
    s->status = GPUMM_HOST_MEMORY;
    return steps;
  }
  for (int64_t i = 0; i < count; i++) {
    steps.task[i].p = s->product;
    steps.step[i] = (gpumm_step){.task = &steps.task[i], .after_launch = -1, .after_download = -1};
  }
  return steps;
}

void gpumm_release_steps (gpumm_steps *steps) {
  gpumm_release (steps->step);
  gpumm_release (steps->task);
}

/* Counts; the first launch also sets the first offset and the flag for zeros to 0, and the last one
 * makes the offsets. */
static gpumm_status count_rows (const gpumm_stream_job *job, gpumm_sparse_product *p,
                                gpumm_stream *stream) {
  const gpumm_sparse_kernel *kernel = job->kernel;
  const gpumm_driver *driver = job->context->driver;
  const int device = job->context->device;
  gpumm_status status = GPUMM_OK;
  if (!p->prepared)
    status = driver->fill (device, stream, p->c.start, 0, sizeof *p->c.start);
  if (!p->prepared && !status)
    status = driver->fill (device, stream, p->zero, 0, sizeof *p->zero);
  if (!status)
    status = kernel->symbolic (device, stream, p);
  if (status || p->row + p->count < p->c.rows || !kernel->offsets)
    return status;
  p->count += p->row; /* offsets belong to all rows */
  p->row = 0;
  return kernel->offsets (device, stream, p);
}

static gpumm_status launch_pass (const gpumm_stream_job *job, const void *task, gpumm_piece whole,
                                 gpumm_stream *stream, char *note) {
  (void) whole;
  const gpumm_sparse_kernel *kernel = job->kernel;
  const gpumm_task *t = task;
  gpumm_sparse_product p = t->p;
  p.note = note;
  p.prepared = task != job->steps[0].task;
  gpumm_status status =
      t->counts ? count_rows (job, &p, stream) : kernel->launch (job->context->device, stream, &p);
  if (status && !p.c.start)
    return gpumm_fail (status, "kernel %s failed on a panel of %lld x %lld: %s", kernel->name,
                       (long long) p.c.rows, (long long) p.c.cols,
                       job->context->driver->error_text ());
  return status ? gpumm_fail (status, "kernel %s failed on rows %lld to %lld of %lld: %s",
                              kernel->name, (long long) p.row, (long long) (p.row + p.count),
                              (long long) p.c.rows, job->context->driver->error_text ())
                : GPUMM_OK;
}

gpumm_status gpumm_pass_stream (gpumm_pass *s, gpumm_stream_job *stream, const gpumm_matrix *c,
                                int64_t entries) {
  const gpumm_plan *plan = &s->job->plan;
  if (s->status)
    return s->status;
  stream->context = plan->context;
  if (c && c->format != GPUMM_FULL) {
    stream->fresh[0].begin = c->values;
    stream->fresh[0].bytes = (size_t) entries * gpumm_entry_bytes (c);
    stream->fresh[1].begin = c->index;
    stream->fresh[1].bytes = (size_t) entries * gpumm_index_bytes (c);
  } else if (c && c->ld == c->rows) { /* gaps between columns belong to the caller */
    stream->fresh[0].begin = c->values;
    stream->fresh[0].bytes = (size_t) c->rows * (size_t) c->cols * gpumm_type_bytes (c->type);
  }
  s->status = s->job->trace ? gpumm_trace_steps (s->job, stream, s->traced)
                            : gpumm_run_steps (stream, &s->job->report);
  return s->status;
}

gpumm_status gpumm_pass_run (gpumm_pass *s, const gpumm_steps *steps, const gpumm_matrix *c,
                             int64_t entries) {
  if (s->status)
    return s->status;
  gpumm_stream_job stream = {.steps = steps->step,
                             .count = steps->count,
                             .launch = launch_pass,
                             .kernel = s->kernel,
                             .waits = s->kernel->waits};
  return gpumm_pass_stream (s, &stream, c, entries);
}

gpumm_form gpumm_form_of (gpumm_type from, gpumm_type to) {
  return from == GPUMM_B ? GPUMM_LOGICAL : from == to ? GPUMM_AS_IT_IS : GPUMM_REAL;
}

gpumm_form gpumm_index_form (const gpumm_matrix *x) {
  return x->format == GPUMM_BLOCKS ? GPUMM_AS_IT_IS : GPUMM_INDEX;
}

void gpumm_add_upload (gpumm_step *step, gpumm_panel panel) {
  if (panel.rows > 0 && panel.cols > 0)
    step->up[step->ups++] = panel;
}

void gpumm_add_download (gpumm_step *step, gpumm_panel panel) {
  if (panel.rows > 0 && panel.cols > 0)
    step->down[step->downs++] = panel;
}

static gpumm_panel vector (const void *from, void *to, int64_t count, size_t element,
                           gpumm_form form) {
  return (gpumm_panel){.from = from,
                       .to = to,
                       .rows = count,
                       .cols = 1,
                       .ld_from = count,
                       .ld_to = count,
                       .element = element,
                       .form = form};
}

void gpumm_send (gpumm_step *step, const void *from, void *to, int64_t count, size_t element,
                 gpumm_form form) {
  gpumm_add_upload (step, vector (from, to, count, element, form));
}

void gpumm_fetch (gpumm_step *step, const void *from, void *to, int64_t count, size_t element,
                  gpumm_form form) {
  gpumm_add_download (step, vector (from, to, count, element, form));
}

gpumm_panel gpumm_turned (gpumm_panel up) {
  gpumm_panel down = up;
  down.from = up.to;
  down.to = (void *) (uintptr_t) up.from;
  down.ld_from = up.ld_to;
  down.ld_to = up.ld_from;
  return down;
}

gpumm_device_matrix gpumm_device_matrix_of (const gpumm_matrix *x, int reads) {
  const int in_blocks = x->format == GPUMM_BLOCKS;
  return (gpumm_device_matrix){.rows = gpumm_line_count (x),
                               .cols = gpumm_line_length (x),
                               .block_rows = in_blocks ? x->block_rows : 1,
                               .block_cols = in_blocks ? x->block_cols : 1,
                               .stored = reads ? gpumm_entries (x) : 0};
}

gpumm_op gpumm_op_by_rows (const gpumm_matrix *x) {
  return x->format == GPUMM_BLOCKS ? x->op : gpumm_is_turned (x) ? GPUMM_NONE : GPUMM_TRANSPOSE;
}

void gpumm_set_types (gpumm_sparse_product *p, const gpumm_matrix *a, const gpumm_matrix *b,
                      gpumm_type type_c) {
  p->type_a = gpumm_is_integer (a->type) ? a->type : type_c;
  p->type_b = gpumm_is_integer (b->type) ? b->type : type_c;
  p->type_c = type_c;
  p->real_a = !gpumm_is_complex (a->type);
  p->real_b = !gpumm_is_complex (b->type);
}

double gpumm_compressed_flops (const gpumm_pass *s, double pairs) {
  const gpumm_device_matrix *a = &s->product.a;
  return gpumm_flops_each (&s->job->problem) * pairs * (double) (a->block_rows * a->block_cols)
         * (double) s->product.c.block_cols;
}

static double compressed_bytes (const gpumm_matrix *x) {
  return (double) (gpumm_line_count (x) + 1) * sizeof *x->start
         + (double) gpumm_entries (x) * (double) (sizeof (int32_t) + gpumm_entry_bytes (x));
}

double gpumm_compressed_bytes (const gpumm_problem *p) {
  return compressed_bytes (&p->a) + (gpumm_is_one_array (p) ? 0 : compressed_bytes (&p->b));
}

void gpumm_bring_structure (gpumm_step *step, const gpumm_matrix *x,
                            const gpumm_device_matrix *to) {
  gpumm_send (step, x->start, to->start, to->rows + 1, sizeof *x->start, GPUMM_AS_IT_IS);
  gpumm_send (step, x->index, to->column, to->stored, gpumm_index_bytes (x), gpumm_index_form (x));
}

void gpumm_bring_values (gpumm_step *step, const gpumm_matrix *x, const gpumm_device_matrix *to,
                         gpumm_type type) {
  gpumm_send (step, x->values, to->values, to->stored * to->block_rows * to->block_cols,
              gpumm_type_bytes (x->type), gpumm_form_of (x->type, type));
}

/* resident.c - products of sparse matrices, and of matrices in blocks, that lie in buffers of a
 * device: kernels of the table of sparse kernels, queued on the array stream.
 *
 * A matrix by compressed columns is the transpose of a matrix by rows in blocks of 1 x 1. So of
 * sparse matrices C' = op (B)' op (A)' by rows is computed. Nothing waits: the number of C's
 * entries goes to page-locked memory, and who needs it waits for the array stream
 * (gpumm_job_wait). Only a product that does not queue waits after each phase, to time it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "resident.h"
#include "arrays/calls.h"
#include "base/clock.h"
#include "base/types.h"
#include "gpumm_elementwise.h"
#include "memory/buffer.h"
#include "memory/pool.h"
#include "memory/queue.h"

#include <stdio.h>

typedef struct {
  gpumm_pass pass;              /* first: gpumm_rows_close finds it */
  const gpumm_matrix *lines[2]; /* of the product's A and B */
  int conjugates[2];            /* their elements */
  gpumm_map maps[3];            /* queued before the kernel: conversions, a copy */
  int map_count;
  void *scan;       /* workspace that makes offsets of counts */
  int64_t *lengths; /* of the rows of B that A's entries meet, summed up */
} product;

/* Page-locked: the number of C's entries, and of products of entries. */
enum { ENTRIES, PAIRS, COUNTS };

static void open_pass (product *s, struct gpumm_job *job, const char *what) {
  gpumm_pass_open (&s->pass, job, what);
  s->pass.queues = 1;
  s->pass.product.alpha = job->problem.alpha;
  s->pass.product.beta = job->problem.beta;
}

/* Queues work, and waits for it if the product is timed. */
static gpumm_status queue (product *s, gpumm_status (*launch) (const product *, gpumm_stream *)) {
  struct gpumm_job *job = s->pass.job;
  gpumm_context *context = job->plan.context;
  const int waits = !job->problem.queues;
  gpumm_array_call call = {.name = s->pass.what, .context = context};
  gpumm_status status = waits ? gpumm_queue_wait (context) : GPUMM_OK;
  const double began = waits ? gpumm_seconds () : 0;
  if (!status)
    status = gpumm_array_begin (&call, 0);
  if (status)
    return status;
  status = gpumm_array_end (&call, launch (s, call.stream));
  if (status)
    return status;
  if (waits)
    status = gpumm_queue_wait (context);
  job->report.compute += waits ? gpumm_seconds () - began : 0;
  return status;
}

/* ---- operands ----------------------------------------------------------------------------- */

/* Adds a map of rows x cols elements, ld apart, to memory without gaps. */
static void add_map (product *s, const void *from, gpumm_type type, int64_t rows, int64_t cols,
                     int64_t ld, int conjugates, void *to, gpumm_type type_there) {
  gpumm_map *m = &s->maps[s->map_count++];
  *m =
      (gpumm_map){.domain = gpumm_is_float (type_there) ? type_there : GPUMM_D,
                  .size = {rows, cols, 1, 1},
                  .inputs = 1,
                  .input = {{.type = type, .values = (void *) (uintptr_t) from, .stride = {1, ld}}},
                  .steps = conjugates,
                  .step = {{.op = GPUMM_MAP_CONJ}},
                  .output = {.type = type_there, .values = to, .stride = {1, rows}}};
}

/* The elements of x in this type, perhaps conjugated: as they lie, or in memory of the pass. */
static void *elements_of (product *s, const gpumm_matrix *x, gpumm_type type, int conjugates) {
  const int is_full = x->format == GPUMM_FULL;
  const int64_t rows = is_full ? x->rows : gpumm_entries (x) * gpumm_entry_elements (x),
                cols = is_full ? x->cols : 1;
  if (x->type == type && !conjugates)
    return x->values;
  void *to = gpumm_pass_take (&s->pass, rows * cols, gpumm_type_bytes (type));
  if (to && rows > 0 && cols > 0)
    add_map (s, x->values, x->type, rows, cols, is_full ? x->ld : rows, conjugates, to, type);
  return to;
}

/* The compressed lines of x as rows, without elements. */
static gpumm_device_matrix rows_of (const gpumm_matrix *x) {
  gpumm_device_matrix rows = gpumm_device_matrix_of (x, 1);
  rows.start = x->start;
  rows.column = x->block_column;
  return rows;
}

static gpumm_status run_maps (const product *s, gpumm_stream *stream) {
  const gpumm_context *context = s->pass.job->plan.context;
  gpumm_status status = GPUMM_OK;
  for (int i = 0; i < s->map_count && !status; i++)
    status = context->driver->map (context->device, stream, &s->maps[i]);
  return status;
}

/* ---- C sparse or in blocks: open ---------------------------------------------------------- */

/* Makes op (X) the product's A (0) or B (1). */
static gpumm_device_matrix take_lines (product *s, int i, const gpumm_matrix *x) {
  const int is_turned = gpumm_is_turned (x);
  s->lines[i] = is_turned ? x->transpose : x;
  s->conjugates[i] = x->op == GPUMM_CTRANSPOSE && gpumm_is_complex (x->type);
  return rows_of (s->lines[i]);
}

/* The work that sums up lengths to offsets, for the counted rows of C; and that measures the rows
 * of B that A's entries meet. */
static gpumm_sparse_work offsets_of (const product *s) {
  const gpumm_device_matrix *c = &s->pass.product.c;
  return (gpumm_sparse_work){.op = GPUMM_SPARSE_OFFSETS, .c = {.cols = c->rows, .start = c->start}};
}

static gpumm_sparse_work lengths_of (const product *s) {
  const gpumm_device_matrix *a = &s->pass.product.a, *b = &s->pass.product.b;
  return (gpumm_sparse_work){.op = GPUMM_SPARSE_LENGTHS,
                             .a = {.cols = b->rows, .start = b->start},
                             .which = {.type = GPUMM_I32, .values = a->column},
                             .c = {.cols = a->stored, .start = s->lengths}};
}

static gpumm_status count (const product *s, gpumm_stream *stream) {
  const gpumm_context *context = s->pass.job->plan.context;
  const gpumm_driver *driver = context->driver;
  const gpumm_sparse_kernel *kernel = s->pass.kernel;
  const gpumm_sparse_product *p = &s->pass.product;
  const gpumm_sparse_work offsets = offsets_of (s), lengths = lengths_of (s);
  const int device = context->device;
  int64_t *counts = s->pass.pinned;
  gpumm_status status = driver->fill (device, stream, p->c.start, 0, sizeof *p->c.start);
  if (!status)
    status = kernel->symbolic (device, stream, p);
  if (!status)
    status = kernel->offsets ? kernel->offsets (device, stream, p)
                             : driver->sparse (device, stream, &offsets, s->scan);
  if (!status)
    status =
        driver->copy_down (device, stream, &counts[ENTRIES], 8, p->c.start + p->c.rows, 8, 8, 1);
  if (status || !s->lengths)
    return status;
  status = driver->sparse (device, stream, &lengths, s->scan);
  return status ? status
                : driver->copy_down (device, stream, &counts[PAIRS], 8, s->lengths + p->a.stored, 8,
                                     8, 1);
}

/* Memory for the count: C's offsets, and where the product is timed the lengths. */
static void take_memory (product *s) {
  gpumm_pass *pass = &s->pass;
  const gpumm_driver *driver = pass->job->plan.context->driver;
  gpumm_sparse_product *p = &pass->product;
  gpumm_buffer *start = pass->job->problem.start;
  p->c.start = start ? gpumm_buffer_address (start)
                     : gpumm_pass_take (pass, p->c.rows + 1, sizeof *p->c.start);
  gpumm_pass_choose (pass, NULL);
  if (!pass->job->problem.queues)
    s->lengths = gpumm_pass_take (pass, p->a.stored + 1, sizeof *s->lengths);
  const gpumm_sparse_work offsets = offsets_of (s), lengths = lengths_of (s);
  size_t bytes = driver->sparse_bytes (&offsets);
  if (s->lengths && driver->sparse_bytes (&lengths) > bytes)
    bytes = driver->sparse_bytes (&lengths);
  s->scan = gpumm_pass_take (pass, (int64_t) bytes, 1);
  if (!pass->status)
    pass->status = gpumm_pool_take (pass->job->plan.context, GPUMM_POOL_PINNED,
                                    COUNTS * sizeof (int64_t), &pass->pinned);
}

gpumm_status gpumm_resident_open (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  const int in_blocks = p->a.format == GPUMM_BLOCKS;
  const gpumm_matrix *a = in_blocks ? &p->a : &p->b, *b = in_blocks ? &p->b : &p->a;
  product *s = gpumm_new_state (job, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  open_pass (s, job, in_blocks ? "product of blocks" : "sparse product");
  gpumm_sparse_product *there = &s->pass.product;
  gpumm_set_types (there, a, b, p->output);
  there->a = take_lines (s, 0, a);
  there->b = take_lines (s, 1, b);
  there->c = gpumm_device_matrix_of (&job->shape, 0);
  there->count = there->c.rows;
  job->shape.nzmax = 0;
  if (there->c.rows == 0 || there->c.cols == 0 || there->a.stored == 0 || there->b.stored == 0
      || gpumm_is_zero (p->alpha))
    return GPUMM_OK;
  /* how many they are if spread evenly: enough to choose the kernel */
  there->pairs =
      (int64_t) ((double) there->a.stored * (double) there->b.stored / (double) there->b.rows);
  take_memory (s);
  if (s->pass.status)
    return s->pass.status;
  snprintf (job->report.kernel, sizeof job->report.kernel, "%s", s->pass.kernel->name);
  job->counted = s->pass.pinned;
  return queue (s, count);
}

/* ---- C sparse or in blocks: run ----------------------------------------------------------- */

static gpumm_status clear_zero (const product *s, gpumm_stream *stream) {
  const gpumm_context *context = s->pass.job->plan.context;
  int32_t *zero = s->pass.product.zero;
  return zero ? context->driver->fill (context->device, stream, zero, 0, sizeof *zero) : GPUMM_OK;
}

static gpumm_status clear (const product *s, gpumm_stream *stream) {
  const gpumm_context *context = s->pass.job->plan.context;
  const gpumm_device_matrix *c = &s->pass.product.c;
  const gpumm_status status = clear_zero (s, stream);
  return status ? status
                : context->driver->fill (context->device, stream, c->start, 0,
                                         (size_t) (c->rows + 1) * sizeof *c->start);
}

static gpumm_status multiply (const product *s, gpumm_stream *stream) {
  gpumm_status status = clear_zero (s, stream);
  if (!status)
    status = run_maps (s, stream);
  return status
             ? status
             : s->pass.kernel->launch (s->pass.job->plan.context->device, stream, &s->pass.product);
}

gpumm_status gpumm_resident_run (struct gpumm_job *job, gpumm_matrix *result) {
  product *s = job->state;
  gpumm_sparse_product *p = &s->pass.product;
  const int64_t *counts = s->pass.pinned;
  p->zero = gpumm_buffer_address (result->zero);
  if (job->shape.nzmax == 0) {
    p->c.start = result->start;
    return queue (s, clear);
  }
  p->a.values = elements_of (s, s->lines[0], p->type_a, s->conjugates[0]);
  p->b.values = elements_of (s, s->lines[1], p->type_b, s->conjugates[1]);
  if (result->start != p->c.start)
    add_map (s, p->c.start, GPUMM_I64, p->c.rows + 1, 1, 0, 0, result->start, GPUMM_I64);
  p->c.column = result->block_column;
  p->c.values = result->values;
  p->c.stored = job->shape.nzmax;
  if (!job->problem.queues)
    job->report.flops = gpumm_compressed_flops (&s->pass, (double) counts[PAIRS]);
  return s->pass.status ? s->pass.status : queue (s, multiply);
}

/* ---- C full ------------------------------------------------------------------------------- */

/* A full matrix as the kernels take it; type: of its elements there. */
static gpumm_device_matrix full_of (product *s, const gpumm_matrix *x, gpumm_type type) {
  gpumm_device_matrix y = {.rows = x->rows,
                           .cols = x->cols,
                           .block_rows = 1,
                           .block_cols = 1,
                           .values = elements_of (s, x, type, 0)};
  y.ld = y.values == x->values ? x->ld : x->rows;
  return y;
}

/* Kernels with the compressed operand on the left need its rows: of a sparse A those of its
 * transpose. */
static const gpumm_matrix *take_rows (const gpumm_matrix *x, int left, gpumm_op *op) {
  *op = gpumm_op_by_rows (x);
  if (!left || *op == GPUMM_NONE || !x->transpose)
    return x;
  *op = GPUMM_NONE;
  return x->transpose;
}

gpumm_status gpumm_resident_run_full (struct gpumm_job *job, gpumm_matrix *result) {
  const gpumm_problem *problem = &job->problem;
  const int left = problem->a.format != GPUMM_FULL;
  const gpumm_matrix *x = left ? &problem->a : &problem->b, *y = left ? &problem->b : &problem->a;
  product s = {0};
  gpumm_op op;
  if (result->rows == 0 || result->cols == 0)
    return GPUMM_OK;
  open_pass (&s, job, "product of a sparse and a full matrix");
  gpumm_sparse_product *p = &s.pass.product;
  gpumm_set_types (p, &problem->a, &problem->b, problem->output);
  const gpumm_matrix *lines = take_rows (x, left, &op);
  gpumm_device_matrix rows = rows_of (lines);
  rows.values = elements_of (&s, lines, p->type_c, 0);
  p->a = left ? rows : full_of (&s, y, p->type_c);
  p->b = left ? full_of (&s, y, p->type_c) : rows;
  p->c = full_of (&s, result, p->type_c);
  p->op_a = left ? op : y->op;
  p->op_b = left ? y->op : op;
  p->conjugated = x->op == GPUMM_CTRANSPOSE && op != GPUMM_CTRANSPOSE;
  p->count = !left ? result->rows : op == GPUMM_NONE ? rows.rows : rows.cols;
  job->report.flops = gpumm_flops_each (problem) * (double) rows.stored
                      * (double) gpumm_entry_elements (x)
                      * (double) (left ? result->cols : result->rows);
  gpumm_pass_choose (&s.pass, NULL);
  if (!s.pass.status) {
    snprintf (job->report.kernel, sizeof job->report.kernel, "%s", s.pass.kernel->name);
    job->writes = 1;
    s.pass.status = queue (&s, multiply);
  }
  gpumm_pass_close (&s.pass);
  return s.pass.status;
}

/* spgemm.c - sparse times sparse by a kernel of the table of sparse kernels.
 *
 * Octave stores columns and the kernels take rows. The columns of a matrix are the rows of its
 * transpose, so C' = op (B)' op (A)' needs no conversion. A row on the device is a column here.
 *
 * gpumm_open uploads both operands and counts the elements that C can have, and where each column
 * begins. gpumm_run multiplies in chunks of columns and downloads each chunk while the next is
 * computed, so the device holds only a few chunks of C. The host drops elements that turn out to be
 * zero, usually few.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cancel.h"
#include "clock.h"
#include "error.h"
#include "memory/host.h"
#include "memory/limit.h"
#include "move/streaming.h"
#include "memory/pool.h"
#include "progress.h"
#include "threads.h"
#include "types.h"
#include "algorithm.h"
#include "compressed.h"
#include "sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Chunk buffers: one is computed, one waits, two are downloaded. C is cut into about 32 chunks,
 * because the first and the last overlap with nothing. */
static const struct {
  int64_t buffers, parts, smallest, largest; /* the latter two in bytes of a chunk */
} chunks = {4, 32, 4 << 20, 128 << 20};

/* Products per second and multiprocessor, counted and computed, on an H200 (132 of them): a half to
 * a fifth of what most matrices reach (bench/results/h200/spgemm.csv). A launch cannot be revoked,
 * so it has at most LAUNCH_SECONDS at these rates; even a tenfold slower kernel is then cancelled
 * within 0.1 s. */
static const double COUNT_RATE = 1e11 / 132, MAKE_RATE = 5e10 / 132, LAUNCH_SECONDS = 0.01;

/* The pool rounds blocks up by less than this. */
enum { ROUNDED = 2 << 20 };

/* The state from gpumm_open to gpumm_close. */
typedef struct {
  const gpumm_sparse_kernel *kernel;
  gpumm_owner memory; /* owns what follows */
  gpumm_operand a, b; /* op (A), op (B) by columns */
  int64_t *start;     /* n + 1: where each column of C begins if no element is zero */
  void *blocks[3];    /* of device memory: operands, workspace, chunks */
  int block_count;
  char *next;             /* the unused rest of the latest block */
  double device_bytes;    /* in them */
  gpumm_sparse_product p; /* the whole product, on the device; C without elements */
  double products;
  gpumm_device_properties device;
  double room;         /* bytes of device memory that may be used in all */
  gpumm_report report; /* of gpumm_open's part */
} state;

static int64_t most (int64_t x, int64_t y) {
  return x > y ? x : y;
}

/* ---- device memory ------------------------------------------------------------------------ */

static size_t in_lines (int64_t count, size_t element) {
  return ((size_t) count * element + 255) / 256 * 256;
}

static gpumm_status take (struct gpumm_job *job, size_t bytes) {
  state *s = job->state;
  void *block = NULL;
  const double rounded = (double) gpumm_pool_rounded (bytes);
  if (s->device_bytes + rounded > s->room)
    return gpumm_fail (GPUMM_DEVICE_MEMORY,
                       "a sparse product needs more device memory than %.0f bytes%s", s->room,
                       job->options.max_device_memory > 0 ? ", MaxDeviceMemory given" : "");
  gpumm_status status =
      gpumm_pool_take (job->plan.driver, job->plan.device, GPUMM_POOL_DEVICE, bytes, &block);
  if (status)
    return status;
  s->blocks[s->block_count++] = s->next = block;
  s->device_bytes += rounded;
  return GPUMM_OK;
}

/* The next piece of the latest block. */
static void *hand_out (state *s, int64_t count, size_t element) {
  void *p = s->next;
  s->next += in_lines (count, element);
  return p;
}

static gpumm_status find_room (struct gpumm_job *job) {
  state *s = job->state;
  const gpumm_plan *plan = &job->plan;
  gpumm_status status = plan->driver->properties (plan->device, &s->device);
  if (status)
    return gpumm_fail (status, "device %d does not answer: %s", plan->device,
                       plan->driver->error_text ());
  s->room = gpumm_pool_room (plan->driver, plan->device, s->device.memory_free,
                             job->options.max_device_memory);
  return GPUMM_OK;
}

/* ---- operands ----------------------------------------------------------------------------- */

/* op (X) by columns. A logical matrix stays logical if it goes up as doubles. */
static gpumm_status by_columns (state *s, const gpumm_operand *x, gpumm_op op, gpumm_type output,
                                gpumm_operand *out) {
  if (op != GPUMM_NONE || (x->type == GPUMM_B && output == GPUMM_Z))
    return gpumm_sparse_by_columns (&s->memory, x, op, out);
  *out = *x;
  return GPUMM_OK;
}

/* A panel that uploads a vector. */
static void add_upload (gpumm_step *step, const void *from, void *to, int64_t count, size_t element,
                        gpumm_form form) {
  if (count > 0)
    step->up[step->ups++] = (gpumm_panel){.from = from,
                                          .to = to,
                                          .rows = count,
                                          .cols = 1,
                                          .ld_from = count,
                                          .ld_to = count,
                                          .element = element,
                                          .form = form};
}

/* Bytes of x on the device. */
static size_t bytes_there (const gpumm_operand *x, gpumm_type type) {
  const int64_t nnz = x->column[x->cols];
  return in_lines (x->cols + 1, sizeof (int64_t)) + in_lines (nnz, sizeof (int32_t))
         + in_lines (nnz, gpumm_type_bytes (type));
}

/* Takes device memory for x and adds its uploads; its columns are the rows on the device. */
static gpumm_rows bring (state *s, const gpumm_operand *x, gpumm_type type, gpumm_step *step) {
  const int64_t nnz = x->column[x->cols];
  gpumm_rows rows = {.rows = x->cols, .cols = x->rows, .block_rows = 1, .block_cols = 1};
  rows.start = hand_out (s, x->cols + 1, sizeof *rows.start);
  rows.column = hand_out (s, nnz, sizeof *rows.column);
  rows.values = hand_out (s, nnz, gpumm_type_bytes (type));
  add_upload (step, x->column, rows.start, x->cols + 1, sizeof *x->column, GPUMM_AS_IT_IS);
  add_upload (step, x->row, rows.column, nnz, sizeof *x->row, GPUMM_INDEX);
  add_upload (step, x->values, rows.values, nnz, gpumm_type_bytes (x->type),
              x->type == GPUMM_B ? GPUMM_LOGICAL
              : x->type == type  ? GPUMM_AS_IT_IS
                                 : GPUMM_REAL);
  return rows;
}

/* ---- launching ---------------------------------------------------------------------------- */

typedef struct {
  gpumm_sparse_product p;
  int counting;    /* the symbolic phase */
  int first, last; /* of its launches */
} task;

static gpumm_status launch (const gpumm_stream_job *job, const void *what, gpumm_part whole,
                            gpumm_stream *stream, char *note) {
  (void) whole;
  const gpumm_sparse_kernel *kernel = job->context;
  const task *t = what;
  gpumm_sparse_product p = t->p;
  gpumm_status status = GPUMM_OK;
  p.note = note;
  if (t->counting) {
    if (t->first) {
      status = job->driver->fill (job->device, stream, p.c.start, 0, sizeof *p.c.start);
      if (!status)
        status = job->driver->fill (job->device, stream, p.zero, 0, sizeof *p.zero);
    }
    if (!status)
      status = kernel->symbolic (job->device, stream, &p);
    p.count += p.row; /* offsets belong to all rows */
    p.row = 0;
    if (!status && t->last && kernel->offsets)
      status = kernel->offsets (job->device, stream, &p);
  } else
    status = kernel->launch (job->device, stream, &p);
  return status ? gpumm_fail (status, "kernel %s failed on rows %lld to %lld of %lld: %s",
                              kernel->name, (long long) p.row, (long long) (p.row + p.count),
                              (long long) p.a.rows, job->driver->error_text ())
                : GPUMM_OK;
}

static gpumm_status run_steps (struct gpumm_job *job, const gpumm_step *steps, int64_t count,
                               gpumm_operand *fresh, gpumm_report *report) {
  const state *s = job->state;
  gpumm_stream_job stream = {.driver = job->plan.driver,
                             .device = job->plan.device,
                             .steps = steps,
                             .count = count,
                             .launch = launch,
                             .context = s->kernel};
  if (fresh) {
    stream.fresh[0].begin = fresh->row;
    stream.fresh[0].bytes = (size_t) s->start[fresh->cols] * sizeof *fresh->row;
    stream.fresh[1].begin = fresh->values;
    stream.fresh[1].bytes = (size_t) s->start[fresh->cols] * gpumm_type_bytes (fresh->type);
  }
  return gpumm_run_steps (&stream, report);
}

/* ---- open --------------------------------------------------------------------------------- */

static gpumm_status choose_kernel (struct gpumm_job *job) {
  state *s = job->state;
  const gpumm_device_properties *device = &s->device;
  const gpumm_driver *driver = job->plan.driver;
  gpumm_status status = GPUMM_OK;
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row && !s->kernel; row++)
    if ((job->plan.sparse_kernel ? *row == job->plan.sparse_kernel
                                 : strcmp ((*row)->algorithm, "spgemm") == 0)
        && (*row)->capability <= device->capability
        && (!job->options.max_capability || (*row)->capability <= job->options.max_capability)
        && (!(*row)->runs || (*row)->runs (&s->p, device)))
      s->kernel = *row;
  if (!s->kernel)
    return gpumm_fail (GPUMM_UNSUPPORTED, "no kernel multiplies these sparse matrices on %s%s",
                       device->name,
                       job->options.max_capability ? " under the given MaxCapability" : "");
  s->p.workspace_bytes = s->kernel->workspace ? s->kernel->workspace (&s->p, device) : 0;
  if (s->p.workspace_bytes > 0)
    status = take (job, s->p.workspace_bytes);
  if (!status && s->p.workspace_bytes > 0)
    s->p.workspace = hand_out (s, (int64_t) s->p.workspace_bytes, 1);
  return status;
}

/* The number of launches for this many products at a rate. */
static int64_t launches (const state *s, double rate) {
  enum { MOST_LAUNCHES = 4096 };
  const double seconds = s->products / (rate * s->device.multiprocessors);
  return (int64_t) fmin (seconds / LAUNCH_SECONDS, MOST_LAUNCHES) + 1;
}

/* On the host device each step is one launch (spgemm_merge). */
static void tell_launches (const struct gpumm_job *job, int64_t count) {
  if (job->plan.backend == GPUMM_CPU)
    gpumm_progress_of_launches ((double) count);
}

/* The symbolic phase in steps of about equally many elements of op (B). The first step uploads the
 * operands, the last downloads the offsets. */
static gpumm_status count_rows (struct gpumm_job *job, gpumm_step first) {
  state *s = job->state;
  const int64_t n = job->shape.cols, *column = s->b.column;
  const int64_t pieces = launches (s, COUNT_RATE);
  int64_t count = 0;
  gpumm_step *steps = gpumm_allocate (pieces, sizeof *steps);
  task *tasks = steps ? gpumm_allocate (pieces, sizeof *tasks) : NULL;
  if (!tasks) {
    gpumm_release (steps);
    return GPUMM_HOST_MEMORY;
  }
  for (int64_t row = 0; row < n || count == 0; count++) {
    const double wanted = (double) column[n] * (double) (count + 1) / (double) pieces;
    task *t = &tasks[count];
    *t = (task){.p = s->p, .counting = 1, .first = count == 0};
    t->p.row = row;
    while (row < n && (count + 1 == pieces || (double) column[row] < wanted || row == t->p.row))
      row++;
    t->p.count = row - t->p.row;
    steps[count] = count == 0 ? first : (gpumm_step){.after_launch = -1, .after_download = -1};
    steps[count].task = t;
    steps[count].seconds = s->products / (COUNT_RATE * s->device.multiprocessors)
                           * (double) t->p.count / (double) (n > 0 ? n : 1);
  }
  tasks[count - 1].last = 1;
  steps[count - 1].down[0] = (gpumm_panel){.from = s->p.c.start,
                                           .to = s->start,
                                           .rows = n + 1,
                                           .cols = 1,
                                           .ld_from = n + 1,
                                           .ld_to = n + 1,
                                           .element = sizeof *s->start};
  steps[count - 1].downs = 1;
  tell_launches (job, count);
  gpumm_status status = run_steps (job, steps, count, NULL, &s->report);
  gpumm_release (steps);
  gpumm_release (tasks);
  return status;
}

/* Uploads the operands and counts. */
static gpumm_status count (struct gpumm_job *job) {
  state *s = job->state;
  const int64_t n = job->shape.cols;
  gpumm_sparse_product *p = &s->p;
  gpumm_step step = {.after_launch = -1, .after_download = -1};
  s->start = gpumm_own (&s->memory, n + 1, sizeof *s->start);
  if (!s->start)
    return GPUMM_HOST_MEMORY;
  gpumm_status status = find_room (job);
  if (status)
    return status;
  *p = (gpumm_sparse_product){.type_a = job->shape.type,
                              .type_b = job->shape.type,
                              .type_c = job->shape.type,
                              .count = n,
                              .alpha = job->problem.alpha,
                              .real_a = s->b.type != GPUMM_Z,
                              .real_b = s->a.type != GPUMM_Z};
  const gpumm_type type = job->shape.type;
  const int same = gpumm_is_same_sparse (&s->a, &s->b);
  /* one more place than offsets: were zeros found? */
  status = take (job, bytes_there (&s->b, type) + (same ? 0 : bytes_there (&s->a, type))
                          + in_lines (n + 2, sizeof *p->c.start));
  if (status)
    return status;
  p->a = bring (s, &s->b, type, &step); /* exchanged: C' = op (B)' op (A)' */
  p->b = same ? p->a : bring (s, &s->a, type, &step);
  p->c = (gpumm_rows){.rows = n, .cols = job->shape.rows, .block_rows = 1, .block_cols = 1};
  p->c.start = hand_out (s, n + 2, sizeof *p->c.start);
  p->zero = (int32_t *) (p->c.start + n + 1);
  status = choose_kernel (job);
  if (status)
    return status;
  status = count_rows (job, step);
  for (int64_t j = 0; j < n && !status && !s->kernel->offsets; j++)
    s->start[j + 1] += s->start[j];
  return status;
}

/* Refuses a C that memory cannot hold before counting, which may take minutes. A column of C has at
 * least as many elements as the longest column of op (A) in its sum. */
static gpumm_status check_room (const struct gpumm_job *job) {
  const state *s = job->state;
  const int64_t *a = s->a.column, *b = s->b.column;
  gpumm_operand c = {.kind = GPUMM_SPARSE,
                     .type = job->shape.type,
                     .rows = job->shape.rows,
                     .cols = job->shape.cols,
                     .nzmax = (int64_t) fmin (s->products, 0x1p62)};
  if (!gpumm_check_room (&c))
    return GPUMM_OK; /* even if no two products meet in an element */
  c.nzmax = 0;
  for (int64_t j = 0; j < c.cols; j++) {
    int64_t longest = 0;
    for (int64_t l = b[j]; l < b[j + 1]; l++)
      longest = most (longest, a[s->b.row[l] + 1] - a[s->b.row[l]]);
    c.nzmax += longest;
  }
  return gpumm_check_room (&c);
}

static gpumm_status open (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  state *s = job->state = gpumm_allocate (1, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  if (gpumm_is_zero (p->alpha))
    return GPUMM_OK; /* A and B are not read; nzmax stays 0 */
  gpumm_status status = gpumm_check_sparse (&p->a, "A");
  if (!status && !gpumm_is_same_sparse (&p->a, &p->b))
    status = gpumm_check_sparse (&p->b, "B");
  if (!status)
    status = by_columns (s, &p->a, p->op_a, p->output, &s->a);
  if (!status && gpumm_is_same_sparse (&p->a, &p->b) && p->op_a == p->op_b)
    s->b = s->a;
  else if (!status)
    status = by_columns (s, &p->b, p->op_b, p->output, &s->b);
  if (!status) {
    s->products = (double) gpumm_count_products (s->a.column, s->b.row, s->b.column[s->b.cols]);
    status = gpumm_check_cancelled ();
  }
  if (!status)
    status = check_room (job);
  if (!status)
    status = count (job);
  if (!status)
    job->shape.nzmax = s->start[job->shape.cols];
  return status;
}

/* ---- run ---------------------------------------------------------------------------------- */

/* The columns of C from j on for a chunk of this many elements; at least one. */
static int64_t chunk_end (const state *s, int64_t j, int64_t n, int64_t elements) {
  int64_t low = j + 1, high = n;
  while (low < high) {
    const int64_t middle = high - (high - low) / 2;
    if (s->start[middle] - s->start[j] <= elements)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Elements of a chunk: limited by `chunks`, by room and by the time of a launch, but at least the
 * longest column. */
static int64_t chunk_size (const state *s, int64_t n, int64_t each) {
  int64_t longest = 0;
  for (int64_t j = 0; j < n; j++)
    longest = most (longest, s->start[j + 1] - s->start[j]);
  const int64_t fair = most (s->start[n] * each / chunks.parts, chunks.smallest);
  int64_t bytes = gpumm_least (fair, chunks.largest);
  bytes = gpumm_least (bytes, s->start[n] / launches (s, MAKE_RATE) * each);
  const double room = (s->room - s->device_bytes - ROUNDED) / (double) chunks.buffers;
  if ((double) bytes > room)
    bytes = room > 0 ? (int64_t) room : 0;
  return most (bytes / each, longest);
}

static gpumm_status multiply (struct gpumm_job *job, gpumm_operand *c, int32_t *zeros) {
  state *s = job->state;
  const int64_t n = c->cols, bytes = (int64_t) gpumm_type_bytes (c->type);
  const int64_t each = bytes + (int64_t) sizeof (int32_t), size = chunk_size (s, n, each);
  int64_t count = 0;
  for (int64_t j = 0; j < n; j = chunk_end (s, j, n, size))
    count++;
  const int64_t buffers = gpumm_least (count, chunks.buffers);
  /* the values come first in each buffer, for their alignment */
  const int64_t apart = (int64_t) in_lines (size, (size_t) each);
  gpumm_status status = take (job, (size_t) (buffers * apart));
  char *const memory = s->next;
  gpumm_step *steps = status ? NULL : gpumm_allocate (count + 1, sizeof *steps);
  task *tasks = steps ? gpumm_allocate (count, sizeof *tasks) : NULL;
  if (!status && !tasks)
    status = GPUMM_HOST_MEMORY;
  for (int64_t i = 0, j = 0, end; i < count && !status; i++, j = end) {
    end = chunk_end (s, j, n, size);
    char *values = memory + i % buffers * apart;
    int32_t *column = (int32_t *) (values + size * bytes);
    const int64_t from = s->start[j], nnz = s->start[end] - from;
    tasks[i] = (task){.p = s->p};
    tasks[i].p.row = j;
    tasks[i].p.count = end - j;
    /* the kernel writes where the offsets say, which count from the beginning of C */
    tasks[i].p.c.column = (int32_t *) ((uintptr_t) column - (uintptr_t) from * sizeof *column);
    tasks[i].p.c.values = (void *) ((uintptr_t) values - (uintptr_t) (from * bytes));
    steps[i] = (gpumm_step){
        .after_launch = -1, .after_download = i >= buffers ? i - buffers : -1, .task = &tasks[i]};
    steps[i].seconds = s->products / (MAKE_RATE * s->device.multiprocessors)
                       * ((double) nnz / ((double) s->start[n] + 1));
    if (i == 0 && !s->kernel->offsets)
      add_upload (&steps[i], s->start, s->p.c.start, n + 1, sizeof *s->start, GPUMM_AS_IT_IS);
    if (nnz == 0)
      continue;
    steps[i].down[0] = (gpumm_panel){.from = column,
                                     .to = c->row + from,
                                     .rows = nnz,
                                     .cols = 1,
                                     .ld_from = nnz,
                                     .ld_to = nnz,
                                     .element = sizeof *c->row,
                                     .form = GPUMM_INDEX};
    steps[i].down[1] = (gpumm_panel){.from = values,
                                     .to = (char *) c->values + from * bytes,
                                     .rows = nnz,
                                     .cols = 1,
                                     .ld_from = nnz,
                                     .ld_to = nnz,
                                     .element = (size_t) bytes};
    steps[i].downs = 2;
  }
  if (!status) {
    steps[count] = (gpumm_step){.after_launch = -1, .after_download = -1, .downs = 1};
    steps[count].down[0] = (gpumm_panel){.from = s->p.zero,
                                         .to = zeros,
                                         .rows = 1,
                                         .cols = 1,
                                         .ld_from = 1,
                                         .ld_to = 1,
                                         .element = sizeof *zeros};
    tell_launches (job, count);
    status = run_steps (job, steps, count + 1, c, &job->report);
  }
  gpumm_release (steps);
  gpumm_release (tasks);
  return status;
}

/* ---- zeros -------------------------------------------------------------------------------- */

enum { PIECES = 256 };

typedef struct {
  gpumm_operand *c;
  const int64_t *start;
  int64_t cut[PIECES + 1], end[PIECES];
} compaction;

/* Closes the gaps between the columns of several pieces. */
static void compact (void *context, int64_t begin, int64_t end) {
  compaction *x = context;
  gpumm_operand *c = x->c;
  const int is_complex = c->type == GPUMM_Z;
  double *values = c->values;
  for (int64_t piece = begin; piece < end; piece++) {
    int64_t out = x->start[x->cut[piece]];
    for (int64_t j = x->cut[piece]; j < x->cut[piece + 1] && !gpumm_is_cancelled (); j++) {
      c->column[j] = out;
      for (int64_t t = x->start[j]; t < x->start[j + 1]; t++) {
        if (is_complex ? values[2 * t] == 0 && values[2 * t + 1] == 0 : values[t] == 0)
          continue;
        c->row[out] = c->row[t];
        if (is_complex) {
          values[2 * out] = values[2 * t];
          values[2 * out + 1] = values[2 * t + 1];
        } else
          values[out] = values[t];
        out++;
      }
    }
    x->end[piece] = out;
  }
}

static gpumm_status drop_zeros (const state *s, gpumm_operand *c) {
  compaction x = {.c = c, .start = s->start};
  const int64_t n = c->cols, nnz = s->start[n];
  for (int64_t piece = 0; piece < PIECES; piece++) {
    x.cut[piece + 1] = piece + 1 < PIECES ? x.cut[piece] : n;
    if (piece + 1 < PIECES && x.cut[piece] < n)
      x.cut[piece + 1] = chunk_end (s, x.cut[piece], n, nnz / PIECES + 1);
  }
  gpumm_status status = gpumm_parallel (PIECES, 1, compact, &x);
  if (!status)
    gpumm_close_gaps (c, s->start, x.cut, PIECES, x.end);
  return status;
}

/* ---- the row of the table ----------------------------------------------------------------- */

/* Multiplications, and elements of C, per second and multiprocessor in both phases: on an H200 (132
 * of them) 51 million of both take 2.8 ms (bench/results/h200/sparse.csv); 6.5e9 multiplications
 * with 0.4e9 elements take 36 ms (spgemm.csv). */
static const double PRODUCT_RATE = 2e11 / 132, ELEMENT_RATE = 1.8e10 / 132;

/* Seconds besides calls, transfers and the kernels: checks, memory, small copies. */
static const double SETUP = 0.3e-3;

/* The host widens each element of C to 16 bytes in fresh memory: seconds with 16 cores. Each of the
 * first FEW elements takes longer, because fewer threads work and less overlaps. */
static const double ELEMENT_SECONDS = 0.6e-9, FEW = 5e6, FEW_SECONDS = 0.5e-9;
enum { MEASURED_FROM = 70 }; /* compute capability of the kernel with this rate */

static double stored_bytes (const gpumm_operand *x) {
  return (double) (x->cols + 1) * 8
         + (double) x->column[x->cols] * (4 + (double) gpumm_type_bytes (x->type));
}

/* Two calls: one counts, one computes. */
static double seconds (const gpumm_problem *p, const gpumm_place *place,
                       const gpumm_sparse_estimate *x) {
  if (place->properties.capability < MEASURED_FROM)
    return INFINITY;
  const double products = x->products, nonzeros = x->nonzeros;
  const double up =
      stored_bytes (&p->a) + (gpumm_is_same_sparse (&p->a, &p->b) ? 0 : stored_bytes (&p->b));
  return SETUP + 2 * place->call + up / place->upload
         + nonzeros
               * fmax ((4 + (double) gpumm_type_bytes (p->output)) / place->download,
                       ELEMENT_SECONDS)
         + fmin (nonzeros, FEW) * FEW_SECONDS
         + (products / PRODUCT_RATE + nonzeros / ELEMENT_RATE) / place->properties.multiprocessors;
}

/* Kernels have row indices of 32 bits. */
static int takes (const gpumm_problem *p) {
  return p->a.kind == GPUMM_SPARSE && p->b.kind == GPUMM_SPARSE
         && gpumm_is_sparse_element (p->a.type) && gpumm_is_sparse_element (p->b.type)
         && gpumm_is_zero (p->beta) && p->a.rows < INT32_MAX && p->a.cols < INT32_MAX
         && p->b.rows < INT32_MAX && p->b.cols < INT32_MAX;
}

static gpumm_status run (struct gpumm_job *job, gpumm_operand *result) {
  state *s = job->state;
  gpumm_report *r = &job->report;
  if (job->trace)
    return gpumm_fail (GPUMM_UNSUPPORTED, "products of sparse matrices are not traced");
  memset (result->column, 0, (size_t) (result->cols + 1) * sizeof *result->column);
  if (gpumm_is_zero (job->problem.alpha))
    return GPUMM_OK;
  int32_t zeros = 0;
  snprintf (r->kernel, sizeof r->kernel, "%s", s->kernel->name);
  gpumm_status status = s->start[result->cols] > 0 ? multiply (job, result, &zeros) : GPUMM_OK;
  r->upload += s->report.upload;
  r->compute += s->report.compute;
  r->download += s->report.download;
  r->bytes_up += s->report.bytes_up;
  r->bytes_down += s->report.bytes_down;
  r->flops = s->products * 2 * (s->a.type == GPUMM_Z ? 2 : 1) * (s->b.type == GPUMM_Z ? 2 : 1);
  if (status)
    return status;
  if (zeros)
    return drop_zeros (s, result);
  memcpy (result->column, s->start, (size_t) (result->cols + 1) * sizeof *result->column);
  return GPUMM_OK;
}

static void close_state (struct gpumm_job *job) {
  state *s = job->state;
  if (!s)
    return;
  for (int i = 0; i < s->block_count; i++)
    gpumm_pool_give (job->plan.driver, job->plan.device, GPUMM_POOL_DEVICE, s->blocks[i]);
  if (job->plan.driver)
    gpumm_pool_trim (job->plan.driver, job->plan.device, GPUMM_POOL_DEVICE,
                     (size_t) job->plan.keep_bytes);
  gpumm_release_owned (&s->memory);
  gpumm_release (s);
  job->state = NULL;
}

const gpumm_algorithm gpumm_algorithm_spgemm = {
    .name = "spgemm",
    .summary = "sparse by sparse on a device, rows in bins by their number of products",
    .on_device = 1,
    .takes = takes,
    .seconds = seconds,
    .open = open,
    .run = run,
    .close = close_state,
};

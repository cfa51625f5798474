/* spmm.c - sparse times full and full times sparse, plain or in blocks, by a kernel of the
 * table of sparse kernels.
 *
 * The sparse operand goes up once, by rows: blocks are stored by rows, and the columns of a plain
 * matrix are the rows of its transpose. Kernels that need the transpose make it at the first launch
 * and keep it. The full operand and C follow in panels: of columns if the sparse operand is on the
 * left, of rows if it is on the right. While one panel is multiplied, the next goes up and the last
 * comes down.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"
#include "memory/host.h"
#include "move/streaming.h"
#include "memory/pool.h"
#include "tiles.h"
#include "types.h"
#include "algorithm.h"
#include "blocks.h"
#include "sparse.h"

#include <stdio.h>
#include <string.h>

/* Panel buffers: one is multiplied, one goes up, one comes down. Operand and C have `bytes`
 * together, so transfers overlap and copies are long. Rows of a column-major matrix are scattered,
 * so panels have at least 512 rows (4 KiB of doubles per copy). */
static const struct {
  int64_t buffers, bytes, fewest_columns, fewest_rows;
} panels = {3, 64 << 20, 32, 512};

enum { START, COLUMN, VALUES, WORKSPACE, PANELS, BLOCKS };

/* C = alpha op (A) op (B) + beta C0. x is the sparse or block-sparse operand, y the full one. */
typedef struct {
  struct gpumm_job *job;
  const gpumm_sparse_kernel *kernel;
  gpumm_device_properties device;
  const gpumm_operand *x, *y;
  gpumm_op op_x, op_y;
  int left;                  /* is A the sparse one? */
  int by_column;             /* are y's panels columns of y? */
  int reads;                 /* alpha is not 0: A and B are read */
  int64_t inner, out, other; /* sizes: inner; of C on the sparse operand's side; the other of C */
  int64_t out_block;         /* of the blocks of op (X), in the direction of out */
  gpumm_rows rows;           /* x by rows, as uploaded; a plain x transposed */
  int64_t stored;            /* elements of x, all of blocks */
  size_t element;            /* bytes of one on the device */
  gpumm_sparse_product p;    /* the fields common to all panels */
  void *memory[BLOCKS];      /* on the device */
} product;

/* ---- sizes -------------------------------------------------------------------------------- */

/* Sizes and leading dimensions on the device of y's and C's panel of that width. */
static void shape_panels (const product *s, int64_t width, gpumm_rows *y, gpumm_rows *c) {
  *y = (gpumm_rows){.rows = s->by_column ? s->inner : width,
                    .cols = s->by_column ? width : s->inner,
                    .block_rows = 1,
                    .block_cols = 1};
  *c = (gpumm_rows){.rows = s->left ? s->out : width,
                    .cols = s->left ? width : s->out,
                    .block_rows = 1,
                    .block_cols = 1};
  y->ld = gpumm_device_ld (y->rows, s->element);
  c->ld = gpumm_device_ld (c->rows, s->element);
}

static size_t bytes_of (const product *s, const gpumm_rows *x) {
  return ((size_t) x->ld * (size_t) x->cols * s->element + 255) / 256 * 256;
}

/* The product of a panel, wherever it lies. */
static gpumm_sparse_product product_of (const product *s, int64_t width, char *memory) {
  gpumm_sparse_product p = s->p;
  gpumm_rows y, c;
  shape_panels (s, width, &y, &c);
  y.values = memory;
  c.values = memory ? memory + bytes_of (s, &y) : NULL;
  *(s->left ? &p.b : &p.a) = y;
  p.c = c;
  p.count = s->left ? s->out / s->out_block : width;
  return p;
}

static size_t workspace_of (const product *s, int64_t width) {
  gpumm_sparse_product p = product_of (s, width, NULL);
  return s->kernel->workspace ? s->kernel->workspace (&p, &s->device) : 0;
}

static size_t pair_bytes (const product *s, int64_t width) {
  gpumm_rows y, c;
  shape_panels (s, width, &y, &c);
  return bytes_of (s, &y) + bytes_of (s, &c);
}

/* Multiply-adds per second and multiprocessor: on an H200 (132 of them) 3.2 million elements by 256
 * columns take 2.4 ms, by one column 0.37 ms with the transpose (bench/results/h200/sparse.csv). */
static const double FULL_RATE = 3e11 / 132, TRANSPOSING = 16; /* the latter in columns */

/* Rows of a block that share reads of the full matrix; with more rows the rate hardly grows
 * (bench/results/h200/bsr.csv). */
static const int64_t SHARING_ROWS = 4;

/* Device seconds for a column of the full matrix at this rate; and the most seconds of a launch. */
static const double LAUNCH_SECONDS = 0.02;

static double column_seconds (const product *s) {
  const double shared = (double) gpumm_least (s->rows.block_rows, SHARING_ROWS);
  return (double) s->stored / (shared * FULL_RATE * s->device.multiprocessors);
}

/* Takes device memory for panels as wide as `panels` says and as there is room for. */
static gpumm_status take_memory (product *s, int64_t *width, int64_t *buffers) {
  const gpumm_plan *plan = &s->job->plan;
  const double room = gpumm_pool_room (plan->driver, plan->device, s->device.memory_free,
                                       s->job->options.max_device_memory);
  size_t bytes[BLOCKS] = {(size_t) (s->rows.rows + 1) * sizeof (int64_t),
                          (size_t) s->rows.stored * sizeof (int32_t),
                          (size_t) s->stored * s->element};
  const int64_t fewest = s->by_column && s->left ? panels.fewest_columns : panels.fewest_rows;
  int64_t w = panels.bytes / ((s->inner + s->out) * (int64_t) s->element) / fewest * fewest;
  const double column = column_seconds (s); /* a launch cannot be revoked */
  if ((double) w * column > LAUNCH_SECONDS)
    w = (int64_t) (LAUNCH_SECONDS / column);
  w = gpumm_least (w > fewest ? w : fewest, s->other);
  for (;; w /= 2) {
    *buffers = gpumm_least (gpumm_pieces (s->other, w), panels.buffers);
    bytes[WORKSPACE] = workspace_of (s, w);
    bytes[PANELS] = (size_t) *buffers * pair_bytes (s, w);
    double all = 0;
    for (int i = 0; i < BLOCKS; i++)
      all += (double) gpumm_pool_rounded (bytes[i] ? bytes[i] : 1);
    if (all <= room)
      break;
    if (w == 1)
      return gpumm_fail (GPUMM_DEVICE_MEMORY,
                         "a product of a sparse and a full matrix needs more device memory than "
                         "%.0f bytes%s",
                         room,
                         s->job->options.max_device_memory > 0 ? ", MaxDeviceMemory given" : "");
  }
  *width = w;
  gpumm_status status = GPUMM_OK;
  for (int i = 0; i < BLOCKS && !status; i++)
    status = gpumm_pool_take (plan->driver, plan->device, GPUMM_POOL_DEVICE,
                              bytes[i] ? bytes[i] : 1, &s->memory[i]);
  s->p.workspace = s->memory[WORKSPACE];
  s->p.workspace_bytes = bytes[WORKSPACE];
  return status;
}

/* ---- steps -------------------------------------------------------------------------------- */

static void add_upload (gpumm_step *step, gpumm_panel panel) {
  if (panel.rows > 0 && panel.cols > 0)
    step->up[step->ups++] = panel;
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

static gpumm_form form_of (gpumm_type from, gpumm_type to) {
  return from == GPUMM_B ? GPUMM_LOGICAL : from == to ? GPUMM_AS_IT_IS : GPUMM_REAL;
}

/* The sparse operand, by the columns or block rows that it has. Logical elements that meet complex
 * ones have been made doubles, in `doubles`. */
static void add_sparse (const product *s, gpumm_step *step, const double *doubles) {
  const gpumm_operand *x = s->x;
  const gpumm_type type = doubles ? GPUMM_D : x->type;
  const int64_t count = s->rows.stored;
  const int blocks = x->kind == GPUMM_BLOCKS;
  add_upload (step, vector (blocks ? x->block_start : x->column, s->memory[START], s->rows.rows + 1,
                            sizeof (int64_t), GPUMM_AS_IT_IS));
  add_upload (step, blocks
                        ? vector (x->block_column, s->memory[COLUMN], count, sizeof (int32_t),
                                  GPUMM_AS_IT_IS)
                        : vector (x->row, s->memory[COLUMN], count, sizeof (int64_t), GPUMM_INDEX));
  add_upload (step, vector (doubles ? doubles : x->values, s->memory[VALUES], s->stored,
                            gpumm_type_bytes (type), form_of (type, s->job->shape.type)));
}

/* Columns or rows of x, a full matrix of the caller's, from first on, to or from the device. */
static gpumm_panel part (const gpumm_operand *x, int by_column, int64_t first,
                         const gpumm_rows *there) {
  const size_t element = gpumm_type_bytes (x->type);
  return (gpumm_panel){.from = (const char *) x->values
                               + (size_t) (by_column ? first * x->ld : first) * element,
                       .to = there->values,
                       .rows = there->rows,
                       .cols = there->cols,
                       .ld_from = x->ld,
                       .ld_to = there->ld,
                       .element = element};
}

static gpumm_status launch (const gpumm_stream_job *job, const void *task, gpumm_part whole,
                            gpumm_stream *stream, char *note) {
  (void) whole;
  const gpumm_sparse_kernel *kernel = job->context;
  gpumm_sparse_product p = *(const gpumm_sparse_product *) task;
  p.note = note;
  gpumm_status status = kernel->launch (job->device, stream, &p);
  return status
             ? gpumm_fail (status, "kernel %s failed on a panel of %lld x %lld: %s", kernel->name,
                           (long long) p.c.rows, (long long) p.c.cols, job->driver->error_text ())
             : GPUMM_OK;
}

static gpumm_status multiply (product *s, gpumm_operand *c, const double *doubles) {
  const gpumm_problem *problem = &s->job->problem;
  int64_t width = 0, buffers = 0;
  gpumm_status status = take_memory (s, &width, &buffers);
  if (status)
    return status;
  gpumm_rows *x = s->left ? &s->p.a : &s->p.b;
  x->start = s->memory[START];
  x->column = s->memory[COLUMN];
  x->values = s->memory[VALUES];
  const int64_t count = gpumm_pieces (s->other, width);
  const size_t apart = pair_bytes (s, width);
  gpumm_step *steps = gpumm_allocate (count, sizeof *steps);
  gpumm_sparse_product *tasks = steps ? gpumm_allocate (count, sizeof *tasks) : NULL;
  if (!tasks) {
    gpumm_release (steps);
    return GPUMM_HOST_MEMORY;
  }
  for (int64_t i = 0; i < count; i++) {
    const int64_t first = i * width, before = i >= buffers ? i - buffers : -1;
    gpumm_step *step = &steps[i];
    tasks[i] = product_of (s, gpumm_least (width, s->other - first),
                           (char *) s->memory[PANELS] + (size_t) (i % buffers) * apart);
    tasks[i].prepared = i > 0;
    *step = (gpumm_step){.after_launch = before, .after_download = before, .task = &tasks[i]};
    step->seconds = (double) gpumm_least (width, s->other - first) * column_seconds (s);
    if (i == 0 && s->reads)
      add_sparse (s, step, doubles);
    gpumm_panel y = part (s->y, s->by_column, first, s->left ? &tasks[i].b : &tasks[i].a);
    y.form = form_of (s->y->type, c->type);
    if (s->reads)
      add_upload (step, y);
    if (problem->c0 && !gpumm_is_zero (problem->beta))
      add_upload (step, part (problem->c0, s->left, first, &tasks[i].c));
    gpumm_panel down = part (c, s->left, first, &tasks[i].c);
    void *to = (void *) (uintptr_t) down.from;
    down.from = down.to;
    down.to = to;
    down.ld_from = tasks[i].c.ld;
    down.ld_to = c->ld;
    step->down[0] = down;
    step->downs = 1;
  }
  gpumm_stream_job stream = {.driver = s->job->plan.driver,
                             .device = s->job->plan.device,
                             .steps = steps,
                             .count = count,
                             .launch = launch,
                             .context = s->kernel};
  if (c->ld == c->rows) {
    stream.fresh[0].begin = c->values;
    stream.fresh[0].bytes = (size_t) c->rows * (size_t) c->cols * s->element;
  }
  status = gpumm_run_steps (&stream, &s->job->report);
  gpumm_release (steps);
  gpumm_release (tasks);
  return status;
}

/* ---- the row of the table ----------------------------------------------------------------- */

static int is_element (gpumm_type type) {
  return type == GPUMM_D || type == GPUMM_Z || type == GPUMM_B;
}

static int64_t stored_blocks (const gpumm_operand *x) {
  return x->block_start[x->rows / x->block_rows];
}

/* One operand is sparse or in blocks, one full. Kernels have 32-bit indices and counts. */
static int takes (const gpumm_problem *p) {
  const int left = p->a.kind != GPUMM_DENSE;
  const gpumm_operand *x = left ? &p->a : &p->b, *y = left ? &p->b : &p->a;
  if (y->kind != GPUMM_DENSE)
    return 0;
  if (x->kind == GPUMM_BLOCKS)
    return gpumm_is_float (x->type) && gpumm_is_float (y->type) && stored_blocks (x) <= INT32_MAX
           && x->rows / x->block_rows < INT32_MAX && x->cols / x->block_cols < INT32_MAX;
  return x->kind == GPUMM_SPARSE && is_element (x->type) && is_element (y->type)
         && y->type != GPUMM_B && x->rows < INT32_MAX && x->cols < INT32_MAX
         && x->column[x->cols] <= INT32_MAX;
}

/* x by rows, without memory, and the op that this form needs. */
static gpumm_op by_rows (const gpumm_operand *x, gpumm_op op, int reads, gpumm_rows *rows) {
  if (x->kind == GPUMM_BLOCKS) {
    *rows = (gpumm_rows){.rows = x->rows / x->block_rows,
                         .cols = x->cols / x->block_cols,
                         .block_rows = x->block_rows,
                         .block_cols = x->block_cols,
                         .stored = reads ? stored_blocks (x) : 0};
    return op;
  }
  *rows = (gpumm_rows){.rows = x->cols,
                       .cols = x->rows,
                       .block_rows = 1,
                       .block_cols = 1,
                       .stored = reads ? x->column[x->cols] : 0};
  return op == GPUMM_NONE ? GPUMM_TRANSPOSE : GPUMM_NONE;
}

/* Seconds besides a call, transfers and the kernel: checks, memory, small copies. As long as 160,000
 * elements by one column take on an H200. */
static const double SETUP = 0.6e-3;

static double seconds (const gpumm_problem *p, const gpumm_place *place,
                       const struct gpumm_sparse_estimate *estimate) {
  (void) estimate;
  const int left = p->a.kind != GPUMM_DENSE;
  const gpumm_operand *x = left ? &p->a : &p->b, *y = left ? &p->b : &p->a;
  gpumm_rows rows;
  by_rows (x, GPUMM_NONE, 1, &rows);
  const double stored = (double) rows.stored * (double) (rows.block_rows * rows.block_cols);
  const double index = x->kind == GPUMM_BLOCKS ? sizeof *x->block_column : sizeof *x->row;
  const double shared = (double) gpumm_least (rows.block_rows, SHARING_ROWS);
  const double other = (double) (left ? gpumm_n (p) : gpumm_m (p));
  const double c =
      (double) gpumm_m (p) * (double) gpumm_n (p) * (double) gpumm_type_bytes (p->output);
  const double up = (double) (rows.rows + 1) * 8 + (double) rows.stored * index
                    + stored * (double) gpumm_type_bytes (x->type)
                    + (double) y->rows * (double) y->cols * (double) gpumm_type_bytes (y->type)
                    + (p->c0 ? c : 0);
  return SETUP + place->call + up / place->upload + c / place->download
         + stored * (other + TRANSPOSING)
               / (shared * FULL_RATE * place->properties.multiprocessors);
}

static gpumm_status open (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  if (p->a.kind == GPUMM_BLOCKS || p->b.kind == GPUMM_BLOCKS)
    return gpumm_blocks_check (p);
  if (gpumm_is_zero (p->alpha))
    return GPUMM_OK; /* A and B are not read */
  return p->a.kind == GPUMM_SPARSE ? gpumm_check_sparse (&p->a, "A")
                                   : gpumm_check_sparse (&p->b, "B");
}

static gpumm_status choose_kernel (product *s) {
  const gpumm_plan *plan = &s->job->plan;
  const int most = s->job->options.max_capability;
  gpumm_status status = plan->driver->properties (plan->device, &s->device);
  if (status)
    return gpumm_fail (status, "device %d does not answer: %s", plan->device,
                       plan->driver->error_text ());
  gpumm_sparse_product p = product_of (s, s->other, NULL);
  for (const gpumm_sparse_kernel *const *row = plan->driver->sparse_kernels; *row; row++)
    if ((plan->sparse_kernel ? *row == plan->sparse_kernel
                             : strcmp ((*row)->algorithm, "spmm") == 0)
        && (*row)->capability <= s->device.capability && (!most || (*row)->capability <= most)
        && (!(*row)->runs || (*row)->runs (&p, &s->device)))
      s->kernel = *row; /* the last is the fastest */
  return s->kernel ? GPUMM_OK
                   : gpumm_fail (GPUMM_UNSUPPORTED,
                                 "no kernel multiplies a sparse and a full matrix on %s%s",
                                 s->device.name, most ? " under the given MaxCapability" : "");
}

static gpumm_status run (struct gpumm_job *job, gpumm_operand *result) {
  const gpumm_problem *p = &job->problem;
  const int left = p->a.kind != GPUMM_DENSE;
  if (job->trace)
    return gpumm_fail (GPUMM_UNSUPPORTED, "products of a sparse and a full matrix are not traced");
  if (result->rows == 0 || result->cols == 0)
    return GPUMM_OK;
  product s = {.job = job,
               .x = left ? &p->a : &p->b,
               .y = left ? &p->b : &p->a,
               .op_x = left ? p->op_a : p->op_b,
               .op_y = left ? p->op_b : p->op_a,
               .left = left,
               .reads = !gpumm_is_zero (p->alpha),
               .inner = gpumm_k (p),
               .out = left ? result->rows : result->cols,
               .other = left ? result->cols : result->rows,
               .element = gpumm_type_bytes (result->type)};
  s.by_column = (s.op_y == GPUMM_NONE) == left;
  const gpumm_op op = by_rows (s.x, s.op_x, s.reads, &s.rows);
  s.stored = s.rows.stored * s.rows.block_rows * s.rows.block_cols;
  s.out_block = (op == GPUMM_NONE) == left ? s.rows.block_rows : s.rows.block_cols;
  s.p = (gpumm_sparse_product){.type_a = result->type,
                               .type_b = result->type,
                               .type_c = result->type,
                               .op_a = left ? op : s.op_y,
                               .op_b = left ? s.op_y : op,
                               .real_a = !gpumm_is_complex (p->a.type),
                               .real_b = !gpumm_is_complex (p->b.type),
                               .alpha = p->alpha,
                               .beta = p->beta,
                               .conjugated = s.op_x == GPUMM_CTRANSPOSE && op != s.op_x};
  *(left ? &s.p.a : &s.p.b) = s.rows;
  /* start marks x as stored by rows, even before it has memory */
  (left ? &s.p.a : &s.p.b)->start = &s.stored;
  gpumm_status status = choose_kernel (&s);
  double *doubles = NULL;
  if (!status && s.reads && s.x->type == GPUMM_B && result->type == GPUMM_Z) {
    doubles = gpumm_allocate (s.stored, sizeof *doubles);
    status = doubles ? GPUMM_OK : GPUMM_HOST_MEMORY;
    for (int64_t t = 0; t < s.stored && doubles; t++)
      doubles[t] = ((const unsigned char *) s.x->values)[t];
  }
  if (!status) {
    snprintf (job->report.kernel, sizeof job->report.kernel, "%s", s.kernel->name);
    job->report.flops = 2 * (double) s.stored * (double) s.other
                        * (gpumm_is_complex (s.x->type) ? 2 : 1)
                        * (gpumm_is_complex (s.y->type) ? 2 : 1);
    status = multiply (&s, result, doubles);
  }
  gpumm_release (doubles);
  const gpumm_plan *plan = &job->plan;
  for (int i = 0; i < BLOCKS; i++)
    gpumm_pool_give (plan->driver, plan->device, GPUMM_POOL_DEVICE, s.memory[i]);
  gpumm_pool_trim (plan->driver, plan->device, GPUMM_POOL_DEVICE, (size_t) plan->keep_bytes);
  return status;
}

const gpumm_algorithm gpumm_algorithm_spmm = {
    .name = "spmm",
    .summary = "sparse, plain or in blocks, by full and full by sparse on a device, in panels",
    .on_device = 1,
    .takes = takes,
    .seconds = seconds,
    .open = open,
    .run = run,
};

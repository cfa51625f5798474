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
#include "base/types.h"
#include "memory/pool.h"
#include "pass.h"
#include "plan/tiles.h"
#include "resident.h"
#include "sparse.h"

#include <stdio.h>

/* Panel buffers: one is multiplied, one goes up, one comes down. Operand and C have `bytes`
 * together, so transfers overlap and copies are long. Rows of a column-major matrix are scattered,
 * so panels have at least 512 rows (4 KiB of doubles per copy). */
static const struct {
  int64_t buffers, bytes, fewest_columns, fewest_rows;
} panels = {3, 64 << 20, 32, 512};

/* C = alpha op (A) op (B) + beta C0, x is the sparse or block-sparse operand, y the full one. The
 * pass's product has the fields common to all panels. */
typedef struct {
  gpumm_pass pass; /* first: describe () gets its address */
  const gpumm_matrix *y;
  gpumm_matrix x;
  int left;                  /* is A the sparse one? */
  int by_column;             /* are y's panels columns of y? */
  int reads;                 /* alpha is not 0: A and B are read */
  int64_t inner, out, other; /* sizes: inner; of C on the sparse operand's side; the other of C */
  int64_t out_block;         /* of the blocks of op (X), in the direction of out */
  size_t element;            /* bytes of one on the device */
} product;

/* x by rows, as uploaded; a plain x transposed. */
static const gpumm_device_matrix *rows_of (const product *s) {
  return s->left ? &s->pass.product.a : &s->pass.product.b;
}

/* Elements of x, all of blocks. */
static int64_t stored_elements (const gpumm_device_matrix *x) {
  return x->stored * x->block_rows * x->block_cols;
}

/* ---- sizes -------------------------------------------------------------------------------- */

static gpumm_device_matrix full (const product *s, int64_t rows, int64_t cols) {
  return (gpumm_device_matrix){.rows = rows,
                               .cols = cols,
                               .block_rows = 1,
                               .block_cols = 1,
                               .ld = gpumm_device_ld (rows, s->element)};
}

static size_t bytes_of (const product *s, const gpumm_device_matrix *x) {
  return ((size_t) x->ld * (size_t) x->cols * s->element + 255) / 256 * 256;
}

/* The product of a panel of this width; memory, which may be NULL, holds y's and C's panels. */
static gpumm_sparse_product product_of (const product *s, int64_t width, char *memory) {
  gpumm_sparse_product p = s->pass.product;
  gpumm_device_matrix *y = s->left ? &p.b : &p.a;
  *y = s->by_column ? full (s, s->inner, width) : full (s, width, s->inner);
  p.c = s->left ? full (s, s->out, width) : full (s, width, s->out);
  y->values = memory;
  p.c.values = memory ? memory + bytes_of (s, y) : NULL;
  p.count = s->left ? s->out / s->out_block : width;
  return p;
}

static size_t pair_bytes (const product *s, const gpumm_sparse_product *p) {
  return bytes_of (s, s->left ? &p->b : &p->a) + bytes_of (s, &p->c);
}

/* Multiply-adds per second and multiprocessor: on an H200 (132 of them) 3.2 million elements by 256
 * columns take 2.4 ms, by one column 0.37 ms with the transpose (bench/results/h200/sparse.csv). */
static const double FULL_RATE = 3e11 / 132, TRANSPOSING = 16; /* the latter in columns */

/* Rows of a block that share reads of the full matrix; with more rows the rate hardly grows
 * (bench/results/h200/bsr.csv). */
static const int64_t SHARING_ROWS = 4;

/* Device seconds for columns of the full matrix at this rate. */
static double seconds_of (const gpumm_device_matrix *x, double columns, int multiprocessors) {
  return columns * (double) stored_elements (x)
         / ((double) gpumm_least (x->block_rows, SHARING_ROWS) * FULL_RATE * multiprocessors);
}

static double panel_seconds (const product *s, int64_t width) {
  return seconds_of (rows_of (s), (double) width, s->pass.device.multiprocessors);
}

/* The width of panels: limited by `panels`, by the time of a launch and by room. */
static int64_t fit_width (const product *s, const gpumm_sparse_kernel *kernel) {
  const int64_t fewest = s->by_column && s->left ? panels.fewest_columns : panels.fewest_rows;
  const int64_t pair = (s->inner + s->out) * (int64_t) s->element;
  int64_t w = gpumm_least (panels.bytes / pair / fewest * fewest, s->other);
  w /= gpumm_launch_count (panel_seconds (s, w));
  for (w = gpumm_least (w > fewest ? w : fewest, s->other); w > 1; w /= 2) {
    const gpumm_sparse_product p = product_of (s, w, NULL);
    const size_t workspace = kernel->workspace ? kernel->workspace (&p, &s->pass.device) : 0;
    const size_t buffers = (size_t) gpumm_least (gpumm_pieces (s->other, w), panels.buffers);
    if (gpumm_pool_rounded (workspace) + gpumm_pool_rounded (buffers * pair_bytes (s, &p))
        <= (size_t) s->pass.device.memory_free)
      break;
  }
  return w;
}

static void describe (const gpumm_pass *pass, const gpumm_sparse_kernel *kernel,
                      gpumm_sparse_product *launch) {
  const product *s = (const product *) pass;
  *launch = product_of (s, fit_width (s, kernel), NULL);
}

/* ---- steps -------------------------------------------------------------------------------- */

/* Columns or rows of x, a full matrix of the caller's, from first on, to or from the device. */
static gpumm_panel panel_of (const gpumm_matrix *x, int by_column, int64_t first,
                             const gpumm_device_matrix *there) {
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

static gpumm_status multiply (product *s, gpumm_matrix *c) {
  const gpumm_problem *problem = &s->pass.job->problem;
  const gpumm_sparse_product *widest = &s->pass.launch;
  const int64_t width = s->left ? widest->c.cols : widest->c.rows;
  const int64_t count = gpumm_pieces (s->other, width);
  const int64_t buffers = gpumm_least (count, panels.buffers);
  const size_t apart = pair_bytes (s, widest);
  char *const memory = gpumm_pass_take (&s->pass, buffers, apart);
  gpumm_steps steps = gpumm_make_steps (&s->pass, count);
  for (int64_t i = 0; i < count && !s->pass.status; i++) {
    const int64_t first = i * width, wide = gpumm_least (width, s->other - first);
    gpumm_step *step = &steps.step[i];
    gpumm_sparse_product *p = &steps.task[i].p;
    *p = product_of (s, wide, memory + (size_t) (i % buffers) * apart);
    step->after_launch = step->after_download = i >= buffers ? i - buffers : -1;
    step->seconds = panel_seconds (s, wide);
    if (i == 0 && s->reads) {
      gpumm_bring_structure (step, &s->x, rows_of (s));
      gpumm_bring_values (step, &s->x, rows_of (s), c->type);
    }
    gpumm_panel y = panel_of (s->y, s->by_column, first, s->left ? &p->b : &p->a);
    y.form = gpumm_form_of (s->y->type, c->type);
    if (s->reads)
      gpumm_add_upload (step, y);
    if (problem->c0 && !gpumm_is_zero (problem->beta))
      gpumm_add_upload (step, panel_of (problem->c0, s->left, first, &p->c));
    gpumm_add_download (step, gpumm_turned (panel_of (c, s->left, first, &p->c)));
  }
  gpumm_pass_run (&s->pass, &steps, c, 0);
  gpumm_release_steps (&steps);
  return s->pass.status;
}

/* ---- the row of the table ----------------------------------------------------------------- */

/* One operand is sparse or in blocks, one full. Kernels have 32-bit indices and counts. */
static int takes_spmm (const gpumm_problem *p) {
  const int left = p->a.format != GPUMM_FULL;
  const gpumm_matrix *x = left ? &p->a : &p->b, *y = left ? &p->b : &p->a;
  const int is_any_float = x->format == GPUMM_BLOCKS || gpumm_is_single (x->type);
  const int types = is_any_float ? gpumm_is_float (x->type) && gpumm_is_float (y->type)
                                 : gpumm_is_sparse_element (x->type)
                                       && (y->type == GPUMM_D || y->type == GPUMM_Z);
  return y->format == GPUMM_FULL && x->format != GPUMM_FULL && types
         && gpumm_line_count (x) < INT32_MAX && gpumm_line_length (x) < INT32_MAX
         && gpumm_entries (x) <= INT32_MAX;
}

/* Seconds besides a call, transfers and the kernel: checks, memory, small copies. As long as
 * 160,000 elements by one column take on an H200. */
static const double SETUP = 0.6e-3;

static double seconds (const gpumm_problem *p, const gpumm_candidate *candidate,
                       const struct gpumm_sparse_estimate *estimate) {
  (void) estimate;
  const int left = p->a.format != GPUMM_FULL;
  const gpumm_matrix *x = left ? &p->a : &p->b, *y = left ? &p->b : &p->a;
  const gpumm_device_matrix rows = gpumm_device_matrix_of (x, 1);
  const double other = (double) (left ? gpumm_n (p) : gpumm_m (p));
  const double c =
      (double) gpumm_m (p) * (double) gpumm_n (p) * (double) gpumm_type_bytes (p->output);
  const double up =
      (double) (rows.rows + 1) * 8 + (double) rows.stored * (double) gpumm_index_bytes (x)
      + (double) stored_elements (&rows) * (double) gpumm_type_bytes (x->type)
      + (double) y->rows * (double) y->cols * (double) gpumm_type_bytes (y->type) + (p->c0 ? c : 0);
  return SETUP + candidate->call + up / candidate->upload + c / candidate->download
         + seconds_of (&rows, other + TRANSPOSING, candidate->properties.multiprocessors);
}

static gpumm_status run_spmm (struct gpumm_job *job, gpumm_matrix *result) {
  const gpumm_problem *p = &job->problem;
  const int left = p->a.format != GPUMM_FULL, reads = !gpumm_is_zero (p->alpha);
  const gpumm_matrix *x = left ? &p->a : &p->b, *y = left ? &p->b : &p->a;
  const gpumm_op op = gpumm_op_by_rows (x);
  if (result->rows == 0 || result->cols == 0)
    return GPUMM_OK;
  if (gpumm_is_bound (p))
    return gpumm_resident_run_full (job, result);
  product s = {.y = y,
               .x = *x,
               .left = left,
               .by_column = (y->op == GPUMM_NONE) == left,
               .reads = reads,
               .inner = gpumm_k (p),
               .out = left ? result->rows : result->cols,
               .other = left ? result->cols : result->rows,
               .element = gpumm_type_bytes (result->type)};
  s.pass.product =
      (gpumm_sparse_product){.op_a = left ? op : y->op,
                             .op_b = left ? y->op : op,
                             .alpha = p->alpha,
                             .beta = p->beta,
                             .conjugated = x->op == GPUMM_CTRANSPOSE && op != GPUMM_CTRANSPOSE};
  gpumm_set_types (&s.pass.product, &p->a, &p->b, result->type);
  gpumm_device_matrix *rows = left ? &s.pass.product.a : &s.pass.product.b;
  *rows = gpumm_device_matrix_of (&s.x, reads);
  s.out_block = (op == GPUMM_NONE) == left ? rows->block_rows : rows->block_cols;
  job->report.flops = gpumm_flops_each (p) * (double) stored_elements (rows) * (double) s.other;
  gpumm_status status = GPUMM_OK;
  gpumm_pass_open (&s.pass, job, "product of a sparse and a full matrix");
  s.x.op = GPUMM_NONE; /* the kernel has it */
  if (reads && x->type == GPUMM_B
      && result->type == GPUMM_Z) /* a device widens only doubles to complex */
    status = gpumm_sparse_by_columns (&job->memory, &s.x, &s.x);
  if (!status) {
    rows->start = gpumm_pass_take (&s.pass, rows->rows + 1, sizeof *rows->start);
    rows->column = gpumm_pass_take (&s.pass, rows->stored, sizeof *rows->column);
    rows->values = gpumm_pass_take (&s.pass, stored_elements (rows), s.element);
    status = gpumm_pass_choose (&s.pass, describe);
  }
  if (!status) {
    snprintf (job->report.kernel, sizeof job->report.kernel, "%s", s.pass.kernel->name);
    status = multiply (&s, result);
  }
  gpumm_pass_close (&s.pass);
  return status;
}

const gpumm_algorithm gpumm_algorithm_spmm = {
    .name = "spmm",
    .summary = "sparse (plain or in blocks) by full, and full by sparse, on a device, in panels",
    .on_device = 1,
    .takes = takes_spmm,
    .seconds = seconds,
    .run = run_spmm,
};

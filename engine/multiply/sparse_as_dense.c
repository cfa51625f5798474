/* sparse_as_dense.c - two sparse matrices so full that a dense product is faster.
 *
 * A is written out as a dense matrix, op (B) in panels of as many columns as memory allows. A dense
 * job with its own plan, on the CPU or on a GPU, multiplies each panel; the result is compressed
 * without zeros, as in all sparse products.
 *
 * A dense product also adds terms 0 x, which do not change a sum unless x is Inf or NaN. So
 * matrices with Inf, NaN, or elements so large that a sum could overflow are refused. The error is
 * the dense product's, within plain arithmetic's bound (docs/guide/accuracy.md).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sparse_as_dense.h"
#include "cancel.h"
#include "error.h"
#include "memory/host.h"
#include "progress.h"
#include "threads.h"
#include "types.h"
#include "algorithm.h"
#include "compressed.h"
#include "sparse.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* The most bytes for A, a panel of B and a panel of C as dense matrices. A product may take 256 MiB
 * beside operands and result; BLAS took 6 MiB more at n = 3500. */
static const double WORKSPACE_BYTES = 240 << 20;

/* Panels are at least this wide, because each panel reads all of A or sends it to a device, and
 * multiples of WHOLE columns. */
static const int64_t LEAST_PANEL = 256, WHOLE = 64;

/* With elements of A and B up to 2^480 and alpha up to 2^16, even 2^31 complex products sum to less
 * than 2^1009. */
static const double LARGEST = 0x1p480, LARGEST_ALPHA = 0x1p16;

/* The fewest elements for a thread to check. */
enum { LEAST = 1 << 16 };

/* The state from gpumm_open to gpumm_close. */
typedef struct {
  gpumm_matrix a, b; /* dense: A and a panel of B */
  int same;          /* b is a */
  int64_t width;     /* of a panel; 0: there is nothing to multiply */
  int64_t column;    /* the first of the next panel */
  double flops;
} state;

/* ---- sizes and estimates ------------------------------------------------------------------ */

static gpumm_type dense_type (gpumm_type type) {
  return type == GPUMM_B ? GPUMM_D : type;
}

int64_t gpumm_as_dense_width (const gpumm_problem *p) {
  const double m = (double) gpumm_m (p), k = (double) gpumm_k (p), n = (double) gpumm_n (p);
  const gpumm_type a = dense_type (p->a.type), b = dense_type (p->b.type);
  /* real times complex copies an operand and the result at most once more (real_by_complex.c) */
  const double more = a != b ? (double) gpumm_type_bytes (GPUMM_Z) : 0;
  const double of_a = m * k * ((double) gpumm_type_bytes (a) + more) + k * sizeof (int64_t);
  const double of_b = k * ((double) gpumm_type_bytes (b) + more); /* bytes of a column, as of_c */
  const double of_c = m * ((double) gpumm_type_bytes (p->output) + more);
  const double room = WORKSPACE_BYTES - of_a;
  if (room < 0)
    return 0;
  if (n * (of_b + of_c) <= room || (gpumm_is_one_array (p) && n * of_c <= room))
    return gpumm_n (p);
  const int64_t width = (int64_t) (room / (of_b + of_c));
  return width < LEAST_PANEL ? 0 : width / WHOLE * WHOLE;
}

static gpumm_matrix dense (const gpumm_matrix *x, int64_t rows, int64_t cols, void *values) {
  return (gpumm_matrix){.format = GPUMM_DENSE,
                        .type = dense_type (x->type),
                        .op = x->op,
                        .rows = rows,
                        .cols = cols,
                        .ld = rows,
                        .values = values};
}

gpumm_problem gpumm_as_dense_panel (const gpumm_problem *p, int64_t width) {
  gpumm_problem q = *p;
  q.a = dense (&p->a, p->a.rows, p->a.cols, p->a.values);
  q.b = p->b.op == GPUMM_NONE ? dense (&p->b, p->b.rows, width, p->b.values)
                              : dense (&p->b, width, p->b.cols, p->b.values);
  return q;
}

/* Seconds of a thread. Of a dense element of A or B: to write it out, into memory that is touched for
 * the first time. Of one of C: to look at it, and, where it is not zero, to store it and its row. At n =
 * 200 to 1000, 20 to 70 % full, they came to 14 to 20 ns of two cores of a Xeon for an element of each. */
static const double WRITE_SECONDS = 4e-9, LOOK_SECONDS = 1e-9, STORE_SECONDS = 8e-9;

double gpumm_as_dense_seconds (const gpumm_problem *p) {
  const double m = (double) gpumm_m (p), k = (double) gpumm_k (p), n = (double) gpumm_n (p);
  const double operands = gpumm_is_one_array (p) ? m * k : m * k + k * n;
  const double work = operands * WRITE_SECONDS + m * n * (LOOK_SECONDS + STORE_SECONDS);
  return work * (gpumm_is_complex (p->output) ? 2 : 1) / gpumm_threads ();
}

/* ---- from sparse to dense ----------------------------------------------------------------- */

typedef struct {
  const double *x;
  atomic_int found;
} search;

static void search_large (void *context, int64_t begin, int64_t end) {
  search *s = context;
  int large = 0;
  for (int64_t t = begin; t < end; t++)
    large |= !(fabs (s->x[t]) <= LARGEST);
  if (large)
    atomic_store (&s->found, 1);
}

/* Are any elements, or parts of elements, Inf, NaN or above LARGEST? */
static gpumm_status has_large (const gpumm_matrix *x, int *found) {
  search s = {x->values, 0};
  gpumm_status status = GPUMM_OK;
  if (x->type != GPUMM_B)
    status = gpumm_parallel (x->start[x->cols] * (gpumm_is_complex (x->type) ? 2 : 1), LEAST,
                             search_large, &s);
  *found = atomic_load (&s.found);
  return status;
}

/* Copies the part of x from this row and column on to the dense `to`, as far as it reaches. */
typedef struct {
  const gpumm_matrix *x;
  int64_t row, column;
  const gpumm_matrix *to;
} part;

static void write_columns (void *context, int64_t begin, int64_t end) {
  const part *w = context;
  const gpumm_matrix *x = w->x, *to = w->to;
  const int64_t *row = x->row;
  for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++) {
    const int64_t last = x->start[w->column + j + 1];
    int64_t t = gpumm_find_from (row, x->start[w->column + j], last, w->row);
    const int parts = to->type == GPUMM_Z ? 2 : 1;
    double *column = (double *) to->values + parts * j * to->ld;
    const double *values = x->values;
    const unsigned char *bytes = x->type == GPUMM_B ? x->values : NULL;
    memset (column, 0, (size_t) (to->rows * parts) * sizeof *column);
    for (; t < last && row[t] < w->row + to->rows; t++) {
      const int64_t at = parts * (row[t] - w->row);
      column[at] = bytes ? bytes[t] : values[parts * t];
      if (parts == 2)
        column[at + 1] = values[2 * t + 1];
    }
  }
}

static int64_t grain_of (const gpumm_matrix *x) {
  return LEAST / (x->rows + 1) + 1;
}

static gpumm_status write_out (const gpumm_matrix *x, int64_t row, int64_t column,
                               const gpumm_matrix *to) {
  part w = {x, row, column, to};
  return gpumm_parallel (to->cols, grain_of (to), write_columns, &w);
}

/* ---- from dense to sparse ----------------------------------------------------------------- */

/* Gives each element of a panel of C its row. */
static void list_rows (void *context, int64_t begin, int64_t end) {
  const gpumm_matrix *c = context;
  for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++)
    for (int64_t i = 0; i < c->rows; i++)
      c->row[j * c->rows + i] = i;
}

/* ---- the row of the table ----------------------------------------------------------------- */

static int takes (const gpumm_problem *p) {
  return p->a.format == GPUMM_SPARSE && p->b.format == GPUMM_SPARSE
         && gpumm_is_sparse_element (p->a.type) && gpumm_is_sparse_element (p->b.type)
         && gpumm_is_zero (p->beta);
}

static gpumm_status refuse_large (const gpumm_problem *p) {
  const int same = gpumm_is_one_array (p);
  int large_a = 0, large_b = 0;
  gpumm_status status = has_large (&p->a, &large_a);
  if (!status && !same)
    status = has_large (&p->b, &large_b);
  if (status)
    return status;
  const char *name = large_a ? "A" : large_b ? "B" : NULL;
  if (name)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "as a dense matrix %s could give Inf or NaN where a sparse one does not: it "
                       "has elements that are not finite or above %.3g",
                       name, LARGEST);
  if (!(fabs (p->alpha.re) <= LARGEST_ALPHA && fabs (p->alpha.im) <= LARGEST_ALPHA))
    return gpumm_fail (
        GPUMM_UNSUPPORTED,
        "of dense matrices, alpha = %g + %gi could give Inf or NaN where sparse ones "
        "do not: it is not finite or above %g",
        p->alpha.re, p->alpha.im, LARGEST_ALPHA);
  return GPUMM_OK;
}

/* Memory for A and a panel of B. */
static gpumm_status take_memory (struct gpumm_job *job, state *s) {
  const gpumm_problem *p = &job->problem;
  const int64_t m = gpumm_m (p), n = gpumm_n (p), k = gpumm_k (p);
  s->width = gpumm_as_dense_width (p);
  if (s->width == 0)
    return gpumm_fail (GPUMM_HOST_MEMORY,
                       "as dense matrices, %lld x %lld times %lld x %lld needs more working memory "
                       "than %.0f MiB",
                       (long long) m, (long long) k, (long long) k, (long long) n,
                       WORKSPACE_BYTES / (1 << 20));
  s->same = s->width == n && gpumm_is_one_array (p);
  const gpumm_problem q = gpumm_as_dense_panel (p, s->width);
  s->a = q.a;
  s->b = q.b;
  s->a.values = gpumm_own (&job->memory, m * k, gpumm_type_bytes (s->a.type));
  s->b.values =
      s->same ? s->a.values : gpumm_own (&job->memory, k * s->width, gpumm_type_bytes (s->b.type));
  return s->a.values && s->b.values ? GPUMM_OK : GPUMM_HOST_MEMORY;
}

static gpumm_status open (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  state *s = gpumm_new_state (job, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  if (gpumm_is_zero (p->alpha))
    return GPUMM_OK; /* A and B are not read; nzmax stays 0 */
  if (job->shape.rows == 0 || job->shape.cols == 0)
    return GPUMM_OK;
  gpumm_status status = refuse_large (p);
  if (!status)
    status = take_memory (job, s);
  double products = 0;
  if (!status)
    status = gpumm_count_products (&p->b, &p->a, &products);
  s->flops = products * gpumm_flops_each (p);
  if (!status)
    status = write_out (&p->a, 0, 0, &s->a);
  if (status)
    return status;
  if (__builtin_mul_overflow (job->shape.rows, job->shape.cols, &job->shape.nzmax))
    return gpumm_fail (GPUMM_HOST_MEMORY, "a %lldx%lld result is too large",
                       (long long) job->shape.rows, (long long) job->shape.cols);
  return GPUMM_OK;
}

static gpumm_status run (struct gpumm_job *job, gpumm_matrix *result) {
  const state *s = job->state;
  memset (result->start, 0, (size_t) (result->cols + 1) * sizeof *result->start);
  if (s->width > 0 && s->width < result->cols) /* else keep the dense product's report */
    gpumm_progress_of ((double) result->cols);
  return GPUMM_OK;
}

/* The product of the next panel. */
static gpumm_status next (struct gpumm_job *job, gpumm_problem *q, int *more) {
  const gpumm_problem *p = &job->problem;
  state *s = job->state;
  const int64_t column = s->column, width = gpumm_least (s->width, gpumm_n (p) - column);
  *more = width > 0;
  if (!*more)
    return GPUMM_OK;
  *q = gpumm_as_dense_panel (p, width);
  q->a.values = s->a.values;
  q->b.values = s->b.values;
  s->column += width;
  return s->same ? GPUMM_OK
                 : write_out (&p->b, p->b.op == GPUMM_NONE ? 0 : column,
                              p->b.op == GPUMM_NONE ? column : 0, &q->b);
}

/* A panel of C lies in the result, behind the columns before, and is compressed there. */
static gpumm_status into (struct gpumm_job *job, const gpumm_matrix *shape, gpumm_matrix *result,
                          gpumm_matrix *c) {
  const state *s = job->state;
  const int64_t at = result->start[s->column - shape->cols];
  *c = *shape;
  c->values = (char *) result->values + (size_t) at * gpumm_type_bytes (result->type);
  return GPUMM_OK;
}

static gpumm_status finish (struct gpumm_job *job, const gpumm_matrix *c, gpumm_matrix *result) {
  const state *s = job->state;
  gpumm_matrix part = *result;
  part.start += s->column - c->cols;
  const int64_t at = *part.start;
  part.cols = c->cols;
  part.row += at;
  part.values = c->values;
  for (int64_t j = 0; j <= part.cols; j++)
    part.start[j] = j * part.rows;
  gpumm_status status = gpumm_parallel (part.cols, grain_of (c), list_rows, &part);
  if (!status)
    status = gpumm_drop_zeros (&part);
  for (int64_t j = 0; j <= part.cols; j++)
    part.start[j] += at;
  gpumm_progress_add ((double) c->cols);
  job->report.flops = s->flops;
  return status;
}

const gpumm_algorithm gpumm_algorithm_sparse_as_dense = {
    .name = "sparse_as_dense",
    .summary = "sparse by sparse as a dense product, for matrices so full that this is faster",
    .takes = takes,
    .open = open,
    .run = run,
    .next = next,
    .into = into,
    .finish = finish,
};

/* sparse_as_full.c - two sparse matrices so full that a full product is faster.
 *
 * A and B become full matrices. A job with its own plan multiplies them into the values of C, and
 * zeros are dropped there. A term 0 x does not change a sum unless x is Inf or NaN, or the sum
 * overflows: operands for which this is possible are refused, and "auto" multiplies them as sparse
 * ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/threads.h"
#include "compressed.h"
#include "sparse.h"

#include <math.h>
#include <string.h>

/* With elements and alpha up to this, even 2^31 complex products sum to less than 2^1000. */
static const double LARGEST = 0x1p320;

typedef struct {
  gpumm_problem full;
  double flops;
} state;

typedef struct {
  const gpumm_matrix *from, *to;
  _Atomic int is_large; /* an element is Inf, NaN or above LARGEST */
} conversion;

static int takes_sparse_as_full (const gpumm_problem *p) {
  return p->a.format == GPUMM_SPARSE && p->b.format == GPUMM_SPARSE
         && gpumm_is_sparse_element (p->a.type) && gpumm_is_sparse_element (p->b.type)
         && gpumm_is_zero (p->beta);
}

static void write_columns (void *context, int64_t begin, int64_t end) {
  conversion *c = context;
  const gpumm_matrix *x = c->from;
  const int parts = gpumm_is_complex (x->type) ? 2 : 1;
  const unsigned char *bytes = x->type == GPUMM_B ? x->values : NULL;
  int is_large = 0;
  for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++) {
    double *column = (double *) c->to->values + parts * j * x->rows;
    for (int64_t t = x->start[j]; t < x->start[j + 1]; t++)
      for (int part = 0; part < parts; part++) {
        const double value = bytes ? bytes[t] : ((const double *) x->values)[parts * t + part];
        is_large |= !(fabs (value) <= LARGEST);
        column[parts * x->row[t] + part] = value;
      }
  }
  if (is_large)
    c->is_large = 1;
}

static gpumm_status refuse (const char *what) {
  return gpumm_fail (
      GPUMM_UNSUPPORTED,
      "full matrices could give Inf or NaN where sparse ones do not: %s is not finite "
      "or above %.3g",
      what, LARGEST);
}

static gpumm_status write_out (struct gpumm_job *job, const gpumm_matrix *x, const char *what,
                               gpumm_matrix *full) {
  *full = (gpumm_matrix){.format = GPUMM_FULL,
                         .type = x->type == GPUMM_B ? GPUMM_D : x->type,
                         .op = x->op,
                         .rows = x->rows,
                         .cols = x->cols,
                         .ld = x->rows};
  full->values =
      gpumm_own (&job->memory, x->cols, (size_t) x->rows * gpumm_type_bytes (full->type));
  if (!full->values)
    return GPUMM_HOST_MEMORY;
  conversion c = {x, full, 0};
  const gpumm_status status =
      gpumm_parallel (x->cols, gpumm_column_grain (full->rows), write_columns, &c);
  return status || !c.is_large ? status : refuse (what);
}

static gpumm_status open_sparse_as_full (struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  gpumm_matrix *shape = &job->shape;
  state *s = gpumm_new_state (job, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  if (gpumm_is_zero (p->alpha))
    return GPUMM_OK; /* A and B are not read; nzmax stays 0 */
  if (!(fabs (p->alpha.re) <= LARGEST && fabs (p->alpha.im) <= LARGEST))
    return refuse ("alpha");
  if (__builtin_mul_overflow (shape->rows, shape->cols, &shape->nzmax))
    return gpumm_fail (GPUMM_HOST_MEMORY, "a %lldx%lld result is too large",
                       (long long) shape->rows, (long long) shape->cols);
  s->full = *p;
  job->by = &s->full;
  gpumm_status status = write_out (job, &p->a, "an element of A", &s->full.a);
  s->full.b = s->full.a;
  s->full.b.op = p->b.op;
  if (!status && !gpumm_is_one_array (p))
    status = write_out (job, &p->b, "an element of B", &s->full.b);
  return status ? status : gpumm_count_products (&p->b, &p->a, &s->flops);
}

static gpumm_status run_sparse_as_full (struct gpumm_job *job, gpumm_matrix *result) {
  (void) job;
  memset (result->start, 0, (size_t) (result->cols + 1) * sizeof *result->start);
  return GPUMM_OK;
}

static gpumm_matrix into (const struct gpumm_job *job, const gpumm_matrix *result) {
  gpumm_matrix c = job->inner->shape;
  c.values = result->values;
  return c;
}

static void list_rows (void *context, int64_t begin, int64_t end) {
  const gpumm_matrix *c = context;
  for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++) {
    c->start[j + 1] = (j + 1) * c->rows;
    for (int64_t i = 0; i < c->rows; i++)
      c->row[j * c->rows + i] = i;
  }
}

static gpumm_status finish (struct gpumm_job *job, const gpumm_matrix *c, gpumm_matrix *result) {
  const state *s = job->state;
  job->report.flops = s->flops * gpumm_flops_each (&job->problem);
  const gpumm_status status =
      gpumm_parallel (c->cols, gpumm_column_grain (c->rows), list_rows, result);
  return status ? status : gpumm_drop_zeros (result);
}

const gpumm_algorithm gpumm_algorithm_sparse_as_full = {
    .name = "sparse_as_full",
    .summary = "sparse by sparse as a full product, for matrices so full that this is faster",
    .takes = takes_sparse_as_full,
    .open = open_sparse_as_full,
    .run = run_sparse_as_full,
    .into = into,
    .finish = finish,
};

/* real_by_complex.c - a real full matrix times a complex one, as another product.
 *
 * Interleaved complex storage is real storage with twice the rows, so a complex A by a real B is
 * one real product without copies. Else the BLAS multiplies real and imaginary parts (blas.c).
 * Devices do so where the real matrix is the large one, and else get it as a complex one. If the
 * BLAS does not compute the real product, another job does.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "real_by_complex.h"
#include "algorithm.h"
#include "base/cancel.h"
#include "memory/host.h"
#include "base/threads.h"
#include "base/types.h"

int gpumm_is_real_by_complex (const gpumm_problem *p) {
  return gpumm_is_full_float (p) && p->a.type != p->b.type;
}

int gpumm_is_in_pairs (const gpumm_problem *p) {
  return gpumm_is_real_by_complex (p) && gpumm_is_complex (p->a.type) && !gpumm_is_turned (&p->a)
         && p->alpha.im == 0 && p->beta.im == 0 && p->a.ld <= INT64_MAX / 4;
}

gpumm_matrix gpumm_pairs_of (const gpumm_matrix *x) {
  gpumm_matrix y = *x;
  y.type = gpumm_is_complex (x->type) ? gpumm_real_type (x->type) : GPUMM_TYPES;
  y.rows *= 2;
  y.ld *= 2;
  return y;
}

void gpumm_take_pairs (gpumm_problem *p, gpumm_matrix *c0) {
  p->a = gpumm_pairs_of (&p->a);
  p->output = p->a.type;
  if (p->c0) {
    *c0 = gpumm_pairs_of (p->c0);
    p->c0 = c0;
  }
}

/* ---- real and imaginary parts apart --------------------------------------------------------- */

#define LOOPS(real, suffix)                                                                        \
  static void split_##suffix (void *context, int64_t begin, int64_t end) {                         \
    const gpumm_columns *c = context;                                                              \
    for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++) {                              \
      const real *from = (const real *) c->from + 2 * j * c->ld_from;                              \
      real *re = (real *) c->to + 2 * j * c->ld_to, *im = re + c->ld_to;                           \
      for (int64_t i = 0; i < c->rows; i++) {                                                      \
        re[i] = from[2 * i];                                                                       \
        im[i] = c->conjugate ? -from[2 * i + 1] : from[2 * i + 1];                                 \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void join_##suffix (void *context, int64_t begin, int64_t end) {                          \
    const gpumm_columns *c = context;                                                              \
    const int is_plain = gpumm_is_one (c->alpha) && gpumm_is_zero (c->beta);                       \
    const real ar = (real) c->alpha.re, ai = (real) c->alpha.im;                                   \
    const real br = (real) c->beta.re, bi = (real) c->beta.im;                                     \
    for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++) {                              \
      const real *re = (const real *) c->from + 2 * j * c->ld_from, *im = re + c->ld_from;         \
      real *to = (real *) c->to + 2 * j * c->ld_to;                                                \
      for (int64_t i = 0; i < c->rows && is_plain; i++) {                                          \
        to[2 * i] = re[i];                                                                         \
        to[2 * i + 1] = c->conjugate ? -im[i] : im[i];                                             \
      }                                                                                            \
      for (int64_t i = 0; i < c->rows && !is_plain; i++) {                                         \
        const real x = re[i], y = c->conjugate ? -im[i] : im[i], u = to[2 * i], v = to[2 * i + 1]; \
        to[2 * i] = ai == 0 ? ar * x : ar * x - ai * y;                                            \
        to[2 * i + 1] = ai == 0 ? ar * y : ar * y + ai * x;                                        \
        if (br != 0 || bi != 0) {                                                                  \
          to[2 * i] += bi == 0 ? br * u : br * u - bi * v;                                         \
          to[2 * i + 1] += bi == 0 ? br * v : br * v + bi * u;                                     \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }
LOOPS (float, s)
LOOPS (double, d)

gpumm_status gpumm_split_columns (gpumm_type type, const gpumm_columns *c, int64_t count) {
  return gpumm_parallel (count, gpumm_column_grain (c->rows),
                         gpumm_is_single (type) ? split_s : split_d, (void *) c);
}

gpumm_status gpumm_join_columns (gpumm_type type, const gpumm_columns *c, int64_t count) {
  return gpumm_parallel (count, gpumm_column_grain (c->rows),
                         gpumm_is_single (type) ? join_s : join_d, (void *) c);
}

/* A device multiplies real and imaginary parts if the complex operand and C together have less than
 * this part of the real operand's elements. With that sent as complex, 8192 x 8192 by 64 columns
 * took 4 to 5 times as long on an H200. */
static const double SMALL_PART = 0.25;

static double elements_of (const gpumm_matrix *x) {
  return (double) x->rows * (double) x->cols;
}

int gpumm_is_split (const gpumm_problem *p) {
  const int left = gpumm_is_complex (p->a.type);
  const gpumm_matrix *x = left ? &p->a : &p->b, *y = left ? &p->b : &p->a;
  const double c = left ? 0 : (double) gpumm_m (p) * (double) gpumm_n (p);
  return gpumm_is_real_by_complex (p) && !gpumm_is_zero (p->alpha) && gpumm_is_zero (p->beta)
         && !(left && p->alpha.im != 0) && elements_of (x) + c < SMALL_PART * elements_of (y);
}

/* ---- the real product, by another job ------------------------------------------------------- */

typedef struct {
  gpumm_problem real;
  gpumm_matrix c0;  /* of it */
  void *apart;      /* memory of real and imaginary parts; NULL: C is the product, in pairs */
  int is_conjugate; /* they are of the conjugate */
} state;

/* x, whose columns lie along k, as twice as many real columns. */
static gpumm_status split_operand (struct gpumm_job *job, gpumm_matrix *x) {
  gpumm_columns c = {.from = x->values,
                     .rows = x->rows,
                     .ld_from = x->ld,
                     .ld_to = x->rows,
                     .conjugate = x->op == GPUMM_CTRANSPOSE};
  const gpumm_type type = x->type;
  const int64_t cols = x->cols;
  c.to = gpumm_own (&job->memory, x->rows * cols, gpumm_type_bytes (type));
  x->type = gpumm_real_type (type);
  x->cols = 2 * cols;
  x->ld = x->rows;
  x->values = c.to;
  return c.to ? gpumm_split_columns (type, &c, cols) : GPUMM_HOST_MEMORY;
}

static gpumm_status open_real_by_complex (struct gpumm_job *job) {
  gpumm_status status = GPUMM_OK;
  state *s = gpumm_new_state (job, sizeof *s);
  if (!s)
    return GPUMM_HOST_MEMORY;
  gpumm_problem *p = &s->real;
  *p = job->problem;
  job->by = p;
  if (gpumm_is_in_pairs (p)) {
    gpumm_take_pairs (p, &s->c0);
    return GPUMM_OK;
  }
  p->output = gpumm_real_type (p->output);
  if (gpumm_is_complex (p->a.type)) { /* op (A) is turned, and then lies in pairs */
    status = split_operand (job, &p->a);
    p->a.op = GPUMM_TRANSPOSE;
    return status;
  }
  if (p->b.op == GPUMM_NONE)
    status = split_operand (job, &p->b);
  else { /* its parts lie along k, one row after the other */
    s->is_conjugate = p->b.op == GPUMM_CTRANSPOSE;
    p->b = gpumm_pairs_of (&p->b);
    p->b.op = GPUMM_TRANSPOSE;
  }
  p->alpha = (gpumm_scalar){1, 0};
  s->apart = gpumm_own (&job->memory, gpumm_m (p) * gpumm_n (p), gpumm_type_bytes (p->output));
  return status || s->apart ? status : GPUMM_HOST_MEMORY;
}

static gpumm_matrix into (const struct gpumm_job *job, const gpumm_matrix *result) {
  const state *s = job->state;
  gpumm_matrix c = s->apart ? job->inner->shape : gpumm_pairs_of (result);
  if (s->apart)
    c.values = s->apart;
  return c;
}

static gpumm_status finish (struct gpumm_job *job, const gpumm_matrix *product,
                            gpumm_matrix *result) {
  const state *s = job->state;
  const gpumm_columns c = {.from = product->values,
                           .to = result->values,
                           .rows = result->rows,
                           .ld_from = product->ld,
                           .ld_to = result->ld,
                           .conjugate = s->is_conjugate,
                           .alpha = job->problem.alpha};
  return s->apart ? gpumm_join_columns (result->type, &c, result->cols) : GPUMM_OK;
}

const gpumm_algorithm gpumm_algorithm_real_by_complex = {
    .name = "real by complex",
    .summary = "a real by a complex full matrix, as a product of real ones",
    .open = open_real_by_complex,
    .into = into,
    .finish = finish,
    .hides = 1,
};

/* ---- a real matrix as a complex one -------------------------------------------------------- */

#define WIDEN(real, suffix)                                                                        \
  static void widen_##suffix (void *context, int64_t begin, int64_t end) {                         \
    const gpumm_columns *c = context;                                                              \
    for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++) {                              \
      const real *from = (const real *) c->from + j * c->ld_from;                                  \
      real *to = (real *) c->to + 2 * j * c->ld_to;                                                \
      for (int64_t i = 0; i < c->rows; i++) {                                                      \
        to[2 * i] = from[i];                                                                       \
        to[2 * i + 1] = 0;                                                                         \
      }                                                                                            \
    }                                                                                              \
  }
WIDEN (float, s)
WIDEN (double, d)

gpumm_status gpumm_widen (struct gpumm_job *job, int by_blas) {
  gpumm_problem *p = &job->problem;
  gpumm_matrix *x = gpumm_is_complex (p->a.type) ? &p->b : &p->a;
  const int has_parts = p->alpha.im != 0 || p->beta.im != 0;
  int64_t elements;
  if (by_blas && !gpumm_is_zero (p->alpha) && !(gpumm_is_complex (p->a.type) && has_parts))
    return GPUMM_OK;
  gpumm_columns c = {.from = x->values, .rows = x->rows, .ld_from = x->ld, .ld_to = x->rows};
  x->type = p->output;
  if (gpumm_is_zero (p->alpha)) /* it is not read */
    return GPUMM_OK;
  if (__builtin_mul_overflow (x->rows, x->cols, &elements))
    elements = -1; /* gpumm_allocate refuses this and sets the text */
  job->widened = c.to = x->values = gpumm_allocate (elements, gpumm_type_bytes (p->output));
  x->ld = x->rows;
  if (!c.to)
    return GPUMM_HOST_MEMORY;
  return gpumm_parallel (x->cols, gpumm_column_grain (x->rows),
                         gpumm_is_single (p->output) ? widen_s : widen_d, &c);
}

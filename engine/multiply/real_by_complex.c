/* real_by_complex.c - a real full matrix times a complex one, as another product.
 *
 * Interleaved complex storage is real storage with twice the rows, so a complex A by a real B is
 * one real product without copies. Else the BLAS multiplies real and imaginary parts (blas.c), and
 * devices get the real matrix as a complex one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "real_by_complex.h"
#include "algorithm.h"
#include "cancel.h"
#include "memory/host.h"
#include "threads.h"
#include "types.h"

int gpumm_is_real_by_complex (const gpumm_problem *p) {
  return gpumm_is_dense_float (p) && p->a.type != p->b.type;
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

void gpumm_take_pairs (struct gpumm_job *job) {
  gpumm_problem *p = &job->problem;
  job->in_pairs = gpumm_is_in_pairs (p);
  if (!job->in_pairs)
    return;
  p->a = gpumm_pairs_of (&p->a);
  p->output = p->a.type;
  job->shape = gpumm_pairs_of (&job->shape);
  if (p->c0)
    job->c0 = gpumm_pairs_of (&job->c0);
}

gpumm_matrix gpumm_shape_of (const struct gpumm_job *job) {
  gpumm_matrix shape = job->shape;
  if (job->in_pairs) {
    shape.type = gpumm_complex_type (shape.type);
    shape.rows /= 2;
    shape.ld /= 2;
  }
  return shape;
}

gpumm_matrix *gpumm_as_shaped (const struct gpumm_job *job, gpumm_matrix *result,
                               gpumm_matrix *pairs) {
  if (!job->in_pairs)
    return result;
  *pairs = gpumm_pairs_of (result);
  return pairs;
}

/* ---- a real matrix as a complex one -------------------------------------------------------- */

typedef struct {
  const void *from;
  void *to;
  int64_t rows, ld; /* of the real matrix */
} columns;

#define WIDEN(real, suffix)                                                                        \
  static void widen_##suffix (void *context, int64_t begin, int64_t end) {                         \
    const columns *c = context;                                                                    \
    for (int64_t j = begin; j < end && !gpumm_is_cancelled (); j++) {                              \
      const real *from = (const real *) c->from + j * c->ld;                                       \
      real *to = (real *) c->to + 2 * j * c->rows;                                                 \
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
  if (!gpumm_is_real_by_complex (p)
      || (by_blas && !gpumm_is_zero (p->alpha) && !(gpumm_is_complex (p->a.type) && has_parts)))
    return GPUMM_OK;
  columns c = {.from = x->values, .rows = x->rows, .ld = x->ld};
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

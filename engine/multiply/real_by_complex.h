/* real_by_complex.h - products of a real by a complex full matrix. Whether one is computed as a
 * real product is asked once, when its job is planned; then another job has the real problem.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_REAL_BY_COMPLEX_H
#define GPUMM_REAL_BY_COMPLEX_H

#include "gpumm.h"

struct gpumm_job;

int gpumm_is_real_by_complex (const gpumm_problem *p);

/* Is it a real product of pairs: of a complex A as it lies, with real factors? */
int gpumm_is_in_pairs (const gpumm_problem *p);

/* A complex matrix as a real one of twice the rows; and a problem as this real product, with *c0
 * for its C0. */
gpumm_matrix gpumm_pairs_of (const gpumm_matrix *x);
void gpumm_take_pairs (gpumm_problem *p, gpumm_matrix *c0);

/* Columns to copy in another form: complex ones, real ones, and pairs of real and imaginary
 * parts. */
typedef struct gpumm_columns {
  const void *from;
  void *to;
  int64_t rows, ld_from, ld_to; /* in elements of their own type */
  int conjugate;
  gpumm_scalar alpha, beta; /* of join */
} gpumm_columns;

/* split: each of count complex columns to two real ones; join: back, times alpha, plus beta times
 * what is there. type: the complex one. */
gpumm_status gpumm_split_columns (gpumm_type type, const gpumm_columns *c, int64_t count);
gpumm_status gpumm_join_columns (gpumm_type type, const gpumm_columns *c, int64_t count);

/* Of a product that the BLAS does not compute. is_split: is its real operand far larger than the
 * complex one and C? Then real and imaginary parts are multiplied. Else gpumm_widen makes the real
 * operand of a planned job complex. The BLAS needs that only for some factors. */
int gpumm_is_split (const gpumm_problem *p);
gpumm_status gpumm_widen (struct gpumm_job *job, int by_blas);

#endif

/* real_by_complex.h - full matrices of floating point, one real and one complex.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_REAL_BY_COMPLEX_H
#define GPUMM_REAL_BY_COMPLEX_H

#include "gpumm.h"

struct gpumm_job;

int gpumm_is_real_by_complex (const gpumm_problem *p);

/* Is it a real product of pairs: of a complex A as it lies, with real factors? */
int gpumm_is_in_pairs (const gpumm_problem *p);

/* A complex matrix as a real one of twice the rows. */
gpumm_matrix gpumm_pairs_of (const gpumm_matrix *x);

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

/* Makes a job such a product of pairs, if it is one; the caller's shape of its result; and the
 * caller's checked result as the job has it, in *other if that is another matrix. */
void gpumm_take_pairs (struct gpumm_job *job);
gpumm_matrix gpumm_shape_of (const struct gpumm_job *job);
gpumm_matrix *gpumm_as_shaped (const struct gpumm_job *job, gpumm_matrix *result,
                               gpumm_matrix *other);

/* is_split: does the BLAS not compute the planned product, and is its real operand far larger than
 * the complex one and C? split: then makes the job a product of real and imaginary parts, which
 * needs another plan. widen: else makes the real operand complex. */
int gpumm_is_split (const gpumm_problem *p, int by_blas);
gpumm_status gpumm_split (struct gpumm_job *job);
gpumm_status gpumm_widen (struct gpumm_job *job, int by_blas);

/* After the run: what split has made apart becomes the caller's result. */
gpumm_status gpumm_join (const struct gpumm_job *job, const gpumm_matrix *result);

#endif

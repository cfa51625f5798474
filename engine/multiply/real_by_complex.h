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

/* Makes a job such a product of pairs, if it is one; the caller's shape of its result; and the
 * caller's result as the job has it, in *pairs if that is another matrix. */
void gpumm_take_pairs (struct gpumm_job *job);
gpumm_matrix gpumm_shape_of (const struct gpumm_job *job);
gpumm_matrix *gpumm_as_shaped (const struct gpumm_job *job, gpumm_matrix *result,
                               gpumm_matrix *pairs);

/* Makes the real operand of a planned job complex, unless the BLAS computes and multiplies it as it
 * is. */
gpumm_status gpumm_widen (struct gpumm_job *job, int by_blas);

#endif

/* magnitude.h - how large the numbers of a matrix are, and whether they are far from overflow.
 *
 * The numbers lie in host memory and are read by the calling thread: callers may give parts of a
 * large matrix to several threads. The callers decide what a number outside the safe range means.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_MAGNITUDE_H
#define GPUMM_MAGNITUDE_H

#include "gpumm.h"

/* Magnitudes from least to most. */
typedef struct {
  double least, most;
} gpumm_range;

/* What lies within needs no scaling against overflow and underflow: LAPACK's alone scale. type: S,
 * D, C, Z, here and below. */
gpumm_range gpumm_safe_range (gpumm_type type);

/* The largest part of count elements: Inf or NaN if there is one, and 0 if there is none. */
double gpumm_largest (gpumm_type type, const void *values, int64_t count);

/* The larger of two results of gpumm_largest. */
double gpumm_larger (double x, double y);

/* From the smallest to the largest element of a diagonal, each by its larger part. NaN is larger
 * than Inf. */
gpumm_range gpumm_diagonal_range (gpumm_type type, const void *a, int64_t n, int64_t lda);

#endif

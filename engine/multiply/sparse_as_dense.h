/* sparse_as_dense.h - what the plan asks of products of sparse matrices as dense ones.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_AS_DENSE_H
#define GPUMM_SPARSE_AS_DENSE_H

#include "gpumm.h"

/* Columns of C that are made at once, as host memory for dense matrices is bounded; 0: there is too
 * little of it. */
int64_t gpumm_as_dense_width (const gpumm_problem *p);

/* The dense product of such a panel, of sizes and types alone: its values are the sparse ones, and not
 * for reading. */
gpumm_problem gpumm_as_dense_panel (const gpumm_problem *p, int64_t width);

/* Seconds, at most, that it takes besides the products of panels: to write A and B out and to compress
 * C. */
double gpumm_as_dense_seconds (const gpumm_problem *p);

#endif

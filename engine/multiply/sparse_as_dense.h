/* sparse_as_dense.h - what the plan asks about dense products of sparse matrices.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_AS_DENSE_H
#define GPUMM_SPARSE_AS_DENSE_H

#include "gpumm.h"

/* Columns of C computed at once, limited by host memory for dense matrices; 0: too little
 * memory. */
int64_t gpumm_as_dense_width (const gpumm_problem *p);

/* The dense product of such a panel, for its sizes and types only; its values must not be read. */
gpumm_problem gpumm_as_dense_panel (const gpumm_problem *p, int64_t width);

/* The most seconds besides the panels' products: to write out A and B and to compress C. */
double gpumm_as_dense_seconds (const gpumm_problem *p);

#endif

/* sparse.h - functions for sparse products on the CPU and on devices.
 *
 * The operands lie in host memory: what goes to a device is prepared here before it goes. The
 * estimate reads patterns alone and decides nothing: the plan weighs it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_H
#define GPUMM_SPARSE_H

#include "base/types.h"
#include "gpumm.h"
#include "memory/host.h"

/* Can a sparse matrix have elements of this type? */
static inline int gpumm_is_sparse_element (gpumm_type type) {
  return type == GPUMM_D || type == GPUMM_Z || type == GPUMM_B;
}

/* op (X) by columns, of double or double complex, in the memory of X if possible, else in memory of
 * the owner. */
gpumm_status gpumm_sparse_by_columns (gpumm_owner *memory, const gpumm_matrix *x,
                                      gpumm_matrix *out);

/* Numbers that decide how to multiply two sparse operands. */
typedef struct gpumm_sparse_estimate {
  /* multiplications: counted, or estimated from a sample or from the number of elements */
  double products;
  int64_t natural; /* gpumm_natural_size */
  /* elements of C: estimated from some columns, or for evenly spread products */
  double nonzeros;
  int threads; /* of the CPU, also where the others are zero */
} gpumm_sparse_estimate;

/* Takes about 0.1 ms; all zero but the threads if an operand is full or alpha is 0. */
gpumm_sparse_estimate gpumm_estimate_sparse (const gpumm_problem *p);

#endif

/* sparse.h - what sparse products on the CPU and on devices share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_H
#define GPUMM_SPARSE_H

#include "gpumm.h"
#include "memory/host.h"
#include "types.h"

/* A sparse operand's arrays must be sound before anything follows their indices. name is "A" or
 * "B". */
gpumm_status gpumm_check_sparse (const gpumm_operand *x, const char *name);

/* Can it be an element of a sparse matrix? */
static inline int gpumm_is_sparse_element (gpumm_type type) {
  return type == GPUMM_D || type == GPUMM_Z || type == GPUMM_B;
}

static inline int gpumm_is_same_sparse (const gpumm_operand *a, const gpumm_operand *b) {
  return gpumm_is_same (a, b);
}

/* op (X) by columns, its elements double or double complex, in the memory of X where that will do
 * and else in memory of the owner. */
gpumm_status gpumm_sparse_by_columns (gpumm_owner *memory, const gpumm_operand *x, gpumm_op op,
                                      gpumm_operand *out);

/* What decides between ways to multiply two sparse operands. */
typedef struct gpumm_sparse_estimate {
  /* multiplications: counted, or of many elements estimated from some of them or from their number */
  double products;
  int64_t natural; /* gpumm_natural_size */
  /* elements of C: counted in some columns, and where that cannot be as many as if products were
   * spread evenly */
  double nonzeros;
} gpumm_sparse_estimate;

/* Takes some 0.1 ms of the CPU; all zeros where one of the operands is dense. They need not be sound: it
 * looks at no element past nzmax and follows no index that is out of range. */
gpumm_sparse_estimate gpumm_estimate_sparse (const gpumm_problem *p);

/* Columns cut[piece] to before cut[piece + 1] of C lie from start[cut[piece]] on and end before
 * end[piece], as zeros were left out: what follows moves down. */
void gpumm_close_gaps (gpumm_operand *c, const int64_t *start, const int64_t *cut, int64_t pieces,
                       const int64_t *end);

#endif

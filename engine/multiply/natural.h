/* natural.h - full square blocks in a plain sparse matrix.
 *
 * Several unknowns per point, as in a stiffness matrix, give full blocks: with b unknowns each
 * stored element belongs to a full b x b block whose first row and column are multiples of b.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_NATURAL_H
#define GPUMM_NATURAL_H

#include "gpumm.h"
#include "memory/host.h"

/* f (b) with b, one of the possible sizes, as a constant. */
#define GPUMM_WITH_NATURAL_SIZE(b, f)                                                              \
  switch (b) {                                                                                     \
  case 2:                                                                                          \
    f (2);                                                                                         \
    break;                                                                                         \
  case 3:                                                                                          \
    f (3);                                                                                         \
    break;                                                                                         \
  case 4:                                                                                          \
    f (4);                                                                                         \
    break;                                                                                         \
  case 6:                                                                                          \
    f (6);                                                                                         \
    break;                                                                                         \
  default:                                                                                         \
    f (8);                                                                                         \
  }

/* The block sizes b (of 2, 3, 4, 6 and 8) of which all sampled columns of x consist, as bits 1 <<
 * b; 0: none, or x has no elements. If x is not made of blocks, one or two columns show it. */
unsigned gpumm_natural_sizes (const gpumm_matrix *x);

/* The largest of these sizes, or 0. */
static inline int64_t gpumm_largest_size (unsigned sizes) {
  return sizes ? 31 - __builtin_clz (sizes) : 0;
}

/* The largest block size possible for both operands, or 0. */
int64_t gpumm_natural_size (const gpumm_problem *p);

/* Elements of C per multiplication of a product in natural blocks of b x b (1: of elements),
 * estimated from some columns. Transposed operands count as stored, because finite-element patterns
 * are symmetric. 0: not known. */
double gpumm_natural_yield (const gpumm_problem *p, int64_t b, double products);

/* x in full b x b blocks, which divide its sizes: rows, columns and offsets count blocks, in memory
 * of the owner, and the values are those of x. out->start is NULL if x does not consist of such
 * blocks. */
gpumm_status gpumm_as_natural (gpumm_owner *memory, const gpumm_matrix *x, int64_t b,
                               gpumm_matrix *out);

#endif

/* natural.h - square blocks that a sparse matrix is made of without saying so.
 *
 * Several unknowns at a point, as in a stiffness matrix, give full blocks side by side: with b of
 * them every stored element belongs to a full b x b block whose first row and column are multiples
 * of b.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_NATURAL_H
#define GPUMM_NATURAL_H

#include "gpumm.h"

/* f (b) with b, one of the sizes that are looked for, as a constant. */
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

/* The sizes b, of 2, 3, 4, 6 and 8, of full blocks that some columns of x all consist of, as bits
 * 1 << b; 0: none, or x has no elements. An estimate, from some columns, and from
 * one or two where x is not made of blocks. x need not be sound. */
unsigned gpumm_natural_sizes (const gpumm_operand *x);

/* The largest size that both operands may have; 0 if there is none. */
int64_t gpumm_natural_size (const gpumm_problem *p);

/* Elements of C for each of so many multiplications of a product in natural blocks of b x b (1: of
 * elements), as they are in some of its columns; transposed operands count as they are stored, for
 * patterns of finite elements are symmetric. 0: not known. The operands need not be sound. */
double gpumm_natural_yield (const gpumm_problem *p, int64_t b, double products);

/* Is x, which is sound, made of full b x b blocks to the last element? Then block column j begins
 * at start[j] = column[j b] / b^2, counted in blocks, and row[t] is the block row of block t. start
 * has room for cols / b + 1 offsets, row for nnz / b^2 numbers; they are undefined where x is not. */
int gpumm_find_natural (const gpumm_operand *x, int64_t b, int64_t *start, int64_t *row);

#endif

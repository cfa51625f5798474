/* blocks.h - functions for products and files of blocks. SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLOCKS_H
#define GPUMM_BLOCKS_H

#include "compressed.h"

/* Checks the block sizes of op (A) and op (B) if both are in blocks, and their arrays if they will
 * be read. */
gpumm_status gpumm_blocks_check (const gpumm_problem *p);

/* Checks the arrays of x, in blocks and in host memory. name is its name in errors. */
gpumm_status gpumm_blocks_check_structure (const gpumm_operand *x, const char *name);

/* Estimates the products of blocks of two operands in blocks: for A by B and A' by B from a sample,
 * else for evenly spread blocks. The arrays may be unchecked. */
double gpumm_blocks_pairs (const gpumm_problem *p);

/* Refuses a C in blocks, of the shape c, that memory cannot hold before its blocks are counted, which
 * may take minutes. Both operands, in blocks, have been checked; pairs is the number of products of
 * blocks. */
static inline gpumm_status gpumm_blocks_check_room (const gpumm_problem *p, const gpumm_operand *c,
                                                    double pairs) {
  const gpumm_lines a = gpumm_lines_of (&p->a), b = gpumm_lines_of (&p->b);
  return gpumm_check_least (c, pairs, &a, p->op_a != GPUMM_NONE, &b, p->op_b != GPUMM_NONE);
}

#endif

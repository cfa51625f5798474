/* blocks.h - what products by blocks and files of blocks share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLOCKS_H
#define GPUMM_BLOCKS_H

#include "compressed.h"

/* Are the block sizes of op (A) and op (B), where both are in blocks, and, where they will be read,
 * their arrays fit to be multiplied? */
gpumm_status gpumm_blocks_check (const gpumm_problem *p);

/* Are the arrays of x, in blocks and in host memory, sound? name is what an error calls it. */
gpumm_status gpumm_blocks_check_structure (const gpumm_operand *x, const char *name);

/* Products of blocks, of both operands in blocks: of A by B and A' by B estimated from a sample of
 * what is there, else as if blocks were spread evenly. Their arrays may not have been checked. */
double gpumm_blocks_pairs (const gpumm_problem *p);

/* Refuses a C in blocks, of the shape c, that memory cannot hold before its blocks are counted, which
 * may take minutes. Both operands, in blocks, have been checked; pairs is the number of products of
 * blocks. */
gpumm_status gpumm_blocks_check_room (const gpumm_problem *p, const gpumm_operand *c, double pairs);

/* Blocks of x, whose block row i has block_start[i + 1] of them from start[i] on, close up, and
 * block_start becomes what it should be. */
void gpumm_blocks_close_gaps (gpumm_operand *x, const int64_t *start);

#endif

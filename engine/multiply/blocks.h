/* blocks.h - functions for products and files of blocks. SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLOCKS_H
#define GPUMM_BLOCKS_H

#include "compressed.h"

/* Checks the factors and the depth of a product of integers. */
gpumm_status gpumm_blocks_check (const gpumm_problem *p);

/* Estimates the products of blocks of two operands in blocks: for A by B and A' by B from a sample,
 * else for evenly spread blocks. */
double gpumm_blocks_pairs (const gpumm_problem *p);

#endif

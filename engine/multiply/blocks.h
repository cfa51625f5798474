/* blocks.h - functions for products and files of blocks. SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLOCKS_H
#define GPUMM_BLOCKS_H

#include "compressed.h"

/* Checks the depth of a product of integers. */
gpumm_status gpumm_blocks_check (const gpumm_problem *p);

/* Adds to the job's reason how many products of blocks there are, and what part that is of `all`,
 * those of full matrices. */
struct gpumm_job;
void gpumm_blocks_reason (struct gpumm_job *job, double products, double all);

#endif

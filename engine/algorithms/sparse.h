/* sparse.h - what sparse products on the CPU and on devices share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_H
#define GPUMM_SPARSE_H

#include "../gpumm.h"

/* A sparse operand's arrays must be sound before anything follows their indices. name is "A" or
 * "B". */
gpumm_status gpumm_check_sparse (const gpumm_operand *x, const char *name);

#endif

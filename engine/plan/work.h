/* work.h - what a product takes: operations, and bytes that move. By sizes and types, and for
 * compressed matrices by the number of their elements; not by the places of these.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_WORK_H
#define GPUMM_WORK_H

#include "device/device.h"

/* The product of full matrices as kernels and BLAS take it, without a place for C. */
gpumm_product gpumm_product_of (const gpumm_problem *problem);

/* 2 m n k, or 8 m n k where both operands are complex and 4 m n k where one is. */
double gpumm_full_flops (const gpumm_problem *problem);

/* Operations of a product with sparse operands, estimated for evenly spread elements. */
double gpumm_sparse_flops (const gpumm_problem *problem);

/* Bytes of a product of full matrices to a device and from it; what is there does not move. */
double gpumm_bytes_up (const gpumm_problem *problem);
double gpumm_bytes_down (const gpumm_problem *problem);

/* Bytes of a matrix's elements, with the indices of a compressed one. */
double gpumm_stored_bytes (const gpumm_matrix *matrix);

/* About the bytes that a product of host matrices moves, if compressed ones have evenly spread
 * elements. */
double gpumm_bytes_moved (const gpumm_problem *problem);

#endif

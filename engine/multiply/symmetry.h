/* symmetry.h - products that are symmetric or Hermitian by their operands, such as A A'.
 *
 * An algorithm need not compute C(i,j) and C(j,i) in the same order, nor round their complex parts
 * alike. So whatever computes the product, the lower triangle of C is copied from the upper one at
 * the end.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SYMMETRY_H
#define GPUMM_SYMMETRY_H

#include "device/device.h"

/* Sets *symmetry to what the problem's C is by its operands: one matrix with its transpose, or two
 * matrices in host memory with elements of which one set is the transpose of the other. They are
 * compared up to the first difference. GPUMM_GENERAL also if the result mirrors in any case:
 * integers, one real element. alpha must keep the symmetry, and a C0 in host memory must have it;
 * with a C0 on a device it is GPUMM_GENERAL. A full B that is a copy of A is replaced by A with an
 * op, so that it is neither read nor sent. */
gpumm_status gpumm_find_symmetry (gpumm_problem *p, gpumm_symmetry *symmetry);

/* Makes C so: the lower triangle from the upper one, with a real diagonal if C is Hermitian. In a
 * buffer of a device the work is queued on the array stream. `pages` matrices of this size follow
 * each other. Where only one of two mirrored entries of a sparse C, or of one in blocks, is stored,
 * both become zero and are dropped. */
gpumm_status gpumm_mirror (const gpumm_matrix *c, int64_t pages, gpumm_symmetry symmetry);

#endif

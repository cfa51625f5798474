/* blas.h - the BLAS of this process, for the algorithm and for measurements.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLAS_H
#define GPUMM_BLAS_H

#include "device.h"

/* C = alpha op(A) op(B) + beta C in host memory, through gemm, gemv, or, if B is A transposed, syrk
 * or herk. If kernel is not NULL, *kernel is set to the routine's name. Sizes above largest (0:
 * above this BLAS's integers) are split. */
gpumm_status gpumm_blas_product (const gpumm_product *p, int64_t largest, const char **kernel);

#endif

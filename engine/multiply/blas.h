/* blas.h - the BLAS of this process, for the algorithm and for whoever measures it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLAS_H
#define GPUMM_BLAS_H

#include "device.h"

/* C = alpha op(A) op(B) + beta C in host memory, through gemm, gemv, or syrk and herk where B is
 * A transposed (kernel, if not NULL, becomes the name of the routine). Sizes beyond largest, or
 * beyond what this BLAS's integers hold (largest = 0), are split. */
gpumm_status gpumm_blas_product (const gpumm_product *p, int64_t largest, const char **kernel);

#endif

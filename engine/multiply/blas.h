/* blas.h - the BLAS of this process, for the algorithm and for measurements.
 *
 * For products in host memory. The callers know neither the library's names nor the size of its
 * integers. Nothing here asks whether a GPU is faster.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BLAS_H
#define GPUMM_BLAS_H

#include "device/device.h"

/* C = alpha op(A) op(B) + beta C in host memory, through gemm, gemv, or, if C has a symmetry, syrk
 * or herk; then only the upper triangle is set. If kernel is not NULL, *kernel is set to the
 * routine's name. Sizes above largest (0: above this BLAS's integers) are split. */
gpumm_status gpumm_blas_product (const gpumm_product *p, int64_t largest, const char **kernel);

/* The same of full matrices, one real and one complex, by real products. alpha is not 0, and real
 * factors go with a complex A. */
gpumm_status gpumm_blas_real_by_complex (const gpumm_problem *p, gpumm_matrix *c,
                                         const char **kernel);

/* For many products in several threads. gpumm_blas_begin_threads returns the number of threads that
 * may call gpumm_blas_product at once, or 0 if this BLAS has threads of its own that gpumm cannot
 * stop. Each of the threads first calls gpumm_blas_alone. gpumm_blas_end_threads, unless 0 was
 * returned, gives the BLAS its threads back. */
int gpumm_blas_begin_threads (void);
void gpumm_blas_alone (void);
void gpumm_blas_end_threads (void);

#endif

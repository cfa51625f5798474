/* costs.h - how long work on full matrices takes by measured rates, on the CPU and on a GPU: asked
 * for products, several devices and routines of BLAS and LAPACK alike.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_COSTS_H
#define GPUMM_COSTS_H

#include "plan.h"

/* Work from host memory to host memory. */
typedef struct gpumm_work {
  gpumm_type type;
  double flops, device_flops; /* operations on the CPU, and on a device */
  double up, down;            /* bytes to a device and from it */
  double packed;              /* bytes of B, which a BLAS packs */
} gpumm_work;

/* Of a product of full matrices. */
gpumm_work gpumm_work_of (const gpumm_problem *problem);

/* These seconds, with gpu_wins set: the GPU must save enough to be taken. */
gpumm_estimate gpumm_compare (double cpu, double gpu);

/* Of work, or of a product of full matrices. cpu or gpu may be NULL. */
gpumm_estimate gpumm_costs (const gpumm_work *work, const gpumm_candidate *cpu,
                            const gpumm_candidate *gpu);
gpumm_estimate gpumm_product_costs (const gpumm_problem *problem, const gpumm_candidate *cpu,
                                    const gpumm_candidate *gpu);

#endif

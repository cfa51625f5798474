/* gather.h - gathers what a plan needs to know, and makes the plan.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_GATHER_H
#define GPUMM_GATHER_H

#include "plan.h"

/* problem must be checked and problem->output set. keeps_sparse: gpumm_candidates has it. */
gpumm_status gpumm_plan_product (const gpumm_problem *problem, const gpumm_options *options,
                                 int keeps_sparse, gpumm_plan *plan);

#endif

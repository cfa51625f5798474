/* gather.h - gathers what a plan needs to know, and makes the plan: the way by which a job, and the
 * drop-in, come to one. The only part of plan/ that opens devices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_GATHER_H
#define GPUMM_GATHER_H

#include "costs.h"

/* problem must be checked and problem->output set. keeps_sparse: gpumm_candidates has it. */
gpumm_status gpumm_plan_product (const gpumm_problem *problem, const gpumm_options *options,
                                 int keeps_sparse, gpumm_plan *plan);

/* The costs of work on the CPU and on this GPU; nothing is known of what is too small for a GPU, or
 * of a GPU that cannot be used. */
gpumm_status gpumm_measured_costs (const gpumm_work *work, int device, gpumm_estimate *seconds);

#endif

/* spread.h - a product on several devices: its parts are products of their own.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPREAD_H
#define GPUMM_SPREAD_H

#include "multiply/algorithm.h"

/* What job.c does for a part: `whole` is the job that it is part of. */
typedef struct gpumm_part_calls {
  gpumm_status (*open) (const gpumm_problem *problem, const gpumm_options *options,
                        const struct gpumm_job *whole, struct gpumm_job **part);
  gpumm_status (*run) (struct gpumm_job *part, gpumm_matrix *result);
  void (*close) (struct gpumm_job *part);
} gpumm_part_calls;

/* Opens the parts of a planned job, and sets its shape, if its options allow several devices and they are
 * estimated to be faster than one; else job->spread stays NULL. */
gpumm_status gpumm_spread_open (struct gpumm_job *job, const gpumm_part_calls *calls);

/* Runs them and fills the report. */
gpumm_status gpumm_spread_run (struct gpumm_job *job, gpumm_matrix *result);

void gpumm_spread_close (struct gpumm_job *job);

#endif

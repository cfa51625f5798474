/* spread.h - a product on several devices: its parts are products of their own. Of full matrices in
 * host memory; how the parts share panels is in move/exchange.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPREAD_H
#define GPUMM_SPREAD_H

#include "multiply/algorithm.h"
#include "plan/transfer_rates.h"

/* Opens the parts of a planned job if its matrices are full, its options allow several devices
 * and they are estimated to be faster than one; else job->spread stays NULL. */
gpumm_status gpumm_spread_open (struct gpumm_job *job);

/* Runs them and fills the report. */
gpumm_status gpumm_spread_run (struct gpumm_job *job, gpumm_matrix *result);

void gpumm_spread_close (struct gpumm_job *job);

/* What decides: the seconds that one device computes; the bytes of the operand that all devices
 * need, of the one that is split, and of C. */
typedef struct gpumm_spread_costs {
  double compute, common, split, result;
  gpumm_transfer_rates transfer;
  int gives; /* devices give each other the operand that all need: it goes up once */
} gpumm_spread_costs;

/* The estimated seconds of one device or of all `count`, with their rates relative to each other:
 * uploads, computing and the download overlap. */
double gpumm_spread_seconds (const gpumm_spread_costs *costs, const double *rates, int count);

#endif

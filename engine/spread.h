/* spread.h - a product on several devices: its parts are products of their own.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPREAD_H
#define GPUMM_SPREAD_H

#include "multiply/algorithm.h"

/* What job.c does for a part of the job `whole`. */
typedef struct gpumm_part_calls {
  gpumm_status (*open) (const gpumm_problem *problem, const gpumm_options *options,
                        const struct gpumm_job *whole, struct gpumm_job **part);
  gpumm_status (*run) (struct gpumm_job *part, gpumm_matrix *result);
  void (*close) (struct gpumm_job *part);
} gpumm_part_calls;

/* Opens the parts of a planned job if its matrices are full, its options allow several devices and they
 * are estimated to be faster than one; else job->spread stays NULL. */
gpumm_status gpumm_spread_open (struct gpumm_job *job, const gpumm_part_calls *calls);

/* Runs them and fills the report. */
gpumm_status gpumm_spread_run (struct gpumm_job *job, gpumm_matrix *result);

void gpumm_spread_close (struct gpumm_job *job);

enum { GPUMM_MOST_SHARES = 64 };

/* Adds what the devices of a product did to `shares`, of which there is one for each device: what its report
 * has of each, or of all if it was not spread. */
void gpumm_add_shares (gpumm_share *shares, int *count, const gpumm_report *of);

/* Bytes per second of large matrices: up, down, and in each direction while others go the other way; of one
 * device alone, and of all at once. */
typedef struct gpumm_link {
  double up, down, both;
} gpumm_link;

typedef struct gpumm_links {
  gpumm_link one, all;
} gpumm_links;

/* What decides: the seconds that one device computes; the bytes of the operand that all devices need, of the one
 * that is split, and of C; and the seconds that two devices take besides, and each further one. */
typedef struct gpumm_spread_costs {
  double compute, common, split, result, extra, further;
  gpumm_links links;
  int gives; /* devices give each other the operand that all need: it goes up once */
} gpumm_spread_costs;

/* The estimated seconds of the first `count` devices, with their rates in relation to each other. */
double gpumm_spread_seconds (const gpumm_spread_costs *costs, const double *rates, int count);

/* How many of the first `most` devices are best; 1 unless several are clearly faster. */
int gpumm_spread_count (const gpumm_spread_costs *costs, const double *rates, int most);

#endif

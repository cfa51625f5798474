/* job.h - a product on one device or the CPU, step by step: product.c and spread.c make products of
 * these.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_JOB_H
#define GPUMM_JOB_H

#include "multiply/algorithm.h"

/* Checks and plans. whole: of a part, the job that it is a part of; else NULL. */
gpumm_status gpumm_job_plan (const gpumm_problem *problem, const gpumm_options *options,
                             const gpumm_job *whole, gpumm_job **job);

/* The symbolic phase, with its fallbacks. If it sets job->by, that product is the caller's. */
gpumm_status gpumm_job_open (gpumm_job *job);

/* The job's shape is known after it. Waits for a count that was queued. */
gpumm_status gpumm_job_wait (gpumm_job *job);

/* Computes into the result, with fallbacks. */
gpumm_status gpumm_job_compute (gpumm_job *job, gpumm_matrix *result);

/* Sparse matrices could not be multiplied as full ones: plans the sparse product. 0: it failed. */
int gpumm_job_keep_sparse (gpumm_job *job);

void gpumm_job_close (gpumm_job *job);

#endif

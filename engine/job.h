/* job.h - a product on one device or the CPU, step by step: product.c and spread.c make products of
 * these.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_JOB_H
#define GPUMM_JOB_H

#include "multiply/algorithm.h"

/* The part of a product's time in which the elements of a sparse C are counted, for its progress. */
static const double GPUMM_COUNTING = 0.4;

/* Checks and plans. whole: of a part, the job that it is a part of; else NULL. */
gpumm_status gpumm_job_plan (const gpumm_problem *problem, const gpumm_options *options,
                             const gpumm_job *whole, gpumm_job **job);

/* The symbolic phase, with its fallbacks. If it sets job->by, that product is the caller's. */
gpumm_status gpumm_job_open (gpumm_job *job);

/* Checks and computes the result. */
gpumm_status gpumm_job_run (gpumm_job *job, gpumm_matrix *result);

/* The same in steps: checks the result; computes it, with fallbacks; ends with that status.
 * *result: the given one as the algorithm sees it, which may be in *other. */
gpumm_status gpumm_job_begin (gpumm_job *job, gpumm_matrix *given, gpumm_matrix *other,
                              gpumm_matrix **result);
gpumm_status gpumm_job_compute (gpumm_job *job, gpumm_matrix *result);
gpumm_status gpumm_job_end (gpumm_job *job, gpumm_matrix *given, gpumm_matrix *result,
                            gpumm_status status);

/* Sparse matrices could not be multiplied as full ones: plans the sparse product. 0: it failed. */
int gpumm_job_keep_sparse (gpumm_job *job);

void gpumm_job_close (gpumm_job *job);

#endif

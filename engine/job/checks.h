/* checks.h - is what a caller gives for a product valid? product.c, job.c and pages.c ask, each
 * before it opens anything: a check that fails leaves nothing behind.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CHECKS_H
#define GPUMM_CHECKS_H

#include "multiply/algorithm.h"

gpumm_status gpumm_check_options (const gpumm_options *options);

/* Checks all of a problem but the entries of its operands, and sets its output; c0 is NULL after it
 * if beta is 0. */
gpumm_status gpumm_check_problem (gpumm_problem *p);

/* The entries of compressed operands. If alpha is 0, A and B are not read. */
gpumm_status gpumm_check_operands (const gpumm_problem *p);

/* The memory for a job's result; and can the job be traced, with count also counted? */
gpumm_status gpumm_check_result (const gpumm_job *job, const gpumm_matrix *result);
gpumm_status gpumm_check_traced (const gpumm_job *job, int count);

#endif

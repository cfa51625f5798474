/* loops.c - "loops": the matrix product as its definition has it, in three loops.
 *
 * Start reading here: every other algorithm computes this, faster. The loops are in loops_kernel.h,
 * in plain C, compiled once for each element type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"
#include "base/cancel.h"
#include "base/progress.h"
#include "base/types.h"
#include "plan/work.h"

#include <complex.h>
#include <stdio.h>

#define T         float
#define SCALAR(s) ((float) (s).re)
#define CONJ(x)   (x)
#define NAME      multiply_s
#include "loops_kernel.h"

#define T         double
#define SCALAR(s) ((s).re)
#define CONJ(x)   (x)
#define NAME      multiply_d
#include "loops_kernel.h"

#define T         float complex
#define SCALAR(s) CMPLXF ((float) (s).re, (float) (s).im)
#define CONJ(x)   conjf (x)
#define NAME      multiply_c
#include "loops_kernel.h"

#define T         double complex
#define SCALAR(s) CMPLX ((s).re, (s).im)
#define CONJ(x)   conj (x)
#define NAME      multiply_z
#include "loops_kernel.h"

static void (*const multiply[]) (const gpumm_problem *problem, gpumm_matrix *result) = {
    [GPUMM_S] = multiply_s, [GPUMM_D] = multiply_d, [GPUMM_C] = multiply_c, [GPUMM_Z] = multiply_z};

static gpumm_status run_loops (struct gpumm_job *job, gpumm_matrix *result) {
  const gpumm_problem *p = &job->problem;
  gpumm_progress_of ((double) result->cols);
  multiply[p->a.type](p, result);
  job->report.flops = gpumm_full_flops (p);
  snprintf (job->report.kernel, sizeof job->report.kernel, "loops");
  return gpumm_check_cancelled ();
}

const gpumm_algorithm gpumm_algorithm_loops = {
    .name = "loops",
    .summary = "the definition of a product: three plain loops on the CPU, slow",
    .takes = gpumm_is_full_float, /* of a real and a complex matrix one is made complex before */
    .run = run_loops,
};

/* product.c - a product: a job, one spread over several devices, or one by another product. Here
 * are the steps that a caller sees, open, result, run and close; the steps of a job are in job.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/types.h"
#include "checks.h"
#include "device/devices.h"
#include "job.h"
#include "memory/limit.h"
#include "multiply/symmetry.h"
#include "plan/rates.h"
#include "plan/transfer_rates.h"
#include "spread.h"

#include <string.h>

const char *gpumm_version (void) {
  return GPUMM_VERSION;
}

/* The part of a product's time in which the elements of a sparse C are counted, for its
 * progress. */
static const double COUNTING = 0.4;

/* ---- open --------------------------------------------------------------------------------- */

/* The report is the inner product's, with this job's algorithm and reason. */
static void announce_inner (gpumm_job *job) {
  gpumm_report own = job->report, *r = &job->report;
  *r = job->inner->report;
  if (!job->plan.algorithm->hides) {
    memcpy (r->algorithm, own.algorithm, sizeof r->algorithm);
    memcpy (r->reason, own.reason, sizeof r->reason);
  }
  job->plan.backend = r->backend;
}

static gpumm_status open_inner (gpumm_job *job) {
  gpumm_options options = job->options;
  if (options.algorithm && strcmp (options.algorithm, job->plan.algorithm->name) == 0)
    options.algorithm = NULL;
  const double began = gpumm_seconds ();
  const gpumm_status status = gpumm_open (job->by, &options, &job->inner);
  if (status)
    return status;
  job->open_seconds += gpumm_seconds () - began;
  announce_inner (job);
  if (job->inner->shape.format == job->shape.format)
    job->shape.nzmax = job->inner->shape.nzmax;
  return job->problem.stays ? GPUMM_OK : gpumm_check_room (&job->shape);
}

static void close_inner (gpumm_job *job) {
  gpumm_close (job->inner);
  job->inner = NULL;
}

/* Plans the sparse product if "auto" has taken a full one, which has failed. */
static int keep_sparse (gpumm_job *job, gpumm_status status) {
  if (status == GPUMM_CANCELLED || !gpumm_is_auto (&job->options)
      || job->plan.algorithm != &gpumm_algorithm_sparse_as_full)
    return 0;
  close_inner (job);
  return gpumm_job_keep_sparse (job);
}

/* Parts for several devices where they are faster, or else the symbolic phase. */
static gpumm_status open_planned (gpumm_job *job) {
  gpumm_status status = gpumm_spread_open (job);
  if (status || job->spread)
    return status ? status : gpumm_check_room (&job->shape);
  do {
    status = gpumm_job_open (job);
    if (!status && job->by)
      status = open_inner (job);
  } while (status && keep_sparse (job, status));
  return status;
}

gpumm_status gpumm_open (const gpumm_problem *problem, const gpumm_options *options,
                         gpumm_job **result) {
  gpumm_job *job = NULL;
  if (!result)
    return gpumm_fail (GPUMM_INVALID, "no pointer for the job");
  *result = NULL;
  gpumm_status status = gpumm_check_environment ();
  if (status)
    return status;
  if (!problem)
    return gpumm_fail (GPUMM_INVALID, "no problem given");
  status = gpumm_job_plan (problem, options, NULL, &job);
  if (status)
    return status;
  job->begun = gpumm_seconds ();
  gpumm_progress_enter (job->begun, 0, COUNTING);
  status = open_planned (job);
  job->has_counted = gpumm_progress_leave ();
  if (status)
    gpumm_close (job);
  else
    *result = job;
  return status;
}

gpumm_status gpumm_result (gpumm_job *job, gpumm_matrix *shape) {
  if (!job || !shape)
    return gpumm_fail (GPUMM_INVALID, "no job given");
  const gpumm_status status = gpumm_job_wait (job);
  *shape = job->shape;
  return status;
}

/* ---- run ---------------------------------------------------------------------------------- */

static gpumm_status run_inner (gpumm_job *job, gpumm_matrix *result) {
  const gpumm_algorithm *algorithm = job->plan.algorithm;
  gpumm_matrix c = algorithm->into (job, result);
  const double computed = job->report.compute, began = gpumm_seconds ();
  gpumm_status status = gpumm_run (job->inner, &c);
  if (status)
    return status;
  announce_inner (job); /* with its stages; and it may have fallen back */
  status = algorithm->finish (job, &c, result);
  if (job->report.backend == GPUMM_CPU)
    job->report.compute = computed + gpumm_seconds () - began;
  return status;
}

static gpumm_status compute (gpumm_job *job, gpumm_matrix *result) {
  gpumm_status status;
  if (job->spread)
    return gpumm_spread_run (job, result);
  do {
    status = gpumm_job_compute (job, result);
    if (!status && job->by && !job->inner) /* a retry has opened it */
      status = open_inner (job);
    if (!status && job->inner)
      status = run_inner (job, result);
  } while (status && !job->trace && keep_sparse (job, status));
  return status;
}

gpumm_status gpumm_run (gpumm_job *job, gpumm_matrix *result) {
  if (!job || !result)
    return gpumm_fail (GPUMM_INVALID, "no job or no result given");
  if (job->has_run)
    return gpumm_fail (GPUMM_INVALID, "a job can run only once");
  gpumm_status status = gpumm_job_wait (job);
  if (!status)
    status = gpumm_check_result (job, result);
  if (status)
    return status;
  gpumm_report *r = &job->report;
  job->has_run = 1;
  status = gpumm_check_cancelled ();
  if (!status && !job->trace && !job->plan.algorithm->mirrors)
    status = gpumm_find_symmetry (&job->problem, &job->symmetry);
  if (status)
    return status;
  if (job->has_counted)
    gpumm_progress_enter (job->begun, COUNTING, 1);
  else
    gpumm_progress_enter (gpumm_seconds (), 0, 1);
  status = compute (job, result);
  if (!status && !job->is_mirrored)
    status = gpumm_mirror (result, 1, job->symmetry);
  gpumm_progress_leave ();
  r->total = gpumm_seconds () - job->opened;
  r->overhead = r->total - r->upload - r->compute - r->download;
  if (r->overhead < 0)
    r->overhead = 0; /* overlapping stages add up to more than the total */
  return status;
}

gpumm_status gpumm_run_traced (gpumm_job *job, gpumm_matrix *result, int count,
                               gpumm_trace *trace) {
  if (!job || !trace)
    return gpumm_fail (GPUMM_INVALID, "no job, or no pointer for its trace");
  gpumm_status status = gpumm_check_traced (job, count);
  if (status)
    return status;
  *trace = (gpumm_trace){.launched = {.shared_bytes = -1, .registers = -1, .occupancy = -1}};
  gpumm_spread_close (job); /* a kernel is looked at on one device */
  job->trace = trace;
  job->count = count;
  status = gpumm_run (job, result);
  trace->seconds = job->report.compute;
  /* an empty product has no launch and all counts 0 */
  trace->counted =
      !status && count && job->plan.algorithm->on_device && job->plan.context->driver->counts;
  return status;
}

const gpumm_report *gpumm_job_report (const gpumm_job *job) {
  return job ? &job->report : NULL;
}

void gpumm_close (gpumm_job *job) {
  if (!job)
    return;
  gpumm_spread_close (job);
  close_inner (job);
  gpumm_job_close (job);
}

gpumm_status gpumm_reset (void) {
  gpumm_context *used[GPUMM_MOST_CONTEXTS];
  const int count = gpumm_devices_reset (used);
  for (int i = 0; i < count; i++)
    gpumm_rates_forget (used[i]); /* may wait for a measurement, which asks for drivers */
  gpumm_rates_forget (NULL);
  gpumm_transfer_rates_forget ();
  return GPUMM_OK;
}

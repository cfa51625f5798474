/* job.c - a product on one device or the CPU: plan, compute, fall back. It knows no other job: what
 * makes one product of several is in product.c and spread.c, which call it and never the reverse.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/types.h"
#include "checks.h"
#include "device/devices.h"
#include "memory/host.h"
#include "memory/limit.h"
#include "memory/queue.h"
#include "multiply/algorithm.h"
#include "multiply/real_by_complex.h"
#include "plan/gather.h"
#include "plan/rates.h"

#include <stdio.h>

/* ---- plan --------------------------------------------------------------------------------- */

/* A part runs where its options say, as the whole product was planned; or, planned anew, on the
 * CPU. */
static gpumm_status plan_part (gpumm_job *job) {
  const gpumm_plan *whole = &job->whole->plan;
  const gpumm_problem *p = &job->problem;
  const int device = job->options.device;
  gpumm_context *context;
  gpumm_candidate candidate;
  gpumm_status status =
      gpumm_context_of (whole->backend == GPUMM_GPU ? device : GPUMM_HOST - device, &context);
  if (!status)
    status = gpumm_candidate_device (context, gpumm_is_float (p->output) ? p->output : GPUMM_D, 1,
                                     &candidate);
  return status ? status : gpumm_plan_part (p, &job->options, &candidate, whole, &job->plan);
}

/* A real by a complex matrix: the BLAS multiplies them as they are. Else another job computes a
 * real product, or the real matrix is made complex. */
static gpumm_status plan_real_by_complex (gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  const int in_pairs = gpumm_is_in_pairs (p);
  gpumm_problem planned = *p;
  gpumm_matrix c0;
  if (in_pairs)
    gpumm_take_pairs (&planned, &c0);
  const gpumm_status status = gpumm_plan_product (&planned, &job->options, 0, &job->plan);
  const int by_blas = job->plan.algorithm == &gpumm_algorithm_blas;
  if (status || (in_pairs && by_blas))
    return status;
  if (!in_pairs && (by_blas || !gpumm_is_split (p)))
    return gpumm_widen (job, by_blas);
  job->plan = (gpumm_plan){.algorithm = &gpumm_algorithm_real_by_complex};
  return GPUMM_OK;
}

static gpumm_status plan (gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  if (job->whole && job->options.device >= 0)
    return plan_part (job);
  if (gpumm_has_long_lines (p)) {
    job->plan = (gpumm_plan){.algorithm = &gpumm_algorithm_long_lines};
    return GPUMM_OK;
  }
  if (gpumm_is_real_by_complex (p))
    return plan_real_by_complex (job);
  return gpumm_plan_product (p, &job->options, job->keeps_sparse, &job->plan);
}

/* The part of the report that is known before the run. */
static void announce (gpumm_job *job) {
  gpumm_report *r = &job->report;
  const gpumm_plan *plan = &job->plan;
  r->backend = plan->backend;
  r->device = plan->backend == GPUMM_GPU && plan->context ? plan->context->device : -1;
  snprintf (r->algorithm, sizeof r->algorithm, "%s", plan->algorithm->name);
  snprintf (r->kernel, sizeof r->kernel, "%s", plan->kernel ? plan->kernel->name : "");
  snprintf (r->reason, sizeof r->reason, "%s", plan->reason);
  snprintf (r->device_name, sizeof r->device_name, "%s",
            plan->context ? plan->properties.name : "CPU");
}

static gpumm_status open_algorithm (gpumm_job *job) {
  const gpumm_algorithm *algorithm = job->plan.algorithm;
  const double began = gpumm_seconds ();
  job->is_open = 1;
  gpumm_status status = algorithm->open ? algorithm->open (job) : GPUMM_OK;
  job->open_seconds = gpumm_seconds () - began;
  return status;
}

static void close_algorithm (gpumm_job *job) {
  job->by = NULL;
  if (job->is_open && job->plan.algorithm->close)
    job->plan.algorithm->close (job);
  gpumm_release_owned (&job->memory);
  job->state = NULL;
  job->is_open = 0;
}

/* The report of the next attempt. */
static void report_again (gpumm_report *r) {
  r->total = r->upload = r->compute = r->download = r->flops = 0;
  r->bytes_up = r->bytes_down = 0;
  r->device_count = 0;
  r->devices = NULL;
}

int gpumm_job_keep_sparse (gpumm_job *job) {
  char why[300];
  snprintf (why, sizeof why, "%s", gpumm_last_error ());
  report_again (&job->report);
  close_algorithm (job);
  job->keeps_sparse = 1;
  if (plan (job))
    return 0;
  announce (job);
  snprintf (job->report.reason, sizeof job->report.reason, "%.250s; not as full matrices (%.220s)",
            job->plan.reason, why);
  return 1;
}

/* Plans the next attempt after a device failed: smaller tiles, then, if "auto" chose the device,
 * the CPU. Returns 0 if nothing is left to try. */
static int fall_back (gpumm_job *job, gpumm_status status) {
  char why[300];
  const int is_auto = gpumm_is_auto (&job->options);
  if (status == GPUMM_CANCELLED)
    return 0;
  snprintf (why, sizeof why, "%s", gpumm_last_error ());
  report_again (&job->report);
  if (!job->plan.context)
    return 0;
  const gpumm_matrix *c0 = job->problem.c0;
  const int is_lost = job->writes && c0 && c0->buffer; /* C0, which is C */
  if (status == GPUMM_DEVICE_MEMORY && job->plan.device_bytes > 1 << 20 && !is_lost) {
    job->options.max_device_memory = job->plan.device_bytes / 2;
    gpumm_plan before = job->plan;
    if (plan (job) == GPUMM_OK && job->plan.context
        && job->plan.device_bytes < before.device_bytes) {
      announce (job);
      snprintf (job->report.reason, sizeof job->report.reason,
                "%.250s; in smaller tiles, as the device refused the memory (%.180s)",
                job->plan.reason, why);
      return 1;
    }
    job->plan = before;
  }
  /* the CPU does not need page-locked memory */
  if (is_auto && !job->whole && job->options.backend == GPUMM_AUTO
      && !gpumm_is_bound (&job->problem)
      && (status == GPUMM_DEVICE_MEMORY || status == GPUMM_DEVICE_FAILED
          || status == GPUMM_NO_DEVICE || status == GPUMM_HOST_MEMORY)) {
    close_algorithm (job);
    job->plan =
        (gpumm_plan){.algorithm = gpumm_cpu_algorithm (&job->problem), .backend = GPUMM_CPU};
    announce (job);
    snprintf (job->report.reason, sizeof job->report.reason,
              "on the CPU, as the GPU could not do it (%.270s)", why);
    return 1;
  }
  gpumm_fail (status, "%s", why);
  return 0;
}

gpumm_status gpumm_job_open (gpumm_job *job) {
  gpumm_status status;
  do {
    gpumm_progress_again ();
    status = open_algorithm (job);
    if (!status && !job->problem.stays)
      status = gpumm_check_room (&job->shape);
  } while (status && fall_back (job, status));
  return status;
}

/* The entries of a part were checked with the whole. */
gpumm_status gpumm_job_plan (const gpumm_problem *problem, const gpumm_options *options,
                             const gpumm_job *whole, gpumm_job **result) {
  gpumm_status status;
  double opened = gpumm_seconds ();
  gpumm_job *job = gpumm_allocate (1, sizeof *job);
  if (!job)
    return GPUMM_HOST_MEMORY;
  gpumm_cancel_enter ();
  job->problem = *problem;
  job->options = options ? *options : (gpumm_options){.device = -1};
  job->whole = whole;
  job->opened = opened;
  status = gpumm_check_options (&job->options);
  if (!status)
    status = gpumm_check_problem (&job->problem);
  if (status)
    goto done;
  if (job->problem.c0) {
    job->c0 = *problem->c0;
    job->problem.c0 = &job->c0;
  }
  const gpumm_problem *p = &job->problem;
  job->shape = (gpumm_matrix){.format = gpumm_result_format (p),
                              .type = p->output,
                              .rows = gpumm_m (p),
                              .cols = gpumm_n (p),
                              .ld = gpumm_m (p)};
  if (job->shape.format == GPUMM_BLOCKS) {
    job->shape.block_rows = gpumm_op_block_rows (&p->a);
    job->shape.block_cols = gpumm_op_block_cols (&p->b);
  }
  status = p->stays ? GPUMM_OK : gpumm_check_room (&job->shape);
  if (!status && !whole)
    status = gpumm_check_operands (p);
  if (!status)
    status = plan (job);
  if (!status)
    announce (job);
done:
  if (status)
    gpumm_job_close (job);
  else
    *result = job;
  return status;
}

/* ---- run ---------------------------------------------------------------------------------- */

static gpumm_status run_algorithm (gpumm_job *job, gpumm_matrix *result) {
  const gpumm_algorithm *algorithm = job->plan.algorithm;
  const double began = gpumm_seconds ();
  job->is_mirrored = 0;
  gpumm_status status = algorithm->run ? algorithm->run (job, result) : GPUMM_OK;
  if (job->report.backend == GPUMM_CPU && !algorithm->on_device)
    job->report.compute = job->open_seconds + gpumm_seconds () - began;
  return status;
}

gpumm_status gpumm_job_compute (gpumm_job *job, gpumm_matrix *result) {
  gpumm_status status;
  do {
    gpumm_progress_again ();
    /* a retry in smaller tiles keeps the algorithm open */
    status = job->is_open ? GPUMM_OK : open_algorithm (job);
    if (!status)
      status = run_algorithm (job, result);
  } while (status && !job->trace && fall_back (job, status));
  return status;
}

gpumm_status gpumm_job_wait (gpumm_job *job) {
  if (!job->counted)
    return GPUMM_OK;
  const gpumm_status status = gpumm_queue_wait (job->plan.context);
  if (status)
    return status;
  job->shape.nzmax = *job->counted;
  job->counted = NULL;
  return GPUMM_OK;
}

void gpumm_job_close (gpumm_job *job) {
  if (!job)
    return;
  close_algorithm (job);
  gpumm_release (job->widened);
  gpumm_release (job);
  gpumm_cancel_leave ();
}

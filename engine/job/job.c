/* job.c - a product on one device or the CPU: check, plan, compute, fall back.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "multiply/algorithm.h"
#include "multiply/real_by_complex.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "device/devices.h"
#include "base/error.h"
#include "plan/gather.h"
#include "job.h"
#include "memory/buffer.h"
#include "memory/host.h"
#include "base/matrix.h"
#include "memory/limit.h"
#include "memory/queue.h"
#include "base/overlap.h"
#include "base/progress.h"
#include "plan/rates.h"
#include "base/types.h"

#include <stdio.h>
#include <unistd.h>

/* ---- checks ------------------------------------------------------------------------------- */

/* The only place that says which pairs are multiplied; callers convert others. */
gpumm_status gpumm_result_type (const gpumm_problem *p, gpumm_type *type) {
  if (!p || !type)
    return gpumm_fail (GPUMM_INVALID, "no problem, or no pointer for its type");
  gpumm_type a = p->a.type, b = p->b.type;
  gpumm_format kind_a = p->a.format, kind_b = p->b.format;
  int known;
  *type = p->output;
  const int is_single = gpumm_is_single (a) && gpumm_is_single (b);
  if (is_single && p->a.buffer && p->b.buffer && kind_a + kind_b == GPUMM_SPARSE) {
    known = 1; /* one is full: of single precision sparse matrices only lie on devices */
    *type = gpumm_is_complex (a) ? a : b;
  } else if (kind_a == GPUMM_SPARSE || kind_b == GPUMM_SPARSE) {
    known = kind_a != GPUMM_BLOCKS && kind_b != GPUMM_BLOCKS
            && (a == GPUMM_D || a == GPUMM_Z || (a == GPUMM_B && kind_a == GPUMM_SPARSE))
            && (b == GPUMM_D || b == GPUMM_Z || (b == GPUMM_B && kind_b == GPUMM_SPARSE));
    *type = a == GPUMM_Z || b == GPUMM_Z ? GPUMM_Z : GPUMM_D;
  } else if (gpumm_is_integer (a)) {
    known = a == b && (gpumm_is_integer (*type) || *type == GPUMM_S || *type == GPUMM_D);
  } else {
    known = gpumm_is_float (a) && gpumm_is_float (b) && gpumm_is_single (a) == gpumm_is_single (b);
    *type = gpumm_is_complex (a) ? a : b;
  }
  if (!known || (unsigned) kind_a > GPUMM_BLOCKS || (unsigned) kind_b > GPUMM_BLOCKS)
    return gpumm_fail (GPUMM_UNSUPPORTED, "%s%s by %s%s has no product%s",
                       gpumm_format_word (kind_a), gpumm_type_name (a), gpumm_format_word (kind_b),
                       gpumm_type_name (b),
                       a == b ? "" : ": convert one of them to the type of the other");
  return GPUMM_OK;
}

static gpumm_status check_scalars (gpumm_problem *p) {
  int64_t m = gpumm_m (p), n = gpumm_n (p);
  const int is_plain = gpumm_is_one (p->alpha) && gpumm_is_zero (p->beta);
  if (!is_plain
      && (gpumm_is_integer (p->a.type) || p->a.format == GPUMM_BLOCKS
          || p->b.format == GPUMM_BLOCKS))
    return gpumm_fail (GPUMM_UNSUPPORTED, "products of integers or in blocks have no alpha and no "
                                          "beta: scale the result");
  if (!gpumm_is_complex (p->output) && (p->alpha.im != 0 || p->beta.im != 0))
    return gpumm_fail (GPUMM_INVALID, "complex alpha or beta with a real product");
  if (gpumm_is_zero (p->beta)) {
    p->c0 = NULL;
    return GPUMM_OK;
  }
  if (!p->c0)
    return gpumm_fail (GPUMM_INVALID, "beta is not zero and C0 is missing");
  if (gpumm_result_format (p) != GPUMM_FULL)
    return gpumm_fail (GPUMM_UNSUPPORTED, "beta with a sparse product");
  gpumm_status status = gpumm_check_matrix (p->c0, "C0");
  if (status)
    return status;
  if (p->c0->format != GPUMM_FULL || p->c0->type != p->output)
    return gpumm_fail (GPUMM_INVALID, "C0 is not a full %s matrix", gpumm_type_name (p->output));
  if (p->c0->rows != m || p->c0->cols != n)
    return gpumm_fail (
        GPUMM_NONCONFORMANT, "C is %lldx%lld and must have the size of the product, %lldx%lld",
        (long long) p->c0->rows, (long long) p->c0->cols, (long long) m, (long long) n);
  return GPUMM_OK;
}

/* An op is read from the transpose. A product whose C is full may do without it. */
static gpumm_status check_transpose (const gpumm_problem *p, const gpumm_matrix *x) {
  const gpumm_matrix *t = x->transpose;
  if (x->format == GPUMM_FULL
      || (!t && (!gpumm_is_turned (x) || gpumm_result_format (p) == GPUMM_FULL)))
    return GPUMM_OK;
  if (!t)
    return gpumm_fail (GPUMM_UNSUPPORTED, "on a device an op of a matrix needs its transpose, "
                                          "if the result is sparse or in blocks");
  if (t->format != x->format || t->type != x->type || t->rows != x->cols || t->cols != x->rows
      || t->nzmax != x->nzmax || !t->buffer || t->buffer->context != x->buffer->context
      || (x->format == GPUMM_BLOCKS
          && (t->block_rows != x->block_cols || t->block_cols != x->block_rows)))
    return gpumm_fail (GPUMM_INVALID, "a transpose does not fit its operand, or is elsewhere");
  return gpumm_check_matrix (t, "a transpose");
}

/* Bytes of the offsets of a compressed C. */
static size_t start_bytes (const gpumm_problem *p) {
  const int64_t lines =
      p->a.format == GPUMM_BLOCKS ? gpumm_m (p) / gpumm_op_block_rows (&p->a) : gpumm_n (p);
  return (size_t) (lines + 1) * sizeof (int64_t);
}

/* Does an operand or its transpose lie where the result's offsets go? */
static int holds_start (const gpumm_matrix *x, const gpumm_problem *p) {
  const gpumm_matrix start = {.type = GPUMM_I64,
                              .rows = (int64_t) (start_bytes (p) / sizeof (int64_t)),
                              .cols = 1,
                              .ld = (int64_t) (start_bytes (p) / sizeof (int64_t)),
                              .values = gpumm_buffer_address (p->start)};
  return gpumm_matrices_overlap (&start, x)
         || (x->transpose && gpumm_matrices_overlap (&start, x->transpose));
}

/* The buffers of a product lie on one device; what cannot be multiplied there is refused. */
static gpumm_status check_buffers (const gpumm_problem *p) {
  const gpumm_buffer *home = gpumm_home (p);
  const gpumm_buffer *all[] = {p->a.buffer, p->b.buffer, p->c0 ? p->c0->buffer : NULL};
  if (!gpumm_is_bound (p))
    return GPUMM_OK;
  if (gpumm_is_full (p) && (!gpumm_is_full_float (p) || p->a.type != p->b.type))
    return gpumm_fail (
        GPUMM_UNSUPPORTED,
        "on a device full matrices are multiplied if they are of one type of floating point, "
        "and not %s by %s",
        gpumm_type_name (p->a.type), gpumm_type_name (p->b.type));
  if (!gpumm_is_full (p) && (!all[0] || !all[1] || !p->stays))
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "a product of %s%s by %s%s on a device needs both operands there, and its "
                       "result stays there",
                       gpumm_format_word (p->a.format), gpumm_type_name (p->a.type),
                       gpumm_format_word (p->b.format), gpumm_type_name (p->b.type));
  if (p->start
      && (!home || p->start->context != home->context || p->start->process != getpid ()
          || p->start->bytes < start_bytes (p)))
    return gpumm_fail (GPUMM_INVALID, "the memory for the result's offsets is too small, on "
                                      "another device or of another process");
  if (p->start && (holds_start (&p->a, p) || holds_start (&p->b, p)))
    return gpumm_fail (GPUMM_INVALID,
                       "the memory for the result's offsets lies in the memory of an operand");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] && all[i]->context != home->context)
      return gpumm_fail (GPUMM_UNSUPPORTED, "the matrices lie on different devices");
  if (all[2] && !p->stays)
    return gpumm_fail (GPUMM_UNSUPPORTED, "C0 lies on a device, so the result must stay there");
  const gpumm_status status = check_transpose (p, &p->a);
  return status ? status : check_transpose (p, &p->b);
}

/* Elements of a block of the result, whose bytes are counted. */
static const double MOST_IN_BLOCK = 0x1p56;

gpumm_status gpumm_check_problem (gpumm_problem *p) {
  gpumm_status status = gpumm_check_matrix (&p->a, "A");
  if (!status)
    status = gpumm_check_matrix (&p->b, "B");
  if (status)
    return status;
  if ((unsigned) p->a.op > GPUMM_CTRANSPOSE || (unsigned) p->b.op > GPUMM_CTRANSPOSE)
    return gpumm_fail (GPUMM_INVALID, "unknown op");
  if (gpumm_k (p) != gpumm_op_rows (&p->b))
    return gpumm_fail (GPUMM_NONCONFORMANT,
                       "operator *: nonconformant arguments (op1 is %lldx%lld, op2 is %lldx%lld)",
                       (long long) gpumm_m (p), (long long) gpumm_k (p),
                       (long long) gpumm_op_rows (&p->b), (long long) gpumm_n (p));
  if (p->a.format == GPUMM_BLOCKS && p->b.format == GPUMM_BLOCKS
      && gpumm_op_block_cols (&p->a) != gpumm_op_block_rows (&p->b))
    return gpumm_fail (
        GPUMM_NONCONFORMANT,
        "operator *: nonconformant blocks (op1 has blocks of %lldx%lld, op2 of %lldx%lld)",
        (long long) gpumm_op_block_rows (&p->a), (long long) gpumm_op_block_cols (&p->a),
        (long long) gpumm_op_block_rows (&p->b), (long long) gpumm_op_block_cols (&p->b));
  if (p->a.format == GPUMM_BLOCKS && p->b.format == GPUMM_BLOCKS
      && (double) gpumm_op_block_rows (&p->a) * (double) gpumm_op_block_cols (&p->b)
             > MOST_IN_BLOCK)
    return gpumm_fail (GPUMM_UNSUPPORTED, "the result has blocks of %lldx%lld, which are too large",
                       (long long) gpumm_op_block_rows (&p->a),
                       (long long) gpumm_op_block_cols (&p->b));
  status = gpumm_result_type (p, &p->output);
  if (!status)
    status = check_scalars (p);
  return status ? status : check_buffers (p);
}

/* If alpha is 0, A and B are not read. */
static gpumm_status check_entries (const gpumm_problem *p) {
  if (gpumm_is_zero (p->alpha))
    return GPUMM_OK;
  const gpumm_status status = gpumm_check_entries (&p->a, "A");
  return status || gpumm_is_one_array (p) ? status : gpumm_check_entries (&p->b, "B");
}

gpumm_status gpumm_check_options (const gpumm_options *o) {
  if ((unsigned) o->backend > GPUMM_GPU)
    return gpumm_fail (GPUMM_INVALID, "unknown backend");
  if (o->device < -1)
    return gpumm_fail (GPUMM_INVALID, "device %d: devices count from 0, and -1 is the first",
                       o->device);
  if (o->max_device_memory < 0 || o->max_capability < 0)
    return gpumm_fail (GPUMM_INVALID, "a limit of device memory or capability below 0");
  return GPUMM_OK;
}

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
    status = check_entries (p);
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

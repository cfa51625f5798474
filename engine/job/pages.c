/* pages.c - products of pages: Z(:,:,i) = op (A(:,:,i)) op (B(:,:,i)), for arrays of matrices.
 *
 * One matrix by pages that are not transposed is one product, because the columns of these pages
 * are the columns of one matrix. Other pages are products of their own: many small ones are shared
 * by threads, each of which calls the BLAS with one thread, and large ones are jobs, one after the
 * other, which take the GPU where that is faster.
 *
 * Where the arrays lie on a device, small pages are one launch for all, and what cannot be launched
 * so is queued product by product.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "multiply/algorithm.h"
#include "arrays/calls.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/matrix.h"
#include "base/overlap.h"
#include "base/progress.h"
#include "base/threads.h"
#include "checks.h"
#include "memory/buffer.h"
#include "memory/limit.h"
#include "multiply/blas.h"
#include "multiply/real_by_complex.h"
#include "multiply/symmetry.h"
#include "plan/gather.h"
#include "plan/too_small.h"
#include "plan/work.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* OpenBLAS uses one thread for a page up to this size anyway. */
static const double SMALL_PAGE = 2.0 * 64 * 64 * 64;

/* A thread fetches pages worth about 20 us at once, or with results of LEAST_BYTES: the first to
 * touch 2 MB of fresh memory makes the system clear all of it, and others that touch it wait. But
 * all threads get some. A call of the BLAS costs as much as CALL_WORK operations, 0.1 us. */
static const double LEAST_WORK = 5e5, CALL_WORK = 3000, LEAST_BYTES = 1 << 21;

typedef struct {
  gpumm_problem problem; /* of the first page */
  gpumm_matrix c;        /* the first page of the result */
  int dims;
  const int64_t *sizes, *steps_a, *steps_b;
  int64_t bytes_a, bytes_b, bytes_c; /* of a page */
  int64_t count;                     /* products */
  double work;                       /* operations of one of them */
  gpumm_options options;
  /* computes a page in the calling thread; NULL: a page is a job */
  gpumm_status (*multiply) (const gpumm_problem *problem, gpumm_matrix *c);
} batch;

/* ---- one page ----------------------------------------------------------------------------- */

static gpumm_status by_blas (const gpumm_problem *problem, gpumm_matrix *c) {
  gpumm_problem p = *problem;
  gpumm_symmetry symmetry;
  if (gpumm_is_real_by_complex (&p))
    return gpumm_blas_real_by_complex (&p, c, NULL);
  gpumm_status status = gpumm_find_symmetry (&p, &symmetry);
  gpumm_product product = gpumm_product_of (&p);
  product.c = c->values;
  product.ldc = c->ld;
  product.symmetry = symmetry;
  if (!status)
    status = gpumm_blas_product (&product, 0, NULL);
  return status ? status : gpumm_mirror (c, 1, symmetry);
}

static gpumm_status by_job (const batch *b, const gpumm_problem *problem, gpumm_matrix *c) {
  gpumm_job *job = NULL;
  gpumm_status status = gpumm_open (problem, &b->options, &job);
  if (!status)
    status = gpumm_run (job, c);
  gpumm_close (job);
  return status;
}

/* The operands and the result of this page. */
static void find_page (const batch *b, int64_t page, gpumm_problem *problem, gpumm_matrix *c) {
  int64_t at_a = 0, at_b = 0, rest = page;
  *problem = b->problem;
  *c = b->c;
  for (int d = 0; d < b->dims; d++) {
    at_a += rest % b->sizes[d] * b->steps_a[d];
    at_b += rest % b->sizes[d] * b->steps_b[d];
    rest /= b->sizes[d];
  }
  problem->a.values = (char *) problem->a.values + at_a * b->bytes_a;
  problem->b.values = (char *) problem->b.values + at_b * b->bytes_b;
  c->values = (char *) c->values + page * b->bytes_c;
}

static gpumm_status multiply_page (const batch *b, int64_t page) {
  gpumm_problem problem;
  gpumm_matrix c;
  find_page (b, page, &problem, &c);
  return b->multiply ? b->multiply (&problem, &c) : by_job (b, &problem, &c);
}

/* ---- all pages ---------------------------------------------------------------------------- */

static gpumm_status one_by_one (const batch *b) {
  gpumm_status status = GPUMM_OK;
  if (b->count > 1) /* of a single one the job tells */
    gpumm_progress_of ((double) b->count * b->work);
  for (int64_t page = 0; page < b->count && !status; page++) {
    status = multiply_page (b, page);
    gpumm_progress_add (b->work);
  }
  return status;
}

typedef struct {
  const batch *b;
  int64_t piece; /* pages that a thread fetches at once */
  atomic_llong next;
  int calls_blas;
  atomic_int failed; /* status of the first failure */
  char why[256];     /* its text */
} shared_pages;

static void multiply_some (void *context, int worker) {
  shared_pages *r = context;
  const batch *b = r->b;
  gpumm_status status = GPUMM_OK;
  (void) worker;
  if (r->calls_blas)
    gpumm_blas_alone ();
  for (int64_t at; !status && !atomic_load (&r->failed)
                   && (at = atomic_fetch_add (&r->next, r->piece)) < b->count;)
    for (int64_t page = at; page < gpumm_least (at + r->piece, b->count) && !status; page++)
      status = multiply_page (b, page); /* which looks whether it was cancelled */
  int none = GPUMM_OK;
  if (status && atomic_compare_exchange_strong (&r->failed, &none, status))
    snprintf (r->why, sizeof r->why, "%s", gpumm_last_error ());
}

/* Small pages, shared by threads. */
static gpumm_status at_once (const batch *b) {
  const int is_float = b->multiply == by_blas, found = is_float ? gpumm_blas_begin_threads () : 0;
  const int64_t most = is_float ? found : gpumm_threads ();
  shared_pages r = {.b = b, .calls_blas = found > 0};
  gpumm_progress_of ((double) b->count * b->work
                     * (is_float ? 1 : 0.5)); /* integers.c counts m n k */
  const double by_work = LEAST_WORK / (b->work + CALL_WORK);
  const double by_bytes = LEAST_BYTES / (double) b->bytes_c;
  r.piece = gpumm_least ((int64_t) (by_work > by_bytes ? by_work : by_bytes) + 1,
                         gpumm_pieces (b->count, most));
  gpumm_team ((int) gpumm_least (most, gpumm_pieces (b->count, r.piece)), multiply_some, &r);
  if (found)
    gpumm_blas_end_threads ();
  const int failed = atomic_load (&r.failed);
  return failed ? gpumm_fail ((gpumm_status) failed, "%s", r.why) : GPUMM_OK;
}

/* Of pages on a device: those that are products of a page by itself, all of them or some. */
static gpumm_status mirror_pages (const batch *b) {
  gpumm_problem p = b->problem;
  gpumm_matrix c;
  gpumm_symmetry symmetry = GPUMM_GENERAL;
  p.b.values = p.a.values;
  gpumm_status status = p.a.buffer == p.b.buffer ? gpumm_find_symmetry (&p, &symmetry) : GPUMM_OK;
  if (status || symmetry == GPUMM_GENERAL)
    return status;
  if (b->problem.a.values == b->problem.b.values
      && memcmp (b->steps_a, b->steps_b, (size_t) b->dims * sizeof *b->steps_a) == 0)
    return gpumm_mirror (&b->c, b->count, symmetry);
  for (int64_t page = 0; page < b->count && !status; page++) {
    find_page (b, page, &p, &c);
    if (p.a.values == p.b.values)
      status = gpumm_mirror (&c, 1, symmetry);
  }
  return status;
}

/* All pages along the dimension with most of them at once, from each place of the others. */
static gpumm_status launch_pages (const batch *b, const gpumm_plan *plan) {
  int along = 0;
  int64_t before = 1; /* pages from one to the next along it */
  gpumm_status status = GPUMM_OK;
  for (int d = 1; d < b->dims; d++)
    if (b->sizes[d] > b->sizes[along])
      along = d;
  for (int d = 0; d < along; d++)
    before *= b->sizes[d];
  const int64_t element = (int64_t) gpumm_type_bytes (b->c.type);
  const int64_t steps[] = {b->steps_a[along] * b->bytes_a / element,
                           b->steps_b[along] * b->bytes_b / element, before * b->bytes_c / element};
  for (int64_t i = 0; i < b->count / b->sizes[along] && !status; i++) {
    gpumm_problem problem;
    gpumm_matrix c;
    find_page (b, i % before + i / before * before * b->sizes[along], &problem, &c);
    gpumm_product first = gpumm_product_of (&problem);
    first.c = c.values;
    first.ldc = c.ld;
    gpumm_array_call call = {.name = "products of pages", .context = plan->context};
    status = gpumm_array_begin (&call, 0);
    if (!status)
      status =
          gpumm_array_end (&call, plan->kernel->launch_pages (plan->context->device, call.stream,
                                                              &first, b->sizes[along], steps));
  }
  return status ? status : mirror_pages (b);
}

/* Of arrays on a device. A library has all of them in one launch, also where a page alone would
 * take another kernel. */
static gpumm_status on_device (batch *b) {
  b->problem.stays = b->problem.queues = 1;
  if (b->count == 1 || b->work >= GPUMM_LEAST_PAGE_FLOPS)
    return one_by_one (b);
  gpumm_plan plan;
  gpumm_options o = b->options;
  if (gpumm_is_auto (&o))
    o.algorithm = gpumm_algorithm_cublas.name;
  gpumm_status status = gpumm_plan_product (&b->problem, &o, 0, &plan);
  if (status == GPUMM_UNSUPPORTED)
    return one_by_one (b);
  if (status)
    return status;
  return plan.kernel && plan.kernel->launch_pages ? launch_pages (b, &plan) : one_by_one (b);
}

/* Chooses how the pages are computed, and computes them. */
static gpumm_status multiply_pages (batch *b) {
  if (b->c.buffer)
    return on_device (b);
  const int is_shared = b->count > 1 && b->work < GPUMM_LEAST_PAGE_FLOPS
                        && b->options.backend != GPUMM_GPU && gpumm_is_auto (&b->options)
                        && (b->work <= SMALL_PAGE || b->count >= gpumm_threads ());
  if (!is_shared)
    return one_by_one (b);
  b->multiply = gpumm_is_integer (b->problem.a.type) ? gpumm_integers_product : by_blas;
  return at_once (b);
}

/* ---- the problem -------------------------------------------------------------------------- */

/* A matrix without rows may have the ld 1, as the BLAS wants it. */
static int has_gaps (const gpumm_matrix *x) {
  return x->rows > 0 && x->ld != x->rows;
}

/* Do the bytes of all pages of x up to the last one fit in an int64_t? */
static int is_in_reach (const gpumm_matrix *x, const gpumm_pages *p, const int64_t *steps) {
  double pages = 1;
  for (int d = 0; d < p->dims; d++)
    pages += ((double) p->sizes[d] - 1) * (double) steps[d];
  return pages * ((double) x->rows * (double) x->cols + 1) * (double) gpumm_type_bytes (x->type)
         <= 0x1p62;
}

/* Checks the pages; sets the problem of the first page, and the result without its memory. */
static gpumm_status describe (const gpumm_pages *p, gpumm_problem *problem, gpumm_matrix *shape) {
  if (!p || !shape)
    return gpumm_fail (GPUMM_INVALID, "no pages given");
  if (p->dims < 0 || (p->dims > 0 && !(p->sizes && p->steps_a && p->steps_b)))
    return gpumm_fail (GPUMM_INVALID, "pages in %d dimensions without sizes or steps", p->dims);
  *problem = (gpumm_problem){.a = p->a, .b = p->b, .alpha = {1, 0}, .output = p->a.type};
  for (int d = 0; d < p->dims; d++)
    if (p->sizes[d] == 0) /* no page at all, so none has to lie in a buffer */
      problem->a.buffer = problem->b.buffer = NULL;
  const gpumm_status status = gpumm_check_problem (problem);
  if (status)
    return status;
  if (p->a.format != GPUMM_FULL || p->b.format != GPUMM_FULL || !p->a.buffer != !p->b.buffer)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "pages must be full matrices, of both arrays in host memory or on a device");
  if (has_gaps (&p->a) || has_gaps (&p->b))
    return gpumm_fail (GPUMM_INVALID, "pages with gaps between their columns");
  for (int d = 0; d < p->dims; d++)
    if (p->sizes[d] < 0 || p->steps_a[d] < 0 || p->steps_b[d] < 0)
      return gpumm_fail (GPUMM_INVALID, "a number of pages, or a step between them, below 0");
  if (!is_in_reach (&p->a, p, p->steps_a) || !is_in_reach (&p->b, p, p->steps_b))
    return gpumm_fail (GPUMM_INVALID, "the steps between pages lead out of any memory");
  int64_t cols = gpumm_n (problem);
  for (int d = 0; d < p->dims; d++)
    if (__builtin_mul_overflow (cols, p->sizes[d], &cols))
      return gpumm_fail (GPUMM_HOST_MEMORY, "out of host memory: more than 2^63 columns");
  *shape = (gpumm_matrix){.type = problem->output, .rows = gpumm_m (problem), .cols = cols};
  shape->ld = shape->rows;
  return gpumm_check_room (shape);
}

gpumm_status gpumm_pages_result (const gpumm_pages *pages, gpumm_matrix *shape) {
  gpumm_problem problem;
  return describe (pages, &problem, shape);
}

/* The number of pages that an operand has, from the first to the last that the steps reach. */
static int64_t pages_of (const batch *b, const int64_t *steps) {
  int64_t last = 0;
  for (int d = 0; d < b->dims; d++)
    last += (b->sizes[d] - 1) * steps[d];
  return last + 1;
}

/* Do all pages lie in the buffers of one device, and those of the result outside the bytes from the
 * first to the last page of A and of B? */
static gpumm_status check_places (const batch *b) {
  const gpumm_matrix *const all[] = {&b->problem.a, &b->problem.b, &b->c};
  const int64_t pages[] = {pages_of (b, b->steps_a), pages_of (b, b->steps_b), b->count};
  static const char *const names[] = {"A", "B", "the result"};
  gpumm_status status = GPUMM_OK;
  for (int i = 0; i < 3 && b->c.buffer && !status; i++) {
    gpumm_matrix x = *all[i];
    x.cols *= pages[i];
    status = gpumm_check_buffers (&x, names[i]);
    if (!status && x.buffer->context != b->c.buffer->context)
      status = gpumm_fail (GPUMM_UNSUPPORTED, "the pages lie on different devices");
  }
  const int64_t bytes_c = pages[2] * b->bytes_c;
  for (int i = 0; i < 2 && !status; i++) {
    const gpumm_region x = gpumm_vector_region (all[i]->values, 1,
                                                pages[i] * (i ? b->bytes_b : b->bytes_a)),
                       c = gpumm_vector_region (b->c.values, 1, bytes_c);
    if (gpumm_overlap (&c, &x))
      status =
          gpumm_fail (GPUMM_INVALID, "the result lies in the memory of the pages of %s", names[i]);
  }
  return status;
}

static int64_t bytes_of (const gpumm_matrix *x) {
  return x->rows * x->cols * (int64_t) gpumm_type_bytes (x->type);
}

/* Makes one product of a matrix by the pages of B that follow each other, as long as there are
 * any. */
static void join_pages (batch *b) {
  int64_t joined = 1;
  while (b->dims > 0 && b->problem.b.op == GPUMM_NONE
         && (b->sizes[0] == 1 || (b->steps_a[0] == 0 && b->steps_b[0] == joined))) {
    joined *= b->sizes[0];
    b->dims--;
    b->sizes++;
    b->steps_a++;
    b->steps_b++;
  }
  b->problem.b.cols *= joined;
  b->c.cols *= joined;
  b->bytes_c *= joined;
  b->count /= joined;
  b->work *= (double) joined;
}

gpumm_status gpumm_pages_run (const gpumm_pages *pages, const gpumm_options *options,
                              gpumm_matrix *result) {
  gpumm_matrix shape;
  batch b = {.options = options ? *options : (gpumm_options){.device = -1}};
  gpumm_status status = gpumm_check_environment ();
  if (!status)
    status = gpumm_check_options (&b.options);
  if (!status)
    status = describe (pages, &b.problem, &shape);
  if (!status
      && (!result || result->format != shape.format || result->type != shape.type
          || result->rows != shape.rows || result->cols != shape.cols || result->ld != shape.ld
          || !result->buffer != !pages->a.buffer))
    status =
        gpumm_fail (GPUMM_INVALID, "the result is not of the shape that gpumm_pages_result gave");
  if (!status)
    status = gpumm_check_matrix (result, "the result");
  if (status || result->rows == 0 || result->cols == 0)
    return status;
  b.c = *result;
  b.c.cols = gpumm_n (&b.problem);
  b.count = result->cols / b.c.cols;
  b.dims = pages->dims;
  b.sizes = pages->sizes;
  b.steps_a = pages->steps_a;
  b.steps_b = pages->steps_b;
  b.bytes_a = bytes_of (&b.problem.a);
  b.bytes_b = bytes_of (&b.problem.b);
  b.bytes_c = bytes_of (&b.c);
  b.work = gpumm_full_flops (&b.problem);
  status = check_places (&b);
  if (status)
    return status;
  gpumm_cancel_enter ();
  gpumm_progress_enter (gpumm_seconds (), 0, 1);
  join_pages (&b);
  status = gpumm_check_cancelled ();
  if (!status)
    status = multiply_pages (&b);
  gpumm_progress_leave ();
  gpumm_cancel_leave ();
  return status;
}

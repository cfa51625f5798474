/* dense.c - dense products by a kernel of the table: one loop serves the product that fits the
 * device and the one that does not.
 *
 * C is made tile by tile; for each, panels of op(A) and op(B) go up and are multiplied into it, and
 * it comes down. The plan chose the tiles, and where everything fits there is one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../error.h"
#include "../memory/handles.h"
#include "../memory/pool.h"
#include "../memory/transfer.h"
#include "../types.h"
#include "algorithm.h"

#include <string.h>

enum { BEGIN, UPLOADED, COMPUTED, DOWNLOADED, EVENTS };

/* A piece of an operand that is on the device. */
typedef struct {
  void *memory;
  const void *from; /* where the piece starts in the caller's memory; NULL: nothing yet */
  int64_t rows, cols;
} panel;

typedef struct {
  const gpumm_driver *driver;
  int device;
  gpumm_stream *stream;
  gpumm_event *events[EVENTS];
  panel a, b;
  void *c;
  gpumm_report *report;
} run_state;

static int64_t least (int64_t a, int64_t b) {
  return a < b ? a : b;
}

static gpumm_status failed (const run_state *r, gpumm_status status, const char *what) {
  return status ? gpumm_fail (status, "%s failed on device %d: %s", what, r->device,
                              r->driver->error_text ())
                : GPUMM_OK;
}

static gpumm_status take (const run_state *r, int64_t rows, int64_t cols, size_t element,
                          void **p) {
  return gpumm_pool_take (r->driver, r->device, GPUMM_POOL_DEVICE,
                          (size_t) rows * (size_t) cols * element, p);
}

static void give (const run_state *r, void *p) {
  gpumm_pool_give (r->driver, r->device, GPUMM_POOL_DEVICE, p);
}

static gpumm_status mark (const run_state *r, int event) {
  return failed (r, r->driver->event_record (r->device, r->events[event], r->stream), "an event");
}

/* The stored part of x that holds rows row .. and columns col .. of op (x). */
static gpumm_operand part (const gpumm_operand *x, gpumm_op op, int64_t row, int64_t rows,
                           int64_t col, int64_t cols) {
  gpumm_operand y = *x;
  int64_t first_row = op == GPUMM_NONE ? row : col, first_col = op == GPUMM_NONE ? col : row;
  y.rows = op == GPUMM_NONE ? rows : cols;
  y.cols = op == GPUMM_NONE ? cols : rows;
  y.values =
      (char *) x->values + (size_t) (first_row + first_col * x->ld) * gpumm_type_bytes (x->type);
  return y;
}

static gpumm_status up (run_state *r, const gpumm_operand *x, void *to) {
  size_t element = gpumm_type_bytes (x->type);
  r->report->bytes_up += x->rows * x->cols * (int64_t) element;
  return gpumm_upload (&(gpumm_transfer){.driver = r->driver,
                                         .device = r->device,
                                         .stream = r->stream,
                                         .from = x->values,
                                         .to = to,
                                         .rows = x->rows,
                                         .cols = x->cols,
                                         .ld_from = x->ld,
                                         .ld_to = x->rows,
                                         .element = element});
}

static int holds (const panel *p, const gpumm_operand *x) {
  return p->from == x->values && p->rows == x->rows && p->cols == x->cols;
}

static gpumm_status bring (run_state *r, const gpumm_operand *x, panel *p) {
  if (holds (p, x))
    return GPUMM_OK;
  p->from = x->values;
  p->rows = x->rows;
  p->cols = x->cols;
  return up (r, x, p->memory);
}

static gpumm_status add_seconds (run_state *r, int from, int to, double *sum) {
  double seconds = 0;
  gpumm_status status =
      r->driver->event_seconds (r->device, r->events[from], r->events[to], &seconds);
  *sum += seconds;
  return failed (r, status, "timing by events");
}

/* One tile of C: rows i .., columns j ... */
static gpumm_status make_tile (run_state *r, struct gpumm_job *job, gpumm_operand *result,
                               int64_t i, int64_t j) {
  const gpumm_problem *p = &job->problem;
  const gpumm_plan *plan = &job->plan;
  int64_t m = least (plan->tile_m, result->rows - i), n = least (plan->tile_n, result->cols - j);
  int64_t k = gpumm_is_zero (p->alpha) ? 0 : gpumm_k (p);
  gpumm_scalar beta = p->beta;
  gpumm_status status = mark (r, BEGIN);
  if (!status && p->c0) {
    gpumm_operand c0 = part (p->c0, GPUMM_NONE, i, m, j, n);
    status = up (r, &c0, r->c);
  }
  int64_t l = 0;
  do {
    int64_t step = least (plan->tile_k, k - l);
    gpumm_operand a = part (&p->a, p->op_a, i, m, l, step);
    gpumm_operand b = part (&p->b, p->op_b, l, step, j, n);
    if (!status && step > 0)
      status = bring (r, &a, &r->a);
    /* A and B one array, as in A'*A: it goes up once */
    int same = r->b.memory == NULL;
    if (!status && step > 0 && !same)
      status = bring (r, &b, &r->b);
    if (!status)
      status = mark (r, UPLOADED);
    gpumm_product product = {.type = p->output,
                             .op_a = p->op_a,
                             .op_b = p->op_b,
                             .m = m,
                             .n = n,
                             .k = step,
                             .a = r->a.memory,
                             .lda = a.rows,
                             .b = same ? r->a.memory : r->b.memory,
                             .ldb = b.rows,
                             .c = r->c,
                             .ldc = m,
                             .alpha = p->alpha,
                             .beta = beta};
    if (!status) {
      status = plan->kernel->launch (r->device, r->stream, &product);
      if (status)
        gpumm_fail (status, "kernel %s failed on %lld x %lld times %lld x %lld: %s",
                    plan->kernel->name, (long long) m, (long long) step, (long long) step,
                    (long long) n, r->driver->error_text ());
    }
    if (!status)
      status = mark (r, COMPUTED);
    l += step;
    beta = (gpumm_scalar){1, 0};
    if (!status && l < k) {
      /* the next panels overwrite these: wait, and take the times before the events are reused */
      status = failed (r, r->driver->event_synchronize (r->device, r->events[COMPUTED]),
                       plan->kernel->name);
      if (!status)
        status = add_seconds (r, BEGIN, UPLOADED, &r->report->upload);
      if (!status)
        status = add_seconds (r, UPLOADED, COMPUTED, &r->report->compute);
      if (!status)
        status = mark (r, BEGIN);
    }
  } while (!status && l < k);
  if (!status) {
    size_t element = gpumm_type_bytes (p->output);
    char *to = (char *) result->values + (size_t) (i + j * result->ld) * element;
    status = gpumm_download (&(gpumm_transfer){.driver = r->driver,
                                               .device = r->device,
                                               .stream = r->stream,
                                               .from = r->c,
                                               .to = to,
                                               .rows = m,
                                               .cols = n,
                                               .ld_from = m,
                                               .ld_to = result->ld,
                                               .element = element});
    r->report->bytes_down += m * n * (int64_t) element;
  }
  if (!status)
    status = mark (r, DOWNLOADED);
  if (!status)
    status = failed (r, r->driver->event_synchronize (r->device, r->events[DOWNLOADED]),
                     plan->kernel->name);
  if (!status)
    status = add_seconds (r, BEGIN, UPLOADED, &r->report->upload);
  if (!status)
    status = add_seconds (r, UPLOADED, COMPUTED, &r->report->compute);
  if (!status)
    status = add_seconds (r, COMPUTED, DOWNLOADED, &r->report->download);
  return status;
}

static gpumm_status prepare (run_state *r, const struct gpumm_job *job) {
  const gpumm_problem *p = &job->problem;
  const gpumm_plan *plan = &job->plan;
  size_t element = gpumm_type_bytes (p->output);
  gpumm_status status = GPUMM_OK;
  if (job->options.max_device_memory > 0) {
    size_t limit = (size_t) job->options.max_device_memory;
    size_t all = gpumm_pool_bytes (r->driver, r->device, GPUMM_POOL_DEVICE, NULL);
    if (all + (size_t) plan->device_bytes > limit)
      gpumm_pool_trim (r->driver, r->device, GPUMM_POOL_DEVICE, 0);
  }
  status = gpumm_stream_take (r->driver, r->device, &r->stream);
  for (int e = 0; e < EVENTS && !status; e++)
    status = gpumm_event_take (r->driver, r->device, &r->events[e]);
  if (!status)
    status = take (r, plan->tile_m, plan->tile_k, element, &r->a.memory);
  /* one array in one piece serves as A and B; b.memory stays NULL */
  gpumm_operand a = part (&p->a, p->op_a, 0, plan->tile_m, 0, plan->tile_k);
  gpumm_operand b = part (&p->b, p->op_b, 0, plan->tile_k, 0, plan->tile_n);
  int whole =
      plan->tile_m == gpumm_m (p) && plan->tile_n == gpumm_n (p) && plan->tile_k == gpumm_k (p);
  int same = whole && a.values == b.values && a.ld == b.ld && a.rows == b.rows && a.cols == b.cols;
  if (!status && !same)
    status = take (r, plan->tile_k, plan->tile_n, element, &r->b.memory);
  if (!status)
    status = take (r, plan->tile_m, plan->tile_n, element, &r->c);
  return status;
}

static gpumm_status run (struct gpumm_job *job, gpumm_operand *result) {
  const gpumm_plan *plan = &job->plan;
  run_state r = {.driver = plan->driver, .device = plan->device, .report = &job->report};
  gpumm_status status = GPUMM_OK;
  job->report.flops = gpumm_dense_flops (&job->problem);
  if (result->rows == 0 || result->cols == 0)
    return GPUMM_OK;
  status = prepare (&r, job);
  /* columns of tiles outside: B's panel stays on the device while A's pass, where k is one step */
  for (int64_t j = 0; j < result->cols && !status; j += plan->tile_n)
    for (int64_t i = 0; i < result->rows && !status; i += plan->tile_m)
      status = make_tile (&r, job, result, i, j);
  /* after a failure work may still be under way in what is given back */
  if (status && r.stream)
    r.driver->stream_synchronize (r.device, r.stream);
  gpumm_stream_give (r.driver, r.device, r.stream);
  for (int e = 0; e < EVENTS; e++)
    gpumm_event_give (r.driver, r.device, r.events[e]);
  give (&r, r.a.memory);
  give (&r, r.b.memory);
  give (&r, r.c);
  if (job->options.max_device_memory > 0)
    gpumm_pool_trim (r.driver, r.device, GPUMM_POOL_DEVICE,
                     (size_t) job->options.max_device_memory);
  return status;
}

static int takes (const gpumm_problem *p) {
  return p->a.kind == GPUMM_DENSE && p->b.kind == GPUMM_DENSE && gpumm_is_float (p->a.type)
         && gpumm_is_float (p->b.type);
}

#define ROW(family, text)                                                                          \
  const gpumm_algorithm gpumm_algorithm_##family = {                                               \
      .name = #family, .summary = text, .on_device = 1, .takes = takes, .run = run}

ROW (naive, "one thread an element of C, operands in global memory");
ROW (tiled, "square tiles of A and B in shared memory");
ROW (register, "tiles in shared memory, a small tile of C in each thread's registers");
ROW (cublas, "NVIDIA's library");

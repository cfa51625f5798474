/* timed_product.c - products of full matrices that are run to see how long they take. They are no
 * jobs, because the plan of a job needs what they tell.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "timed_product.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "base/types.h"
#include "memory/host.h"
#include "multiply/algorithm.h"

#include <math.h>

void *gpumm_random_matrix (int64_t elements, gpumm_type type) {
  int is_single = gpumm_is_single (type);
  int64_t reals = elements * (gpumm_is_complex (type) ? 2 : 1);
  void *x = gpumm_allocate (reals, is_single ? sizeof (float) : sizeof (double));
  if (!x)
    return NULL;
  uint64_t state = 88172645463325252u;
  for (int64_t i = 0; i < reals; i++) {
    state ^= state << 13; /* xorshift64, Marsaglia 2003 */
    state ^= state >> 7;
    state ^= state << 17;
    double value = (double) (state >> 11) * 0x1p-53 - 0.5;
    if (is_single)
      ((float *) x)[i] = (float) value;
    else
      ((double *) x)[i] = value;
  }
  return x;
}

static const gpumm_options on_device = {.backend = GPUMM_GPU, .device = -1};

typedef struct {
  const gpumm_candidate *devices;
  int count;
  gpumm_problem problem;
  gpumm_plan plan; /* of all columns, on the first device */
  gpumm_matrix c;
  double compute;
  gpumm_status status[GPUMM_MOST_TEAMS];
} timed;

/* The columns of device i. */
static void multiply_columns (void *context, int i) {
  timed *t = context;
  const int64_t n = gpumm_n (&t->problem), from = n * i / t->count;
  const int64_t count = n * (i + 1) / t->count - from;
  struct gpumm_job job = {.problem = t->problem, .options = on_device};
  gpumm_matrix c = t->c;
  gpumm_take_columns (&job.problem.b, from, count);
  gpumm_take_columns (&c, from, count);
  t->status[i] = gpumm_plan_part (&job.problem, &on_device, &t->devices[i], &t->plan, &job.plan);
  if (!t->status[i])
    t->status[i] = job.plan.algorithm->run (&job, &c);
  if (i == 0)
    t->compute = job.report.compute;
}

static gpumm_matrix matrix (gpumm_type type, int64_t rows, int64_t cols, const void *values) {
  return (gpumm_matrix){
      .type = type, .rows = rows, .cols = cols, .ld = rows, .values = (void *) (uintptr_t) values};
}

gpumm_status gpumm_time_product (const gpumm_candidate *devices, int count, gpumm_product *p,
                                 gpumm_product_times *least) {
  const gpumm_candidates known = {.gpu = &devices[0]};
  if (!p->c)
    p->c = gpumm_allocate (p->m * p->n, gpumm_type_bytes (p->type));
  if (!p->c)
    return GPUMM_HOST_MEMORY;
  timed t = {.devices = devices,
             .count = count,
             .problem = {.a = matrix (p->type, p->m, p->k, p->a),
                         .b = matrix (p->type, p->k, p->n, p->b),
                         .alpha = {1, 0},
                         .output = p->type},
             .c = matrix (p->type, p->m, p->n, p->c)};
  const double began = gpumm_seconds ();
  const gpumm_status status = gpumm_make_plan (&t.problem, &on_device, &known, &t.plan);
  if (status)
    return status;
  gpumm_each_team (count, multiply_columns, NULL, &t);
  for (int i = 0; i < count; i++)
    if (t.status[i]) /* the text is that of another thread, but for the first */
      return i == 0 ? t.status[0] : gpumm_fail (t.status[i], "device %d failed", i);
  least->total = fmin (least->total, gpumm_seconds () - began);
  least->compute = fmin (least->compute, t.compute);
  return GPUMM_OK;
}

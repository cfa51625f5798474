/* gather.c - gathers what a plan needs to know: opens devices, and has them measured.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gather.h"
#include "device/devices.h"
#include "base/error.h"
#include "memory/buffer.h"
#include "multiply/sparse.h"
#include "rates.h"
#include "too_small.h"
#include "base/types.h"
#include "work.h"

#include <math.h>
#include <stdio.h>

typedef struct {
  const gpumm_problem *problem;
  const gpumm_options *options;
  gpumm_candidates known; /* points to what has been gathered of these */
  gpumm_candidate cpu, gpu, host;
  gpumm_sparse_estimate estimate;
  char why_no_gpu[512];
} gathered;

/* Keeps the text of the last error, which the next failure replaces. */
static void keep_reason (gathered *g, int fails) {
  snprintf (g->why_no_gpu, sizeof g->why_no_gpu, "%s", gpumm_last_error ());
  g->known.why_no_gpu = g->why_no_gpu;
  g->known.gpu_fails = fails;
}

static gpumm_status gather_host (gathered *g, int device) {
  gpumm_context *context;
  gpumm_status status = gpumm_context_of (GPUMM_HOST - device, &context);
  if (status)
    return gpumm_fail (status, "the host device cannot be used: %s", gpumm_last_error ());
  status = gpumm_candidate_device (context, g->problem->output, !g->problem->queues, &g->host);
  g->known.host = &g->host;
  return status;
}

/* The GPU that the options ask for; else the reason, which fails if nothing else will do. by_rates:
 * its properties may be those seen last. */
static gpumm_status gather_gpu (gathered *g, int device, int by_rates) {
  const gpumm_problem *p = g->problem;
  const gpumm_options *o = g->options;
  gpumm_context *context;
  g->known.gpu = NULL;
  gpumm_status status = gpumm_context_of (device, &context);
  if (status == GPUMM_NO_DEVICE) {
    keep_reason (g, 0);
    return GPUMM_OK;
  }
  if (status)
    return status;
  /* a product of compressed matrices that lie there is planned without rates */
  const int needs_rates = gpumm_is_full (p) || !gpumm_is_bound (p);
  const gpumm_type type = gpumm_is_float (p->output) ? p->output : GPUMM_D;
  status = gpumm_candidate_device (context, needs_rates ? type : GPUMM_TYPES,
                                   !by_rates && !p->queues, &g->gpu);
  if (status) {
    keep_reason (g, 1);
    return o->backend == GPUMM_GPU || gpumm_is_bound (p) ? status : GPUMM_OK;
  }
  if (!by_rates)
    gpumm_candidate_alternative (p, o, &g->gpu);
  if (o->backend == GPUMM_AUTO)
    gpumm_candidate_large (gpumm_bytes_moved (p), o->max_device_memory, &g->gpu);
  g->known.gpu = &g->gpu;
  return GPUMM_OK;
}

static gpumm_status gather_device (gathered *g, unsigned needs) {
  const gpumm_problem *p = g->problem;
  const gpumm_options *o = g->options;
  const gpumm_buffer *home = gpumm_home (p);
  const int at_host = needs & GPUMM_NEEDS_HOST
                      || (home && home->context->driver == gpumm_host_device (NULL))
                      || (!home && p->stays && o->backend == GPUMM_CPU);
  uint64_t devices = 1;
  const gpumm_status status = home ? GPUMM_OK : gpumm_allowed_devices (o, at_host, &devices);
  if (status)
    return status;
  const int device = home ? home->context->device : __builtin_ctzll (devices);
  if (at_host)
    return gather_host (g, device);
  const int by_rates = needs & GPUMM_NEEDS_RATES && gpumm_is_full_float (p);
  if (!by_rates)
    g->known.unknown &= ~(unsigned) GPUMM_NEEDS_GPU;
  return gather_gpu (g, device, by_rates);
}

static gpumm_status gather (gathered *g, unsigned needs) {
  gpumm_status status = GPUMM_OK;
  g->known.unknown &= ~needs;
  if (needs & GPUMM_NEEDS_SPARSE)
    g->estimate = gpumm_estimate_sparse (g->problem);
  if (needs & GPUMM_NEEDS_CPU) {
    status = gpumm_candidate_cpu (g->problem->output, &g->cpu);
    g->known.cpu = &g->cpu;
  }
  if (!status && needs & (GPUMM_NEEDS_HOST | GPUMM_NEEDS_RATES | GPUMM_NEEDS_GPU))
    status = gather_device (g, needs);
  return status;
}

gpumm_status gpumm_plan_product (const gpumm_problem *problem, const gpumm_options *options,
                                 int keeps_sparse, gpumm_plan *plan) {
  gathered g; /* mostly unused: not cleared */
  g.problem = problem;
  g.options = options;
  g.known = (gpumm_candidates){.unknown = GPUMM_NEEDS_ALL,
                               .why_no_gpu = "",
                               .estimate = &g.estimate,
                               .keeps_sparse = keeps_sparse};
  gpumm_status status = gpumm_make_plan (problem, options, &g.known, plan);
  while (!status && plan->needs) {
    status = gather (&g, plan->needs);
    if (!status)
      status = gpumm_make_plan (problem, options, &g.known, plan);
  }
  return status;
}

gpumm_status gpumm_measured_costs (const gpumm_work *work, int device, gpumm_estimate *seconds) {
  gpumm_context *context;
  gpumm_candidate cpu, gpu;
  *seconds = (gpumm_estimate){INFINITY, INFINITY, 0};
  if (work->flops < GPUMM_LEAST_FLOPS || gpumm_context_of (device, &context)
      || gpumm_candidate_device (context, work->type, 0, &gpu))
    return GPUMM_OK;
  gpumm_candidate_large (work->up + work->down, 0, &gpu);
  const gpumm_status status = gpumm_candidate_cpu (work->type, &cpu);
  if (!status)
    *seconds = gpumm_costs (work, &cpu, &gpu);
  return status;
}

/* gather.c - gathers what a plan needs to know: opens devices, and has them measured. It decides
 * nothing: what is needed, and whether the GPU wins, plan.c says.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gather.h"
#include "base/error.h"
#include "base/types.h"
#include "device/devices.h"
#include "memory/buffer.h"
#include "multiply/sparse.h"
#include "rates.h"
#include "too_small.h"
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

/* The library that the named algorithm lacks there. */
static const char *missing_there (const gathered *g, const gpumm_context *context) {
  const gpumm_driver *driver = context->driver;
  return gpumm_is_auto (g->options) || !driver->missing ? NULL
                                                        : driver->missing (g->options->algorithm);
}

static gpumm_status gather_host (gathered *g, int device) {
  gpumm_context *context;
  gpumm_status status = gpumm_context_of (GPUMM_HOST - device, &context);
  if (status)
    return gpumm_fail (status, "the host device cannot be used: %s", gpumm_last_error ());
  status = gpumm_candidate_device (context, g->problem->output, !g->problem->queues, &g->host);
  g->host.missing = missing_there (g, context);
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
  g->gpu.missing = missing_there (g, context);
  if (!by_rates)
    gpumm_candidate_alternatives (p, o, g->known.alternatives, &g->gpu);
  if (o->backend == GPUMM_AUTO)
    gpumm_candidate_large (gpumm_bytes_moved (p), o->max_device_memory, &g->gpu);
  g->known.gpu = &g->gpu;
  return GPUMM_OK;
}

/* The device where the matrices lie, or the first that is allowed. */
static gpumm_status gather_device (gathered *g, int at_host, int by_rates) {
  const gpumm_buffer *home = gpumm_home (g->problem);
  uint64_t devices = 1;
  const gpumm_status status =
      home ? GPUMM_OK : gpumm_allowed_devices (g->options, at_host, &devices);
  if (status)
    return status;
  const int device = home ? home->context->device : __builtin_ctzll (devices);
  return at_host ? gather_host (g, device) : gather_gpu (g, device, by_rates);
}

/* Do the matrices lie on the host device, or is the result to stay there? */
static int is_at_host (const gathered *g) {
  const gpumm_buffer *home = gpumm_home (g->problem);
  return home ? home->context->driver == gpumm_host_device (NULL)
              : g->problem->stays && g->options->backend == GPUMM_CPU;
}

/* The CPU and the estimate, where `needs` has their bits. */
static gpumm_status gather_cpu (gathered *g, unsigned needs) {
  if (needs & GPUMM_NEEDS_SPARSE)
    g->estimate = gpumm_estimate_sparse (g->problem);
  if (!(needs & GPUMM_NEEDS_CPU))
    return GPUMM_OK;
  g->known.cpu = &g->cpu;
  return gpumm_candidate_cpu (g->problem->output, &g->cpu);
}

static gpumm_status gather (gathered *g, unsigned needs) {
  const int full = gpumm_is_full_float (g->problem);
  gpumm_status status = GPUMM_OK;
  if (needs & (GPUMM_NEEDS_GPU | GPUMM_NEEDS_RATES))
    status = gather_device (g, is_at_host (g), full && needs & GPUMM_NEEDS_RATES);
  if (!status && needs & GPUMM_NEEDS_HOST && !g->known.gpu)
    status = gather_device (g, 1, 0);
  const int weighs = needs & GPUMM_NEEDS_RATES && g->known.gpu;
  if (weighs)
    needs |= full ? GPUMM_NEEDS_CPU : GPUMM_NEEDS_SPARSE;
  if (!status)
    status = gather_cpu (g, needs);
  if (status || !weighs)
    return status;
  g->known.seconds = gpumm_weigh (g->problem, g->options, &g->known);
  return full && g->known.seconds.gpu_wins ? gather_device (g, 0, 0) : GPUMM_OK;
}

gpumm_status gpumm_plan_product (const gpumm_problem *problem, const gpumm_options *options,
                                 int keeps_sparse, gpumm_plan *plan) {
  gathered g; /* mostly unused: not cleared */
  g.problem = problem;
  g.options = options;
  g.known = (gpumm_candidates){.why_no_gpu = "",
                               .seconds = {INFINITY, INFINITY, 0},
                               .estimate = &g.estimate,
                               .alternatives = gpumm_alternatives,
                               .keeps_sparse = keeps_sparse};
  const unsigned needs = gpumm_plan_needs (problem, options, keeps_sparse);
  const gpumm_status status = needs ? gather (&g, needs) : GPUMM_OK;
  return status ? status : gpumm_make_plan (problem, options, &g.known, plan);
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

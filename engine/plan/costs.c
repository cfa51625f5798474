/* costs.c - how long work on full matrices takes by measured rates, on the CPU and on a GPU.
 *
 * Functions of numbers alone: the rates come in candidates, and are measured elsewhere (rates.c).
 * What a term costs was measured where its constant says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "costs.h"
#include "base/types.h"
#include "multiply/real_by_complex.h"
#include "too_small.h"
#include "work.h"

#include <math.h>

gpumm_work gpumm_work_of (const gpumm_problem *p) {
  const double flops = gpumm_full_flops (p);
  const int is_widened = p->a.type != p->b.type && !gpumm_is_split (p);
  return (gpumm_work){.type = p->output,
                      .flops = flops,
                      /* a real matrix goes as a complex one */
                      .device_flops = is_widened ? 2 * flops : flops,
                      .up = gpumm_bytes_up (p),
                      .down = gpumm_bytes_down (p),
                      .packed = gpumm_stored_bytes (&p->b)};
}

/* A thread writes 1 GB/s to memory fresh from the system, where C lies if it is large; 2 write
 * twice as much, 32 write 13. A product with a short k takes no longer than that. */
static const double FRESH_RATE = 1e9;
enum { MOST_FRESH = 12, FRESH_BYTES = 32 << 20 };

/* OpenBLAS packs B: 64 x 6000 by 6000 x 6000 took 33 ms longer on 2 cores than its operations do at
 * the rate of a square product, 64 x 20000 by 20000 x 20000 on 32 cores 280 to 420 ms. The packing
 * of a B that stays in caches is in the measured rate. */
static const double PACK_RATE = 8e9;
enum { CACHED_BYTES = 32 << 20 };

static double on_cpu (const gpumm_work *w, const gpumm_candidate *cpu) {
  const double fresh = fmax (w->down - FRESH_BYTES, 0);
  const double threads = (double) gpumm_least (cpu->threads, MOST_FRESH);
  const double packed = fmax (w->packed - CACHED_BYTES, 0);
  return cpu->call + w->flops / cpu->flops[w->type] + fresh / (FRESH_RATE * threads)
         + packed / PACK_RATE;
}

/* With the kernel that "auto" would take, whose rate is the GPU's. */
static double on_gpu (const gpumm_work *w, const gpumm_candidate *gpu) {
  const double all = gpu->call + w->up / gpu->upload + w->down / gpu->download
                     + w->device_flops / gpu->flops[w->type];
  /* Small transfers are slower: fewer threads copy, and the first and last MB overlap with
   * nothing. */
  const double fraction = gpu->near_bytes > 0 ? (w->up + w->down) / gpu->near_bytes : 0;
  const double least = gpu->call + (gpu->near_seconds - gpu->call) * fmin (fraction, 1);
  return fmax (all, least);
}

gpumm_estimate gpumm_compare (double cpu, double gpu) {
  return (gpumm_estimate){cpu, gpu, gpu < GPUMM_MOST_NEEDED * cpu && gpu < cpu - GPUMM_LEAST_SAVED};
}

gpumm_estimate gpumm_costs (const gpumm_work *w, const gpumm_candidate *cpu,
                            const gpumm_candidate *gpu) {
  return gpumm_compare (cpu ? on_cpu (w, cpu) : INFINITY, gpu ? on_gpu (w, gpu) : INFINITY);
}

gpumm_estimate gpumm_product_costs (const gpumm_problem *p, const gpumm_candidate *cpu,
                                    const gpumm_candidate *gpu) {
  const gpumm_work work = gpumm_work_of (p);
  return gpumm_costs (&work, cpu, gpu);
}

/* plan.c - which device, algorithm, kernel and tiling.
 *
 * Everything here is a function of its arguments: no driver, device, clock, number of threads or
 * last error is asked. What must be known comes in gpumm_candidates (gather.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"
#include "base/error.h"
#include "base/types.h"
#include "costs.h"
#include "multiply/algorithm.h"
#include "multiply/pass.h"
#include "multiply/sparse.h"
#include "tiles.h"
#include "too_small.h"
#include "work.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two sparse matrices are multiplied as full ones if at least LEAST_FILL of each is stored, if
 * FILLED_PART of C would be, from FEWEST_FILLED_FLOPS operations on (fewer take about 1 ms), and if
 * by the measured rates it is faster. By a fixed fill alone a busy BLAS was 1.4 times as slow at
 * 1000 x 1000, a fifth full. */
static const double LEAST_FILL = 0.19, FILLED_PART = 0.5, FEWEST_FILLED_FLOPS = 2e6;

/* Seconds of a thread for a place of A or B that is written out, and for one of C that is stored:
 * at n = 200 to 1000, 20 to 70 % full, 14 to 20 ns of two cores of a Xeon for one of each. */
static const double WRITE_SECONDS = 4e-9, STORE_SECONDS = 9e-9;

/* The largest size of a queued product of arrays that takes "tiled", by type S, D, C, Z: there it
 * takes less time than the call of cuBLAS. On an H200 the call took 9 to 14 us of the CPU, a launch
 * of "tiled" 4, and each product of a chain of 64 x 64 took 9 us with "tiled" (arrays.csv), so at
 * least 14 with cuBLAS. "tiled" took 11, 16, 13 and 8 us on the device at these sizes, by events
 * around one product less those at 16 (kernels.csv), and 27, 37, 37 and 20 us at the next sizes,
 * 384 (Z: 192). */
static const int64_t LAUNCH_BOUND[] = {256, 256, 256, 128};

/* Does the name mean an algorithm that runs on a device, or a kernel? Their names differ. */
static int names_device_algorithm (const char *name) {
  const gpumm_algorithm *a = gpumm_algorithm_find (name);
  return !a || a->on_device;
}

const gpumm_algorithm *gpumm_cpu_algorithm (const gpumm_problem *p) {
  if (gpumm_is_full_float (p))
    return &gpumm_algorithm_blas;
  if (p->a.format == GPUMM_BLOCKS || p->b.format == GPUMM_BLOCKS)
    return &gpumm_algorithm_blocks;
  if (p->a.format == GPUMM_SPARSE || p->b.format == GPUMM_SPARSE)
    return &gpumm_algorithm_sparse;
  return &gpumm_algorithm_integers;
}

/* The first algorithm that multiplies these operands on a device, or NULL. */
static const gpumm_algorithm *device_algorithm (const gpumm_problem *p) {
  for (const gpumm_algorithm *const *a = gpumm_algorithms; *a; a++)
    if ((*a)->on_device && (*a)->takes (p))
      return *a;
  return NULL;
}

/* "auto" on a device: families by their measured rates, best first. */
static const gpumm_algorithm *const families[] = {&gpumm_algorithm_cublas,
                                                  &gpumm_algorithm_register, NULL};

static int may_run (const gpumm_kernel *k, const gpumm_candidate *candidate,
                    const gpumm_product *product, int max_capability) {
  return k->types & 1u << product->type && k->capability <= candidate->properties.capability
         && (!max_capability || k->capability <= max_capability)
         && (!k->runs || k->runs (product, &candidate->properties));
}

static const gpumm_kernel *choose_in_family (const gpumm_candidate *candidate, const char *name,
                                             const gpumm_product *product, int max_capability) {
  const gpumm_kernel *best = NULL;
  int64_t least = product->m < product->n ? product->m : product->n;
  for (const gpumm_kernel *const *row = candidate->context->driver->kernels; *row; row++) {
    const gpumm_kernel *k = *row;
    int exact = strcmp (k->name, name) == 0;
    if (!exact && strcmp (k->algorithm, name) != 0)
      continue;
    if (!may_run (k, candidate, product, max_capability))
      continue;
    if (exact && strcmp (k->algorithm, name) != 0)
      return k;
    if (k->from == INT64_MAX) /* taken only by its own name */
      continue;
    if (!best || least >= k->from)
      best = k;
  }
  return best;
}

/* The row that a product of that size should use: of the family that the options name (or the row
 * of that name; "auto": the first of the families), NULL where none may run it. */
static const gpumm_kernel *choose_kernel (const gpumm_candidate *candidate, const gpumm_options *o,
                                          const gpumm_product *product) {
  if (!gpumm_is_auto (o))
    return choose_in_family (candidate, o->algorithm, product, o->max_capability);
  for (const gpumm_algorithm *const *family = families; *family; family++) {
    const gpumm_kernel *k =
        choose_in_family (candidate, (*family)->name, product, o->max_capability);
    if (k)
      return k;
  }
  return NULL;
}

/* ---- alternatives to the library ------------------------------------------------------------- */

static gpumm_product whole_product (const gpumm_problem *p) {
  gpumm_product product = gpumm_product_of (p);
  product.m = gpumm_least (product.m, GPUMM_LARGEST_DIMENSION);
  product.n = gpumm_least (product.n, GPUMM_LARGEST_DIMENSION);
  product.k = gpumm_least (product.k, GPUMM_LARGEST_DIMENSION);
  return product;
}

int gpumm_bound_by_computing (const gpumm_problem *p, const gpumm_candidate *candidate,
                              const gpumm_alternative *row, double flops) {
  double up = gpumm_bytes_up (p), down = gpumm_bytes_down (p);
  return gpumm_full_flops (p) / flops > row->bound * (up > down ? up : down) / candidate->link;
}

int gpumm_has_alternative (const gpumm_problem *p, const gpumm_options *o,
                           const gpumm_candidate *candidate, const gpumm_alternative *row,
                           gpumm_alternative_kernels *kernels) {
  if (!gpumm_is_auto (o) || !gpumm_is_full_float (p) || !candidate->flops[p->output]
      || !row->edge[p->output])
    return 0;
  int64_t m = gpumm_m (p), n = gpumm_n (p), k = gpumm_k (p);
  gpumm_product product = whole_product (p);
  if (gpumm_least (gpumm_least (m, n), k) < GPUMM_LEAST_WEIGHED_EDGE || gpumm_is_zero (p->alpha)
      || gpumm_full_flops (p) / candidate->flops[p->output] < GPUMM_LEAST_WEIGHED
      || !(kernels->kernel = choose_in_family (candidate, row->family, &product, o->max_capability))
      || !(kernels->library = choose_kernel (candidate, o, &product)))
    return 0;
  /* the library's syrk and herk compute one triangle of A A' in half the time */
  return !gpumm_is_gram (p);
}

/* The alternative also prepares each element of A and B and converts each of C, which takes a
 * larger part of its time where m, n or k is shorter than in the trial. Larger products count as
 * the trial. */
static double seconds_of_alternative (const gpumm_problem *p, const gpumm_alternative *row,
                                      double rate) {
  const double m = (double) gpumm_m (p), n = (double) gpumm_n (p), k = (double) gpumm_k (p);
  const double shorter = (double) row->edge[p->output] * (1 / m + 1 / n + 1 / k) / 3;
  return rate * gpumm_full_flops (p) * fmax (1, shorter);
}

/* Are the kernel's results about panels, if it has any, computed once? */
static int works_once (const gpumm_problem *p, const gpumm_plan *plan) {
  return !plan->kernel->workspace || plan->keeps
         || (plan->tile_m >= gpumm_m (p) && plan->tile_n >= gpumm_n (p));
}

/* Changes the plan to the row's kernel, whose rate that is, if measured rates say that it is
 * clearly faster than the library, and faster than the alternative that the plan has by now. */
static void weigh_alternative (const gpumm_problem *p, const gpumm_options *o,
                               const gpumm_candidates *known, const gpumm_candidate *candidate,
                               const gpumm_alternative *row, double rate, gpumm_plan *plan) {
  const double library = candidate->kernel_rates.library;
  gpumm_plan other = *plan;
  gpumm_alternative_kernels kernels;
  if (!gpumm_has_alternative (p, o, candidate, row, &kernels) || !rate || !library
      || !gpumm_bound_by_computing (p, candidate, row, 1 / library))
    return;
  other.kernel = kernels.kernel;
  other.algorithm = gpumm_algorithm_find (other.kernel->algorithm);
  /* its workspace must not cause more transfers */
  if (gpumm_choose_tiles (p, candidate, known, o->max_device_memory, &other) || !other.fits_device
      || !works_once (p, &other))
    return;
  other.library_seconds = library * gpumm_full_flops (p);
  other.alternative_seconds = seconds_of_alternative (p, row, rate);
  const int moves = gpumm_bytes_up (p) + gpumm_bytes_down (p) > 0;
  if (other.alternative_seconds > (moves ? row->faster_moving : row->faster) * other.library_seconds
      || (plan->alternative_seconds > 0 && other.alternative_seconds >= plan->alternative_seconds))
    return;
  other.gain = other.library_seconds / other.alternative_seconds;
  *plan = other;
}

/* The pool keeps at most this part of a device's memory between calls. */
static const int64_t KEPT_PART = 4;

static void set_device (gpumm_plan *plan, const gpumm_candidate *candidate, int64_t limit) {
  plan->context = candidate->context;
  plan->properties = candidate->properties;
  plan->keep_bytes = limit > 0 ? limit : candidate->properties.memory_total / KEPT_PART;
}

static gpumm_status plan_device (const gpumm_problem *p, const gpumm_options *o,
                                 const gpumm_candidates *known, const gpumm_candidate *candidate,
                                 gpumm_plan *plan) {
  gpumm_product product = whole_product (p);
  const gpumm_kernel *kernel = choose_kernel (candidate, o, &product);
  if (!kernel && candidate->missing)
    return gpumm_refuse (plan->reason, GPUMM_UNSUPPORTED, "algorithm \"%s\" does not run on %s: %s",
                         o->algorithm, candidate->properties.name, candidate->missing);
  if (!kernel)
    return gpumm_refuse (
        plan->reason, GPUMM_UNSUPPORTED, "no kernel of \"%s\" multiplies %s matrices on %s%s",
        gpumm_is_auto (o) ? "auto" : o->algorithm, gpumm_type_name (p->output),
        candidate->properties.name, o->max_capability ? " under the given MaxCapability" : "");
  plan->kernel = kernel;
  plan->algorithm = gpumm_algorithm_find (kernel->algorithm);
  if (!plan->algorithm)
    return gpumm_refuse (plan->reason, GPUMM_INTERNAL, "kernel %s belongs to no algorithm",
                         kernel->name);
  set_device (plan, candidate, o->max_device_memory);
  plan->rate = candidate->flops[p->output];
  gpumm_status status = gpumm_choose_tiles (p, candidate, known, o->max_device_memory, plan);
  const gpumm_alternative *rows = known->alternatives;
  for (int i = 0; !status && rows && rows[i].family; i++)
    weigh_alternative (p, o, known, candidate, &rows[i], candidate->kernel_rates.alternative[i],
                       plan);
  return status;
}

/* A plan, or its reason as the error. */
static gpumm_status end_plan (gpumm_status status, const gpumm_plan *plan) {
  return status ? gpumm_fail (status, "%s", plan->reason) : GPUMM_OK;
}

gpumm_status gpumm_plan_part (const gpumm_problem *part, const gpumm_options *o,
                              const gpumm_candidate *candidate, const gpumm_plan *whole,
                              gpumm_plan *plan) {
  const gpumm_candidates known = {.like = whole->fits_device ? whole : NULL};
  const int capability = whole->kernel ? whole->kernel->capability : 0;
  gpumm_status status = GPUMM_OK;
  *plan = *whole;
  set_device (plan, candidate, o->max_device_memory);
  if (capability > candidate->properties.capability)
    status = gpumm_refuse (plan->reason, GPUMM_UNSUPPORTED, "kernel %s does not run on %s",
                           whole->kernel->name, candidate->properties.name);
  else if (whole->kernel) {
    if (candidate->flops[part->output] > 0)
      plan->rate = candidate->flops[part->output];
    status = gpumm_choose_tiles (part, candidate, &known, o->max_device_memory, plan);
  }
  return end_plan (status, plan);
}

/* Plans the algorithm or kernel that the caller named, for a sparse product on a device. */
static gpumm_status plan_sparse_device (const gpumm_problem *p, const gpumm_options *o,
                                        const gpumm_candidate *candidate,
                                        const gpumm_algorithm *algorithm, gpumm_plan *plan) {
  const char *name = algorithm ? algorithm->name : o->algorithm;
  const gpumm_sparse_kernel *kernel = gpumm_next_sparse_kernel (
      candidate->context->driver, name, candidate->properties.capability, NULL);
  if (kernel)
    plan->algorithm = gpumm_algorithm_find (kernel->algorithm);
  if (!plan->algorithm || !plan->algorithm->takes (p))
    return gpumm_refuse (
        plan->reason, GPUMM_UNSUPPORTED, "no kernel of \"%s\" multiplies %s%s by %s%s on %s", name,
        gpumm_format_word (p->a.format), gpumm_type_name (p->a.type),
        gpumm_format_word (p->b.format), gpumm_type_name (p->b.type), candidate->properties.name);
  plan->sparse_kernel = algorithm ? NULL : kernel;
  set_device (plan, candidate, o->max_device_memory);
  return GPUMM_OK;
}

/* The algorithm that was asked for does not take these operands: which do? */
static gpumm_status fail_operands (const gpumm_problem *p, const gpumm_options *o,
                                   gpumm_plan *plan) {
  char others[256] = "\"auto\"";
  for (const gpumm_algorithm *const *a = gpumm_algorithms; *a; a++)
    if ((*a)->takes (p)) {
      const size_t used = strlen (others);
      snprintf (others + used, sizeof others - used, ", \"%s\"", (*a)->name);
    }
  return gpumm_refuse (plan->reason, GPUMM_UNSUPPORTED,
                       "algorithm \"%s\" does not multiply %s%s by %s%s; write one of %s",
                       o->algorithm, gpumm_format_word (p->a.format), gpumm_type_name (p->a.type),
                       gpumm_format_word (p->b.format), gpumm_type_name (p->b.type), others);
}

static gpumm_status plan_named (const gpumm_problem *p, const gpumm_options *o,
                                const gpumm_candidates *known, gpumm_plan *plan) {
  const gpumm_algorithm *a = gpumm_algorithm_find (o->algorithm);
  if (a && !a->takes (p))
    return fail_operands (p, o, plan);
  if (a && !a->on_device) {
    plan->algorithm = a;
    plan->backend = GPUMM_CPU;
    if (a->finish) {
      snprintf (plan->reason, sizeof plan->reason, "algorithm \"%s\" was asked for", o->algorithm);
      return GPUMM_OK;
    }
    if (o->backend == GPUMM_GPU && device_algorithm (p))
      return gpumm_refuse (
          plan->reason, GPUMM_UNSUPPORTED,
          "algorithm \"%s\" runs on the CPU only, and Backend \"gpu\" was asked for", o->algorithm);
    snprintf (plan->reason, sizeof plan->reason, "algorithm \"%s\" was asked for%s", o->algorithm,
              o->backend == GPUMM_GPU
                  ? "; it runs on the CPU, because no GPU kernel multiplies these matrices"
                  : "");
    return GPUMM_OK;
  }
  int full = gpumm_is_full_float (p);
  if (!full && !device_algorithm (p))
    return gpumm_refuse (plan->reason, GPUMM_UNSUPPORTED,
                         "kernel \"%s\" multiplies only full matrices of single or double",
                         o->algorithm);
  const gpumm_candidate *candidate = o->backend == GPUMM_CPU ? NULL : known->gpu;
  plan->backend = candidate ? GPUMM_GPU : GPUMM_CPU;
  if (!candidate && o->backend != GPUMM_GPU)
    candidate = known->host;
  if (!candidate)
    return gpumm_refuse (plan->reason, GPUMM_NO_DEVICE, "no GPU can be used: %s",
                         known->why_no_gpu);
  gpumm_status status = full ? plan_device (p, o, known, candidate, plan)
                             : plan_sparse_device (p, o, candidate, a, plan);
  if (status == GPUMM_UNSUPPORTED && plan->backend == GPUMM_CPU && !o->max_capability)
    return o->backend == GPUMM_CPU
               ? gpumm_refuse (plan->reason, status,
                               "algorithm \"%s\" needs a GPU, and Backend \"cpu\" was asked for",
                               o->algorithm)
               : gpumm_refuse (
                   plan->reason, status, "algorithm \"%s\" needs a GPU, and %s: %s", o->algorithm,
                   known->gpu_fails ? "none can be used" : "there is none", known->why_no_gpu);
  if (status)
    return status;
  if (plan->backend == GPUMM_GPU)
    snprintf (plan->reason, sizeof plan->reason, "\"%s\" was asked for; it runs on the GPU",
              o->algorithm);
  else
    snprintf (plan->reason, sizeof plan->reason,
              "\"%s\" was asked for; %s%s, so the same kernel runs on the host device, which is "
              "for study and tests, not for speed",
              o->algorithm,
              o->backend == GPUMM_CPU ? "the CPU was asked for" : "no GPU can be used: ",
              o->backend == GPUMM_CPU ? "" : known->why_no_gpu);
  return GPUMM_OK;
}

static int is_launch_bound (const gpumm_problem *p) {
  const int64_t bound = gpumm_is_full_float (p) ? LAUNCH_BOUND[p->output] : 0;
  return gpumm_m (p) <= bound && gpumm_n (p) <= bound && gpumm_k (p) <= bound;
}

/* Plans a product that is bound to a device, which is the only place to choose. */
static gpumm_status plan_bound (const gpumm_problem *p, const gpumm_options *o,
                                const gpumm_candidates *known, gpumm_plan *plan) {
  const gpumm_candidate *candidate = known->gpu ? known->gpu : known->host;
  plan->backend = known->gpu ? GPUMM_GPU : GPUMM_CPU;
  if (!candidate)
    return gpumm_refuse (plan->reason, GPUMM_NO_DEVICE, "no GPU can be used: %s",
                         known->why_no_gpu);
  if ((o->backend != GPUMM_AUTO && o->backend != plan->backend)
      || (o->device >= 0 && plan->backend == GPUMM_GPU && o->device != candidate->context->device)
      || (o->devices && !(o->devices >> candidate->context->device & 1)))
    return gpumm_refuse (plan->reason, GPUMM_UNSUPPORTED,
                         "matrices lie on %s, and another place was asked for",
                         candidate->properties.name);
  if (!gpumm_is_auto (o) && !names_device_algorithm (o->algorithm))
    return gpumm_refuse (plan->reason, GPUMM_UNSUPPORTED,
                         "algorithm \"%s\" does not run on a device", o->algorithm);
  snprintf (plan->reason, sizeof plan->reason, "%s on the device",
            gpumm_home (p) ? "its operands lie" : "its result stays");
  if (!gpumm_is_full (p))
    return plan_sparse_device (
        p, o, candidate,
        gpumm_is_auto (o) ? device_algorithm (p) : gpumm_algorithm_find (o->algorithm), plan);
  gpumm_options small = *o;
  if (p->queues && gpumm_is_auto (o) && is_launch_bound (p))
    small.algorithm = gpumm_algorithm_tiled.name;
  return plan_device (p, &small, known, candidate, plan);
}

/* Unknown rates make the seconds infinite. */
static long long microseconds (double seconds) {
  return seconds < 1e12 ? (long long) (1e6 * seconds) : LLONG_MAX;
}

/* Plans the product on the GPU. */
static gpumm_status plan_gpu (const gpumm_problem *p, const gpumm_options *o,
                              const gpumm_candidates *known, const gpumm_algorithm *on_gpu,
                              gpumm_plan *plan) {
  const gpumm_candidate *gpu = known->gpu;
  if (!gpu)
    return gpumm_refuse (plan->reason, GPUMM_NO_DEVICE, "no GPU can be used: %s",
                         known->why_no_gpu);
  plan->backend = GPUMM_GPU;
  return gpumm_is_full_float (p) ? plan_device (p, o, known, gpu, plan)
                                 : plan_sparse_device (p, o, gpu, on_gpu, plan);
}

/* Both algorithms estimate. The GPU wins only with a kernel for its one. */
static gpumm_estimate seconds_of_sparse (const gpumm_problem *p, const gpumm_algorithm *on_cpu,
                                         const gpumm_algorithm *on_gpu, const gpumm_candidate *gpu,
                                         const gpumm_sparse_estimate *estimate) {
  gpumm_estimate seconds =
      gpumm_compare (on_cpu->seconds (p, NULL, estimate), on_gpu->seconds (p, gpu, estimate));
  seconds.gpu_wins = seconds.gpu_wins
                     && gpumm_next_sparse_kernel (gpu->context->driver, on_gpu->name,
                                                  gpu->properties.capability, NULL);
  return seconds;
}

gpumm_estimate gpumm_weigh (const gpumm_problem *p, const gpumm_options *o,
                            const gpumm_candidates *known) {
  gpumm_candidate gpu = *known->gpu;
  if (o->max_capability) /* without the kernels that it hides */
    gpu.properties.capability = (int) gpumm_least (gpu.properties.capability, o->max_capability);
  return gpumm_is_full_float (p) ? gpumm_product_costs (p, known->cpu, &gpu)
                                 : seconds_of_sparse (p, gpumm_cpu_algorithm (p),
                                                      device_algorithm (p), &gpu, known->estimate);
}

/* Chooses between the CPU and the GPU by estimates. */
static gpumm_status choose_place (const gpumm_problem *p, const gpumm_options *o,
                                  const gpumm_candidates *known, const gpumm_algorithm *on_gpu,
                                  const char *what, gpumm_plan *plan) {
  const size_t room = sizeof plan->reason;
  const double here = known->seconds.cpu, there = known->seconds.gpu;
  if (!known->gpu && !known->seconds.gpu_wins) {
    snprintf (plan->reason, room, "no GPU can be used: %s", known->why_no_gpu);
    return GPUMM_OK;
  }
  if (!gpumm_is_full_float (p) && !isfinite (there))
    snprintf (plan->reason, room,
              "%s products of these classes and sizes run on the CPU unless the GPU is asked for",
              what);
  else if (!known->seconds.gpu_wins) /* formatting a double takes ten times as long */
    snprintf (plan->reason, room,
              "by measured rates the CPU takes %lld us and the GPU %lld us with both transfers",
              microseconds (here), microseconds (there));
  if (!known->seconds.gpu_wins)
    return GPUMM_OK;
  gpumm_plan other = *plan;
  const gpumm_status status = plan_gpu (p, o, known, on_gpu, &other);
  /* without memory, a kernel under MaxCapability, or a device that answers: the CPU */
  if (status == GPUMM_DEVICE_MEMORY || status == GPUMM_UNSUPPORTED || status == GPUMM_NO_DEVICE) {
    snprintf (plan->reason, room, "the GPU would be faster, but %.400s", other.reason);
    return GPUMM_OK;
  }
  *plan = other;
  if (!status)
    snprintf (plan->reason, room,
              "by measured rates the GPU takes %.*g ms with both transfers and the CPU %.*g ms",
              GPUMM_DIGITS (1e3 * there), GPUMM_DIGITS (1e3 * here));
  return status;
}

/* Is it for the plan to weigh the CPU and the GPU? */
static int is_weighed (const gpumm_problem *p, const gpumm_options *o) {
  const double flops = gpumm_is_full_float (p) ? gpumm_full_flops (p) : gpumm_sparse_flops (p);
  return o->backend == GPUMM_AUTO && device_algorithm (p)
         && flops >= (gpumm_is_full (p) ? GPUMM_LEAST_FLOPS : GPUMM_LEAST_SPARSE_FLOPS);
}

static gpumm_status plan_auto (const gpumm_problem *p, const gpumm_options *o,
                               const gpumm_candidates *known, gpumm_plan *plan) {
  const gpumm_algorithm *on_cpu = gpumm_cpu_algorithm (p), *on_gpu = device_algorithm (p);
  const char *what = on_cpu == &gpumm_algorithm_blocks   ? "block-sparse"
                     : on_cpu == &gpumm_algorithm_sparse ? "sparse"
                                                         : "integer";
  const int in_blocks = p->a.format == GPUMM_BLOCKS && p->b.format == GPUMM_BLOCKS;
  const size_t room = sizeof plan->reason;
  plan->algorithm = on_cpu;
  plan->backend = GPUMM_CPU;
  if (!on_gpu)
    snprintf (plan->reason, room, "%s products%s%s run on the CPU%s", what,
              in_blocks && p->full ? " with a full result" : "",
              on_cpu == &gpumm_algorithm_sparse ? " of these classes and sizes" : "",
              o->backend == GPUMM_GPU
                  ? "; no GPU kernel multiplies them, though the GPU was asked for"
                  : "");
  else if (o->backend == GPUMM_CPU)
    snprintf (plan->reason, room, "the CPU was asked for");
  else if (o->backend == GPUMM_GPU) {
    snprintf (plan->reason, room, "the GPU was asked for");
    return plan_gpu (p, o, known, on_gpu, plan);
  } else if (is_weighed (p, o))
    return choose_place (p, o, known, on_gpu, what, plan);
  else
    snprintf (
        plan->reason, room,
        "too small for a GPU: the CPU does %lld operations before a GPU could start",
        (long long) (gpumm_is_full_float (p) ? gpumm_full_flops (p) : gpumm_sparse_flops (p)));
  return GPUMM_OK;
}

static int is_filled (const gpumm_matrix *x) {
  return (double) x->start[x->cols] >= LEAST_FILL * (double) x->rows * (double) x->cols;
}

/* Of the full product on the CPU or the GPU, with writing out A and B and compressing C. */
static double seconds_as_full (const gpumm_problem *p, const gpumm_options *o,
                               const gpumm_candidates *known) {
  const double m = (double) gpumm_m (p), k = (double) gpumm_k (p), n = (double) gpumm_n (p);
  const double operands = gpumm_is_one_array (p) ? m * k : m * k + k * n;
  gpumm_problem full = *p;
  full.a.format = full.b.format = GPUMM_FULL;
  full.a.type = full.b.type = p->output;
  const gpumm_estimate x = gpumm_product_costs (&full, o->backend == GPUMM_GPU ? NULL : known->cpu,
                                                o->backend == GPUMM_CPU ? NULL : known->gpu);
  return fmin (x.cpu, x.gpu)
         + (operands * WRITE_SECONDS + m * n * STORE_SECONDS)
               * (gpumm_is_complex (p->output) ? 2 : 1) / known->estimate->threads;
}

/* Two sparse matrices so full that a full product may be faster? */
static int may_fill (const gpumm_problem *p, int keeps_sparse) {
  return !keeps_sparse && gpumm_algorithm_sparse_as_full.takes (p) && !gpumm_is_zero (p->alpha)
         && is_filled (&p->a) && is_filled (&p->b) && gpumm_sparse_flops (p) >= FEWEST_FILLED_FLOPS;
}

/* Changes the plan to a full product if that is faster. */
static void weigh_as_full (const gpumm_problem *p, const gpumm_options *o,
                           const gpumm_candidates *known, gpumm_plan *plan) {
  const double as_full = seconds_as_full (p, o, known);
  const double seconds =
      plan->algorithm->seconds (p, plan->backend == GPUMM_GPU ? known->gpu : NULL, known->estimate);
  if (!(as_full < seconds)
      || known->estimate->nonzeros < FILLED_PART * (double) gpumm_m (p) * (double) gpumm_n (p))
    return;
  gpumm_add_reason (plan->reason,
                    "; C fills up: a full product takes about %.*g ms and a sparse one %.*g ms",
                    GPUMM_DIGITS (1e3 * as_full), GPUMM_DIGITS (1e3 * seconds));
  gpumm_plan other = {.algorithm = &gpumm_algorithm_sparse_as_full, .backend = GPUMM_CPU};
  memcpy (other.reason, plan->reason, sizeof other.reason);
  *plan = other;
}

unsigned gpumm_plan_needs (const gpumm_problem *p, const gpumm_options *o, int keeps_sparse) {
  if (gpumm_is_bound (p))
    return GPUMM_NEEDS_GPU;
  if (!gpumm_is_auto (o)) {
    const gpumm_algorithm *a = gpumm_algorithm_find (o->algorithm);
    const int is_for_device =
        a ? a->on_device && a->takes (p) : gpumm_is_full_float (p) || device_algorithm (p);
    return !is_for_device            ? 0
           : o->backend == GPUMM_CPU ? GPUMM_NEEDS_HOST
           : o->backend == GPUMM_GPU ? GPUMM_NEEDS_GPU
                                     : GPUMM_NEEDS_GPU | GPUMM_NEEDS_HOST;
  }
  const unsigned place = is_weighed (p, o)                                 ? GPUMM_NEEDS_RATES
                         : o->backend == GPUMM_GPU && device_algorithm (p) ? GPUMM_NEEDS_GPU
                                                                           : 0;
  const unsigned filled =
      o->backend == GPUMM_GPU ? GPUMM_NEEDS_SPARSE : GPUMM_NEEDS_SPARSE | GPUMM_NEEDS_CPU;
  return place | (may_fill (p, keeps_sparse) ? filled : 0);
}

gpumm_status gpumm_make_plan (const gpumm_problem *p, const gpumm_options *o,
                              const gpumm_candidates *known, gpumm_plan *plan) {
  gpumm_status status = GPUMM_OK;
  *plan = (gpumm_plan){0};
  if (gpumm_is_bound (p))
    status = plan_bound (p, o, known, plan);
  else if (!gpumm_is_auto (o))
    status = plan_named (p, o, known, plan);
  else {
    status = plan_auto (p, o, known, plan);
    if (!status && may_fill (p, known->keeps_sparse))
      weigh_as_full (p, o, known, plan);
  }
  if (!status && plan->alternative_seconds > 0)
    gpumm_add_reason (plan->reason,
                      "; by measured rates %s computes in %.*g ms and the library in %.*g ms",
                      plan->algorithm->name, GPUMM_DIGITS (1e3 * plan->alternative_seconds),
                      GPUMM_DIGITS (1e3 * plan->library_seconds));
  return end_plan (status, plan);
}

/* plan.h - which device, algorithm, kernel and tiling: decided by a pure function.
 *
 * gpumm_make_plan reads nothing but its arguments, so tests run it with made-up devices and rates;
 * gpumm_plan.reason says in one sentence what it decided and why.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_PLAN_H
#define GPUMM_PLAN_H

#include "device.h"
#include "gpumm.h"
#include "tuned.h"

struct gpumm_algorithm;

/* Seconds on a device alone of products of one type, k of one class, of data uniform in (-1/2, 1/2):
 * m x n x k takes the library library for each of its operations, and "emulated" call, operand for
 * each of the m k + k n elements, and product for each operation. 0: not known. */
typedef struct gpumm_emulated_rates {
  double library, call, operand, product;
} gpumm_emulated_rates;

/* What the plan knows of a place to run: the CPU (driver NULL) or one device. */
typedef struct gpumm_place {
  const gpumm_driver *driver; /* NULL: the engine's own host code */
  int device;
  gpumm_device_properties properties;
  double flops[4];         /* dense rate at large n by type S, D, C, Z, operations a second */
  double upload, download; /* bytes a second from and to the caller's memory */
  double call;             /* seconds a call costs before any work */
  /* bytes and seconds of a product about where the CPU is as fast; 0: not known */
  double near_bytes, near_seconds;
  /* for the product at hand, where it matters (gpumm_place_emulated); 0: not known */
  double link; /* bytes a second from page-locked memory */
  gpumm_emulated_rates emulated;
  /* the fastest kernels as gpumm_tune measured them for the type of the product, in each class the
   * best first; 0: not known */
  int tuned_count;
  gpumm_tuned_row tuned[GPUMM_TUNED_ROWS];
} gpumm_place;

typedef struct gpumm_plan {
  const struct gpumm_algorithm *algorithm;
  gpumm_backend backend;
  const gpumm_driver *driver; /* NULL: no device takes part */
  int device;
  char device_name[128];                    /* "" without a device */
  const gpumm_kernel *kernel;               /* NULL where the algorithm has none */
  const gpumm_sparse_kernel *sparse_kernel; /* asked for by name; NULL: the algorithm chooses */
  int tuned;                                /* the place's tuned rows chose it */
  /* C is made in tiles of tile_m x tile_n, summed over steps of tile_k. resident: A, B and C are
   * all on the device at once and k is one step; else two panels of each operand and two tiles of
   * C are, one in use and one on its way. */
  int resident;
  int64_t tile_m, tile_n, tile_k;
  int keeps; /* the kernel may keep in its workspace what it found out of panels (gpumm_tiling) */
  int64_t workspace_bytes; /* of the kernel, for the product of any tile */
  int64_t device_bytes;    /* of A's, B's and C's buffers and the workspace */
  int64_t keep_bytes;      /* of unused device memory, for the next call */
  double
      rate; /* of the device's library on products of this type, operations a second; 0: not known */
  /* of "emulated", where "auto" weighed it and took it: gpumm_product.gain, and the seconds on the
   * device that decided; else 0 */
  double gain, emulated_seconds, library_seconds;
  char reason[512];
} gpumm_plan;

/* What there is to choose from. gpu and host may be NULL: no GPU, no host device. why_no_gpu is
 * the sentence that explains the first. */
typedef struct gpumm_choices {
  const gpumm_place *cpu, *gpu, *host;
  const char *why_no_gpu;
  int keeps_sparse;      /* sparse matrices are not to be multiplied as dense ones */
  int64_t smallest_tile; /* of a product that fits the device; 0: as measured */
} gpumm_choices;

/* Must the plan know the GPU, the CPU's rate, or the host device? 0 where they do not matter, so that
 * nothing is opened or measured that will not be used. */
int gpumm_plan_needs_gpu (const gpumm_problem *problem, const gpumm_options *options);
int gpumm_plan_needs_cpu (const gpumm_problem *problem, const gpumm_options *options,
                          const gpumm_place *gpu);
int gpumm_plan_needs_host_device (const gpumm_problem *problem, const gpumm_options *options,
                                  const gpumm_place *gpu);

/* Is the GPU the faster, by rates alone? 1 also where that is not what decides. */
int gpumm_plan_prefers_gpu (const gpumm_problem *problem, const gpumm_options *options,
                            const gpumm_place *cpu, const gpumm_place *gpu);

/* Columns of device matrices begin at multiples of 128 bytes: copies and kernels read whole lines. */
int64_t gpumm_device_ld (int64_t rows, size_t element);

/* m, n or k as the kernel is given it: large ones are padded to what it likes. */
int64_t gpumm_padded (const gpumm_kernel *kernel, int64_t size, gpumm_type type);

/* How many of each the device holds at once, and their bytes: panels of A and of B, tiles of C. A
 * number of 0: the panels of B are parts of A's. */
typedef struct gpumm_buffers {
  int64_t a, b, c;
  size_t a_bytes, b_bytes, c_bytes; /* of one */
} gpumm_buffers;

gpumm_buffers gpumm_plan_buffers (const gpumm_problem *problem, const gpumm_plan *plan);

/* The tiling of C's first tile; that of a product by itself where the plan keeps nothing. */
gpumm_tiling gpumm_plan_tiling (const gpumm_problem *problem, const gpumm_plan *plan);

/* 2 m n k, or 8 m n k where an operand is complex and 4 m n k where just one is. */
double gpumm_dense_flops (const gpumm_problem *problem);

/* What "auto" multiplies with on the CPU. */
const struct gpumm_algorithm *gpumm_host_algorithm (const gpumm_problem *problem);

/* Operations of a product with sparse operands, if their elements were spread evenly. */
double gpumm_sparse_flops (const gpumm_problem *problem);

/* Could "auto" take "emulated" for this product on that place, if it were faster? Then the class of k
 * whose rates say so; else 0: other products, and those that are too small to measure for. */
int64_t gpumm_emulated_depth (const gpumm_problem *problem, const gpumm_options *options,
                              const gpumm_place *place);

/* Does computing so fast, in operations a second, take clearly longer than the transfers? Where it
 * does not, a faster kernel gains nothing. place->link must be known. */
int gpumm_bound_by_computing (const gpumm_problem *problem, const gpumm_place *place, double flops);

/* problem has been checked and problem->output set. */
gpumm_status gpumm_make_plan (const gpumm_problem *problem, const gpumm_options *options,
                              const gpumm_choices *choices, gpumm_plan *plan);

#endif

/* plan.h - which device, algorithm, kernel and tiling: decided once, by a pure function.
 *
 * gpumm_make_plan reads nothing but its arguments: it opens, asks and measures nothing, so tests
 * run it with made-up devices and rates. gpumm_plan.reason says in one sentence what it decided and
 * why. What few products need is gathered only for them (gather.c): gpumm_plan_needs says what.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_PLAN_H
#define GPUMM_PLAN_H

#include "device/context.h"
#include "gpumm.h"

#include <string.h>

struct gpumm_algorithm;

/* A row of the table of alternatives (alternatives.c): a family of kernels that "auto" takes in the
 * place of the library where rates that were measured on the device say that it is clearly faster.
 * Its rate is that of an n x n by n x n product. It is taken if the library takes `bound` times as
 * long as the transfers, so that computing limits the product, and if it takes at most
 * `faster_moving` of the library's time, where nothing is transferred `faster`. */
typedef struct gpumm_alternative {
  const char *family; /* NULL: the end of the table */
  int64_t edge[4];    /* n by type S, D, C, Z; 0: not for this type */
  double bound, faster_moving, faster;
} gpumm_alternative;

enum { GPUMM_MOST_ALTERNATIVES = 2 };
extern const gpumm_alternative gpumm_alternatives[];

/* Seconds of an operation on a device, without transfers, with data uniform in (-1/2, 1/2): of the
 * library, and of each alternative by its row. 0: not known. */
typedef struct gpumm_kernel_rates {
  double library, alternative[GPUMM_MOST_ALTERNATIVES];
} gpumm_kernel_rates;

/* What the plan knows of a place to run: the CPU (context NULL) or one device. */
typedef struct gpumm_candidate {
  gpumm_context *context; /* NULL: the engine's own host code */
  gpumm_device_properties properties;
  double flops[4];         /* full rate at large n by type S, D, C, Z, operations per second */
  double upload, download; /* bytes per second from and to the caller's memory */
  double call;             /* seconds of a call without any work */
  int threads;             /* of the CPU */
  const char *missing;     /* a device: the library that the named algorithm lacks; or NULL */
  /* bytes and seconds of a product near the crossover with the CPU; 0: not known */
  double near_bytes, near_seconds;
  /* for this product, if it matters (gpumm_candidate_alternative); 0: not known */
  double link; /* bytes per second from page-locked memory */
  gpumm_kernel_rates kernel_rates;
} gpumm_candidate;

typedef struct gpumm_plan {
  const struct gpumm_algorithm *algorithm;
  gpumm_backend backend;
  gpumm_context *context;                   /* NULL: no device takes part */
  gpumm_device_properties properties;       /* of the device, when the plan was made */
  const gpumm_kernel *kernel;               /* NULL where the algorithm has none */
  const gpumm_sparse_kernel *sparse_kernel; /* asked for by name; NULL: the algorithm chooses */
  /* C is computed in tiles of tile_m x tile_n, summed over steps of tile_k. fits_device: all of A,
   * B and C are on the device and k is one step. Otherwise the device holds two panels of each
   * operand and two tiles of C, one in use and one in transfer. */
  int fits_device;
  int64_t tile_m, tile_n, tile_k;
  int pads;  /* operands get zeros on their way up where the kernel likes them */
  int keeps; /* the kernel may keep results about panels in its workspace (gpumm_tiling) */
  int64_t workspace_bytes; /* of the kernel, for the product of any tile */
  int64_t device_bytes;    /* of A's, B's and C's buffers and the workspace */
  int64_t keep_bytes;      /* of unused device memory, for the next call */
  double rate; /* of the device's library for this type, operations per second; 0: not known */
  /* if "auto" took the alternative to the library: gpumm_product.gain, and the seconds on the
   * device that decided; else 0 */
  double gain, alternative_seconds, library_seconds;
  char reason[GPUMM_REASON_BYTES]; /* where there is no plan, why */
} gpumm_plan;

/* Seconds; INFINITY: not known. gpu_wins: the GPU saves enough to be taken. */
typedef struct gpumm_estimate {
  double cpu, gpu;
  int gpu_wins;
} gpumm_estimate;

/* What a plan needs to know, as bits. */
enum {
  GPUMM_NEEDS_CPU = 1,
  GPUMM_NEEDS_SPARSE = 2, /* the estimate of a sparse product */
  GPUMM_NEEDS_GPU = 4,    /* all of it; or of the host device, where the matrices lie there */
  GPUMM_NEEDS_HOST = 8,   /* the host device, where there is no GPU or it is not needed */
  /* the CPU or the GPU, by gpumm_weigh: the GPU's rates and, where there is one, those of the CPU
   * or the estimate; all of the GPU only where it wins, because to ask for its free memory takes as
   * long as a small product */
  GPUMM_NEEDS_RATES = 16
};

/* What to choose from, NULL where there is none. why_no_gpu says why there is no GPU. */
typedef struct gpumm_candidates {
  const gpumm_candidate *cpu, *gpu, *host;
  const char *why_no_gpu;
  int gpu_fails;          /* there is a GPU that cannot be used */
  gpumm_estimate seconds; /* gpumm_weigh's */
  const struct gpumm_sparse_estimate *estimate;
  const gpumm_alternative *alternatives; /* NULL: none */
  int keeps_sparse;                      /* sparse matrices are not to be multiplied as full ones */
  int64_t smallest_tile;                 /* of a product that fits the device; 0: as measured */
  const struct gpumm_plan
      *like; /* of a product that fits the device: its tiles, where they fit; or NULL */
} gpumm_candidates;

/* Do the options leave the algorithm to the plan? */
static inline int gpumm_is_auto (const gpumm_options *o) {
  return !o->algorithm || strcmp (o->algorithm, "auto") == 0;
}

/* The algorithm that "auto" takes on the CPU. */
const struct gpumm_algorithm *gpumm_cpu_algorithm (const gpumm_problem *problem);

typedef struct gpumm_alternative_kernels {
  const gpumm_kernel *kernel, *library; /* that "auto" would take without it */
} gpumm_alternative_kernels;

/* May "auto" take this alternative to the library for this product if it is faster? 0 also for
 * products too small to measure for. */
int gpumm_has_alternative (const gpumm_problem *problem, const gpumm_options *options,
                           const gpumm_candidate *candidate, const gpumm_alternative *row,
                           gpumm_alternative_kernels *kernels);

/* At this rate in operations per second, does computing take clearly longer than the transfers? If
 * not, a faster kernel gains nothing. candidate->link must be known. */
int gpumm_bound_by_computing (const gpumm_problem *problem, const gpumm_candidate *candidate,
                              const gpumm_alternative *row, double flops);

/* What must be known for a plan, as bits: by the problem and the options alone. */
unsigned gpumm_plan_needs (const gpumm_problem *problem, const gpumm_options *options,
                           int keeps_sparse);

/* The seconds of the CPU and of known->gpu, which is not NULL, where the plan needs rates. */
gpumm_estimate gpumm_weigh (const gpumm_problem *problem, const gpumm_options *options,
                            const gpumm_candidates *known);

/* problem must be checked and problem->output set; known has what gpumm_plan_needs says. */
gpumm_status gpumm_make_plan (const gpumm_problem *problem, const gpumm_options *options,
                              const gpumm_candidates *known, gpumm_plan *plan);

/* The plan of a part of a product that was planned as a whole, on a device of its own: the same
 * algorithm, kernel and, if they fit, tiles. */
gpumm_status gpumm_plan_part (const gpumm_problem *part, const gpumm_options *options,
                              const gpumm_candidate *candidate, const gpumm_plan *whole,
                              gpumm_plan *plan);

#endif

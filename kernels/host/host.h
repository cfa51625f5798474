/* host.h - what the host device offers to tests and lessons beyond engine/device.h: the order in
 * which threads run, how much memory it has, and counts of what kernels read and write.
 *
 * libgpumm_host.so exports these functions; find them with dlsym. None may be called while a
 * kernel runs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_HOST_HOST_H
#define GPUMM_HOST_HOST_H

#include "../../engine/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In which order the threads of a block run from one barrier to the next. On a GPU there is none,
 * so a correct kernel gives the same in each; one that lacks a barrier does not. */
typedef enum gpumm_host_order {
  GPUMM_FORWARDS,
  GPUMM_BACKWARDS,
  GPUMM_SHUFFLED /* anew after each barrier */
} gpumm_host_order;

GPUMM_API void gpumm_host_set_order (gpumm_host_order order, uint64_t seed);

/* Bytes of memory that the device has, 1 GiB unless told otherwise. */
GPUMM_API void gpumm_host_set_memory (int64_t bytes);

/* ---- counting -----------------------------------------------------------------------------
 *
 * Counted is what a GPU would do, warp by warp: the n-th time that the 32 threads of a warp come
 * to the same place of the kernel between two barriers is one request. (Threads of a warp that
 * take different ways through a loop are taken to wait for each other at its places.) Counting is
 * slow and off until asked for. */

typedef struct gpumm_access {
  int64_t elements; /* read or written by threads */
  int64_t requests; /* by warps */
  /* Global memory: different sectors of 32 bytes, summed over the requests. Shared memory: passes
   * over the 32 banks of 4 bytes, each of which gives one word, to all that ask for it, a pass. */
  int64_t transfers;
  int64_t conflicts; /* shared memory: passes beyond what the bytes alone need */
} gpumm_access;

typedef struct gpumm_counts {
  gpumm_access load, store;               /* global memory */
  gpumm_access shared_load, shared_store; /* shared memory of all blocks */
} gpumm_counts;

/* Sets all counts to 0 and starts (on != 0) or stops counting. */
GPUMM_API void gpumm_host_count (int on);

/* The counts since: of the allocation that p points into, or, p NULL, of all memory. Of one
 * allocation the shared counts are 0. */
GPUMM_API gpumm_status gpumm_host_counts (const void *p, gpumm_counts *counts);

#ifdef __cplusplus
}
#endif
#endif

/* bulk.h - barriers in shared memory and bulk copies to it: the copies that compute capability 9.0
 * adds (TMA).
 *
 * One thread starts a copy of any length; the hardware bypasses registers and the L1 cache, and a
 * barrier says when the data are there. Files that include this guard its use for older GPUs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BULK_H
#define GPUMM_BULK_H

#include "kernel.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/* True for one thread of the warp; the compiler knows that it is one thread. */
__device__ static inline bool elected (void) {
  int yes;
  asm volatile("{\n"
               ".reg .pred it;\n"
               "elect.sync _|it, 0xffffffff;\n"
               "selp.b32 %0, 1, 0, it;\n"
               "}"
               : "=r"(yes));
  return yes;
}

/* Barriers of shared memory (mbarrier, PTX ISA 9.7.13.15): a phase ends when that many threads
 * have arrived and all announced bytes are there. */
__device__ static inline void make_barrier (unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(barrier), "r"(arrivals)
               : "memory");
}

/* Makes new barriers visible to the copies. */
__device__ static inline void publish_barriers (void) {
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

__device__ static inline void arrive_and_expect (unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(bytes)
               : "memory");
}

/* Waits until the phase of that parity has ended. */
__device__ static inline void wait (unsigned barrier, int parity) {
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again;\n"
               "}"
               :
               : "r"(barrier), "r"(parity)
               : "memory");
}

/* Orders this thread's accesses to shared memory before the copies that it starts later. */
__device__ static inline void order_bulk (void) {
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/* Copies `bytes` from `from` on; from, to and bytes are multiples of 16. */
__device__ static inline void start_bulk (unsigned to, const void *from, int bytes,
                                          unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
               "[%3];"
               :
               : "r"(to), "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

#endif

#endif

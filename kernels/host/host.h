/* host.h - what the host device offers to tests and lessons beyond device/device.h: the order in
 * which threads run, how much memory it has, and counts of what kernels read and write.
 *
 * libgpumm_host.so exports these functions; find them with dlsym. None may be called while a
 * kernel runs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_HOST_HOST_H
#define GPUMM_HOST_HOST_H

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The order in which the threads of a block run between two barriers. A GPU has no fixed order, so
 * a correct kernel gives the same result in each; a kernel that lacks a barrier does not. */
typedef enum gpumm_host_order {
  GPUMM_FORWARDS,
  GPUMM_BACKWARDS,
  GPUMM_SHUFFLED /* anew after each barrier */
} gpumm_host_order;

GPUMM_API void gpumm_host_set_order (gpumm_host_order order, uint64_t seed);

/* Sets the bytes of memory of a device, 1 GiB by default (0). */
GPUMM_API void gpumm_host_set_memory_of (int device, int64_t bytes);

/* Makes it n devices, 1 to 8, whatever GPUMM_HOST_DEVICES says; each is as it was at first. None
 * may have memory. */
GPUMM_API void gpumm_host_set_devices (int n);

/* gpumm_driver.fault for one device: its n-th call fails; below 0: call -n and all that follow. */
GPUMM_API int64_t gpumm_host_fault_of (int device, int64_t n);

/* ---- counting -----------------------------------------------------------------------------
 *
 * Counts what a GPU would do, warp by warp: the n-th time that the 32 threads of a warp reach the
 * same place of the kernel between two barriers is one request. (Threads of a warp that take
 * different paths through a loop are assumed to wait for each other at its places.) Counting is
 * slow and off by default. gpumm_counts is in engine/gpumm.h. */

/* Sets all counts to 0 and starts (on != 0) or stops counting. With GPUMM_RECORD each access is
 * recorded, too. */
GPUMM_API void gpumm_host_count (int on);

/* The counts since then: of the allocation that contains p, or of all memory if p is NULL. For one
 * allocation only load and store are set. */
GPUMM_API gpumm_status gpumm_host_counts (const void *p, gpumm_counts *counts);

/* What was recorded; it stays until counting starts again. Fails with GPUMM_TOO_LARGE if there were
 * more than GPUMM_RECORD_MOST accesses. */
GPUMM_API gpumm_status gpumm_host_records (const gpumm_record **records, int64_t *count);

#ifdef __cplusplus
}
#endif
#endif

/* tiles.h - how a product of full matrices is cut so that its parts fit a device, and what of it
 * the device then holds. Of numbers alone, as the plan; nothing is allocated here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TILES_H
#define GPUMM_TILES_H

#include "plan.h"

enum { GPUMM_LARGEST_DIMENSION = INT32_MAX }; /* of one kernel launch */

/* Columns of device matrices begin at multiples of 128 bytes, so copies and kernels read whole
 * lines. */
int64_t gpumm_device_ld (int64_t rows, size_t element);

/* m, n or k as passed to the plan's kernel: large ones are padded to its preferred multiple. */
int64_t gpumm_padded (const gpumm_plan *plan, int64_t size, gpumm_type type);

/* The numbers of panels of A and B and tiles of C that the device holds for the product, and their
 * bytes. b = 0: B's panels are parts of A's; none is held of what stays on the device anyway. */
typedef struct gpumm_buffers {
  int64_t a, b, c;
  size_t a_bytes, b_bytes, c_bytes; /* of one */
} gpumm_buffers;

gpumm_buffers gpumm_plan_buffers (const gpumm_problem *problem, const gpumm_plan *plan);

/* The slices in which so many devices bring each panel of op (A) that all of them need: one for
 * each device, or the whole panel where slices would be short. */
int64_t gpumm_plan_slices (const gpumm_problem *problem, const gpumm_plan *plan, int devices);

/* The tiling for C's first tile; all zero if the plan keeps nothing. */
gpumm_tiling gpumm_plan_tiling (const gpumm_problem *problem, const gpumm_plan *plan);

/* Sets the plan's tiles for its kernel. All of A, B and C are on the device where they fit, in
 * tiles only so that transfers overlap with products. Where they do not fit: first shorter steps
 * along k, which cost little (C stays on the device), then smaller tiles of C, which read A and B
 * more often. limit: of device memory in bytes, 0 for none. */
gpumm_status gpumm_choose_tiles (const gpumm_problem *problem, const gpumm_candidate *candidate,
                                 const gpumm_candidates *known, int64_t limit, gpumm_plan *plan);

#endif

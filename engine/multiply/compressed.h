/* compressed.h - functions for compressed columns of elements and compressed rows of blocks.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_COMPRESSED_H
#define GPUMM_COMPRESSED_H

#include <stddef.h>
#include <stdint.h>

/* Checks that the indices of each line ascend within 0 .. range - 1; returns a line that fails, or
 * -1. Line i has the indices from start[i] to before start[i + 1]; start must not descend. An index
 * has index_bytes, 4 or 8. Works in parallel, in pieces of at least `grain` lines. */
int64_t gpumm_find_unsorted (int64_t lines, const int64_t *start, const void *index,
                             size_t index_bytes, int64_t range, int64_t grain);

/* Multiplications of a product: each of the count elements of B, in these rows, meets a column of
 * A; column l of A begins at start[l]. */
int64_t gpumm_count_products (const int64_t *start, const int64_t *row, int64_t count);

#endif

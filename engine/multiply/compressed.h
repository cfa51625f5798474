/* compressed.h - what compressed columns of elements and compressed rows of blocks share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_COMPRESSED_H
#define GPUMM_COMPRESSED_H

#include "gpumm.h"
#include "memory/host.h"

/* Do the indices of every line ascend, within 0 .. range - 1? The indices of line i lie at start[i]
 * to before start[i + 1], an offset never less than the one before; each has index_bytes, 4 or 8.
 * Lines are looked at in parallel, by pieces of at least `grain`. Returns a line that does not, or
 * -1. */
int64_t gpumm_find_unsorted (int64_t lines, const int64_t *start, const void *index,
                             size_t index_bytes, int64_t range, int64_t grain);

/* Multiplications of a product of which so many elements of B, in these rows, each meet a column of A;
 * column l of A begins at start[l]. */
int64_t gpumm_count_products (const int64_t *start, const int64_t *row, int64_t count);

/* Compressed lines, as find_unsorted has them, of elements with indices 0 .. range - 1. */
typedef struct gpumm_lines {
  int64_t count, range;
  int64_t *start;
  void *index, *values;
} gpumm_lines;

/* The transpose, in memory of the owner, of lines whose indices have 4 or 8 bytes. Values of 8 or 16
 * bytes come along; with 0 the transpose's values are the places of its elements in x, int64_t. */
gpumm_status gpumm_transpose_lines (gpumm_owner *memory, const gpumm_lines *x, size_t index_bytes,
                                    size_t value_bytes, gpumm_lines *out);

#endif

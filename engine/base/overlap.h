/* overlap.h - do two arrays share memory?
 *
 * The answers are for checks before a call writes: in doubt gpumm_overlap says that nothing
 * overlaps, and gpumm_is_apart that something does. Sizes and strides have been checked before. No
 * element is read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_OVERLAP_H
#define GPUMM_OVERLAP_H

#include "gpumm.h"

enum { GPUMM_REGION_DIMS = 4, GPUMM_MOST_REGIONS = 3 };

/* The elements of an array: element (i, j, ...) lies at values[i stride[0] + j stride[1] + ...]. A
 * stride of 0 repeats an element. Sizes and strides fit in memory. */
typedef struct gpumm_region {
  const void *values;
  size_t element;
  int64_t size[GPUMM_REGION_DIMS], stride[GPUMM_REGION_DIMS];
} gpumm_region;

gpumm_region gpumm_vector_region (const void *values, size_t element, int64_t count);

/* Does no element of x lie in another one's memory? Every stride must be longer than what the
 * shorter ones reach; an array that interleaves its elements in another way counts as overlapping
 * itself. */
int gpumm_is_apart (const gpumm_region *x);

/* Do elements of x and y share memory? Exact if the strides are the same, and an array as large as
 * both would be apart: two parts of a matrix. Else the answer is 1 only where that is certain: an
 * end of one array lies among the elements of the other. */
int gpumm_overlap (const gpumm_region *x, const gpumm_region *y);

/* The memory of a matrix: values, and of a compressed one the offsets and indices. Returns how many
 * regions there are. */
int gpumm_regions_of (const gpumm_matrix *x, gpumm_region regions[GPUMM_MOST_REGIONS]);

/* Does memory of x overlap memory of y? */
int gpumm_matrices_overlap (const gpumm_matrix *x, const gpumm_matrix *y);

#endif

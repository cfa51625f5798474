/* overlap.c - do two arrays share memory?
 *
 * The answer comes from addresses, sizes and strides, in a time that does not depend on the number
 * of elements. No element is read: the arrays may lie on a device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "overlap.h"
#include "types.h"

enum { DIMS = GPUMM_REGION_DIMS };

gpumm_region gpumm_vector_region (const void *values, size_t element, int64_t count) {
  return (gpumm_region){values, element, {count, 1, 1, 1}, {1, 0, 0, 0}};
}

/* Makes strides positive, and 0 where they do not matter. Returns 0 if there are no elements. */
static int make_plain (gpumm_region *x) {
  for (int d = 0; d < DIMS; d++)
    if (x->size[d] <= 0)
      return 0; /* before its strides are read: they may be any */
  for (int d = 0; d < DIMS; d++) {
    if (x->stride[d] == 0 || x->size[d] == 1) /* then the stride may be the least integer */
      x->size[d] = 1, x->stride[d] = 0;
    if (x->stride[d] < 0) {
      x->values = (const char *) x->values + (x->size[d] - 1) * x->stride[d] * (int64_t) x->element;
      x->stride[d] = -x->stride[d];
    }
  }
  return 1;
}

/* Sorts the dimensions by the strides of x, and those of y in the same way. */
static void sort (gpumm_region *x, gpumm_region *y) {
  for (int d = 1; d < DIMS; d++)
    for (int e = d; e > 0 && x->stride[e - 1] > x->stride[e]; e--) {
      const gpumm_region a = *x, b = *y;
      x->stride[e] = a.stride[e - 1], x->stride[e - 1] = a.stride[e];
      x->size[e] = a.size[e - 1], x->size[e - 1] = a.size[e];
      y->stride[e] = b.stride[e - 1], y->stride[e - 1] = b.stride[e];
      y->size[e] = b.size[e - 1], y->size[e - 1] = b.size[e];
    }
}

/* Elements from the first one to the last one. */
static int64_t reach_of (const gpumm_region *plain) {
  int64_t reach = 1;
  for (int d = 0; d < DIMS; d++)
    reach += (plain->size[d] - 1) * plain->stride[d];
  return reach;
}

/* Is each stride longer than the shorter ones reach? */
static int is_nested (const int64_t *size, const int64_t *stride) {
  int64_t reach = 0;
  for (int d = 0; d < DIMS; d++) {
    if (size[d] > 1 && stride[d] <= reach)
      return 0;
    reach += (size[d] - 1) * stride[d];
  }
  return 1;
}

int gpumm_is_apart (const gpumm_region *x) {
  gpumm_region y = *x, z = y;
  for (int d = 0; d < DIMS; d++)
    if (y.size[d] > 1 && y.stride[d] == 0)
      return 0;
  if (!make_plain (&y))
    return 1;
  sort (&y, &z);
  return is_nested (y.size, y.stride);
}

/* Without gaps between its first and its last element? */
static int is_filled (const gpumm_region *plain) {
  gpumm_region x = *plain, y = x;
  int64_t filled = 1;
  sort (&x, &y);
  for (int d = 0; d < DIMS; d++)
    if (x.stride[d] <= filled)
      filled += (x.size[d] - 1) * x.stride[d];
  return filled == reach_of (&x);
}

/* Is an element of x one of y, whose first element lies `apart` elements behind that of x? Both are
 * nested: below each stride less than one stride is left, so two quotients can be right. */
static int meet (const gpumm_region *x, const gpumm_region *y, int dims, int64_t apart) {
  if (dims == 0)
    return apart == 0;
  const int d = dims - 1;
  const int64_t stride = x->stride[d];
  const int64_t least = stride ? apart / stride - (apart % stride < 0) : 0;
  for (int64_t q = least; q <= least + 1; q++)
    if (q > -y->size[d] && q < x->size[d] && meet (x, y, d, apart - q * stride))
      return 1;
  return 0;
}

/* Sets *answer if the strides are the same and nested. A row of a matrix has the strides of the
 * matrix. */
static int is_known (gpumm_region x, gpumm_region y, int *answer) {
  int64_t largest[DIMS];
  const int64_t bytes = (int64_t) ((intptr_t) y.values - (intptr_t) x.values);
  for (int d = 0; d < DIMS; d++) {
    if (x.size[d] == 1)
      x.stride[d] = y.stride[d];
    if (y.size[d] == 1)
      y.stride[d] = x.stride[d];
    if (x.stride[d] != y.stride[d])
      return 0;
  }
  if (x.element != y.element || bytes % (int64_t) x.element != 0)
    return 0;
  sort (&x, &y);
  for (int d = 0; d < DIMS; d++)
    largest[d] = x.size[d] > y.size[d] ? x.size[d] : y.size[d];
  if (!is_nested (largest, x.stride))
    return 0;
  *answer = meet (&x, &y, DIMS, bytes / (int64_t) x.element);
  return 1;
}

/* Does x, without gaps, hold the first or the last element of y? */
static int holds_end (const gpumm_region *x, const gpumm_region *y) {
  const uintptr_t begin = (uintptr_t) x->values;
  const uintptr_t end = begin + (size_t) reach_of (x) * x->element;
  const uintptr_t first = (uintptr_t) y->values;
  const uintptr_t last = first + (size_t) (reach_of (y) - 1) * y->element;
  return is_filled (x)
         && ((first < end && begin < first + y->element)
             || (last < end && begin < last + y->element));
}

int gpumm_overlap (const gpumm_region *given_x, const gpumm_region *given_y) {
  gpumm_region x = *given_x, y = *given_y;
  int answer;
  if (!make_plain (&x) || !make_plain (&y))
    return 0;
  const uintptr_t at_x = (uintptr_t) x.values, at_y = (uintptr_t) y.values;
  if (at_x + (size_t) reach_of (&x) * x.element <= at_y
      || at_y + (size_t) reach_of (&y) * y.element <= at_x)
    return 0;
  if (is_known (x, y, &answer))
    return answer;
  return at_x == at_y || holds_end (&x, &y) || holds_end (&y, &x);
}

int gpumm_regions_of (const gpumm_matrix *x, gpumm_region regions[GPUMM_MOST_REGIONS]) {
  int count = 0;
  if (x->format == GPUMM_FULL) {
    regions[0] = (gpumm_region){
        x->values, gpumm_type_bytes (x->type), {x->rows, x->cols, 1, 1}, {1, x->ld, 0, 0}};
    return 1;
  }
  regions[count++] = gpumm_vector_region (x->values, gpumm_type_bytes (x->type),
                                          x->nzmax * gpumm_entry_elements (x));
  regions[count++] = gpumm_vector_region (x->start, sizeof *x->start, gpumm_line_count (x) + 1);
  regions[count++] = gpumm_vector_region (x->index, gpumm_index_bytes (x), x->nzmax);
  return count;
}

/* Does a full matrix end before another one begins? So it is in most products. */
static int ends_before (const gpumm_matrix *x, const gpumm_matrix *y) {
  const int64_t elements = x->cols > 0 ? (x->cols - 1) * x->ld + x->rows : 0;
  return (uintptr_t) x->values + (size_t) elements * gpumm_type_bytes (x->type)
         <= (uintptr_t) y->values;
}

int gpumm_matrices_overlap (const gpumm_matrix *x, const gpumm_matrix *y) {
  gpumm_region of_x[GPUMM_MOST_REGIONS], of_y[GPUMM_MOST_REGIONS];
  if (x->format == GPUMM_FULL && y->format == GPUMM_FULL
      && (ends_before (x, y) || ends_before (y, x)))
    return 0;
  const int count_x = gpumm_regions_of (x, of_x), count_y = gpumm_regions_of (y, of_y);
  for (int i = 0; i < count_x; i++)
    for (int j = 0; j < count_y; j++)
      if (gpumm_overlap (&of_x[i], &of_y[j]))
        return 1;
  return 0;
}

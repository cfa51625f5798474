/* magnitude.c - how large the numbers of a matrix are, as fast as memory can be read.
 *
 * Without its sign bit, a number of IEEE 754 is larger than another one where it is as an integer:
 * Inf above all finite numbers, and NaN above Inf. The largest of integers takes no order, so that
 * compilers make vectors of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "magnitude.h"
#include "processors.h"
#include "types.h"

#include <math.h>
#include <string.h>

/* Sets *most to the largest of count numbers without their signs. */
#define LARGEST(name, T)                                                                           \
  typedef T name##_line __attribute__ ((vector_size (64), aligned (sizeof (T)), may_alias));       \
  typedef T name##_one __attribute__ ((may_alias));                                                \
  FOR_EACH_PROCESSOR static void name (const void *values, int64_t count, T *most) {               \
    enum { WIDTH = 64 / sizeof (T) };                                                              \
    const T mask = (T) (((uint64_t) 1 << (8 * sizeof (T) - 1)) - 1);                               \
    const name##_one *x = values;                                                                  \
    name##_line largest = {0};                                                                     \
    int64_t i = 0;                                                                                 \
    for (; i + WIDTH <= count; i += WIDTH) {                                                       \
      const name##_line here = *(const name##_line *) (x + i) & mask;                              \
      const name##_line is_larger = here > largest;                                                \
      largest = (here & is_larger) | (largest & ~is_larger);                                       \
    }                                                                                              \
    T found = 0;                                                                                   \
    for (int l = 0; l < WIDTH; l++)                                                                \
      found = largest[l] > found ? largest[l] : found;                                             \
    for (; i < count; i++)                                                                         \
      found = (x[i] & mask) > found ? x[i] & mask : found;                                         \
    *most = found;                                                                                 \
  }

LARGEST (largest_single, int32_t)
LARGEST (largest_double, int64_t)

double gpumm_largest (gpumm_type type, const void *values, int64_t count) {
  const int64_t reals = gpumm_is_complex (type) ? 2 * count : count;
  if (gpumm_is_single (type)) {
    int32_t bits = 0;
    float most;
    largest_single (values, reals, &bits);
    memcpy (&most, &bits, sizeof most);
    return (double) most;
  }
  int64_t bits = 0;
  double most;
  largest_double (values, reals, &bits);
  memcpy (&most, &bits, sizeof most);
  return most;
}

double gpumm_larger (double x, double y) {
  return x > y || isnan (x) ? x : y;
}

gpumm_range gpumm_diagonal_range (gpumm_type type, const void *a, int64_t n, int64_t lda) {
  const size_t step = (size_t) (lda + 1) * gpumm_type_bytes (type);
  gpumm_range found = {INFINITY, 0};
  for (int64_t j = 0; j < n; j++) {
    const double size = gpumm_largest (type, (const char *) a + (size_t) j * step, 1);
    found.least = size < found.least ? size : found.least;
    found.most = gpumm_larger (size, found.most);
  }
  return found;
}

gpumm_range gpumm_safe_range (gpumm_type type) {
  return gpumm_is_single (type) ? (gpumm_range){0x1p-100, 0x1p100}
                                : (gpumm_range){0x1p-960, 0x1p960};
}

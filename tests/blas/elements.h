/* elements.h - arrays of the four types of BLAS in the tests of the drop-in, as reals.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_ELEMENTS_H
#define GPUMM_TESTS_ELEMENTS_H

#include "gpumm.h"

#include <string.h>

static inline int is_single (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

static inline int parts (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z ? 2 : 1;
}

static inline double epsilon (gpumm_type type) {
  return is_single (type) ? 0x1p-23 : 0x1p-52;
}

static inline void put (void *array, gpumm_type type, int64_t i, double value) {
  if (is_single (type))
    ((float *) array)[i] = (float) value;
  else
    ((double *) array)[i] = value;
}

static inline double get (const void *array, gpumm_type type, int64_t i) {
  return is_single (type) ? (double) ((const float *) array)[i] : ((const double *) array)[i];
}

/* What must not be read: a NaN that no routine makes, so that one which it writes is told from it. */
static inline void hide (void *array, gpumm_type type, int64_t i) {
  static const uint64_t wide = 0x7ff8123456789abc;
  static const uint32_t narrow = 0x7fc12345;
  if (is_single (type))
    memcpy ((float *) array + i, &narrow, sizeof narrow);
  else
    memcpy ((double *) array + i, &wide, sizeof wide);
}

#endif

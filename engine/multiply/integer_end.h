/* integer_end.h - the exact end of an integer product: each sum is saturated or rounded once.
 *
 * It knows no product, only its sums. They are exact, in 128 bits or in two halves: the callers
 * neither round nor saturate before.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_INTEGER_END_H
#define GPUMM_INTEGER_END_H

#include "base/types.h"

#include <math.h>

typedef __int128 int128;

/* A sum high 2^n + low, such as one of 2^62 products of 64-bit integers with n = 64. */
typedef struct {
  int128 high, low;
} halves;

/* Every integer type: its letter and its C type. */
#define INTEGER_TYPES(F)                                                                           \
  F (I8, int8_t)                                                                                   \
  F (I16, int16_t)                                                                                 \
  F (I32, int32_t)                                                                                 \
  F (I64, int64_t)                                                                                 \
  F (U8, uint8_t)                                                                                  \
  F (U16, uint16_t)                                                                                \
  F (U32, uint32_t)                                                                                \
  F (U64, uint64_t)

/* values[at] = sum, saturated in an integer, rounded to nearest in a double or a float. */
static inline void store_sum (gpumm_type type, void *values, int64_t at, int128 sum) {
  if (type == GPUMM_D) {
    ((double *) values)[at] = (double) sum;
    return;
  }
  if (type == GPUMM_S) {
    ((float *) values)[at] = (float) sum;
    return;
  }
  const int bits = 8 * (int) gpumm_type_bytes (type);
  const int128 half = (int128) 1 << (bits - 1);
  const int128 low = gpumm_is_signed (type) ? -half : 0;
  const int128 high = low + 2 * half - 1;
  sum = sum < low ? low : sum > high ? high : sum;
  switch (type) {
#define STORE_CASE(letter, type)                                                                   \
  case GPUMM_##letter:                                                                             \
    ((type *) values)[at] = (type) sum;                                                            \
    break;
    INTEGER_TYPES (STORE_CASE)
  default:
    break;
  }
}

/* The same for the sum high 2^n + low, where n is 64 or 66. */
static inline void store_halves (gpumm_type type, void *values, int64_t at, halves sum, int n) {
  const int128 unit = (int128) 1 << n, most = (int128) 1 << 59; /* most 2^66 < 2^126 */
  const int128 high = sum.high + (sum.low >> n), low = sum.low & (unit - 1);
  if (high < most && high >= -most)
    store_sum (type, values, at, high * unit + low);
  else if (gpumm_is_integer (type))
    store_sum (type, values, at, high < 0 ? -most * unit : most * unit);
  else {
    /* |high| has more bits than a double; below them only matters whether the rest is 0 */
    const int128 top = high | (low != 0);
    if (type == GPUMM_D)
      ((double *) values)[at] = ldexp ((double) top, n);
    else
      ((float *) values)[at] = ldexpf ((float) top, n);
  }
}

#endif

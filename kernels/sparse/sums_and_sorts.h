/* sums_and_sorts.h - what is done to whole arrays on a device: CUB does it on a GPU, plain loops on
 * the host device. Compiled once, as CUB takes nvcc long.
 *
 * Memory is the caller's, as many bytes as the function beside it says for the same array.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SUMS_AND_SORTS_H
#define GPUMM_SUMS_AND_SORTS_H

#include "rows.h"

/* x[i] becomes x[0] + ... + x[i]. */
size_t gpumm_sum_up_bytes (int64_t count);
gpumm_status gpumm_sum_up (int device, gpumm_stream *stream, int64_t *x, int64_t count,
                           void *memory, size_t bytes);

/* Sorts pairs of a key, which has so many bits, and a value by key: K is uint32_t or uint64_t.
 * Equal keys keep their order. */
template <class K> size_t gpumm_sort_bytes (int64_t count);
template <class K>
gpumm_status gpumm_sort (int device, gpumm_stream *stream, const K *key, K *sorted_key,
                         const uint32_t *value, uint32_t *sorted_value, int64_t count, int bits,
                         void *memory, size_t bytes);

/* The bits of the numbers below count. */
static inline int bits_below (int64_t count) {
  int bits = 0;
  while (bits < 63 && (int64_t) 1 << bits < count)
    bits++;
  return bits;
}

#endif

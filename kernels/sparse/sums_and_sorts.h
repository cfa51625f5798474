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

/* Sorts pairs of a key, 0 .. keys - 1, and a value by key. Equal keys keep their order. */
size_t gpumm_sort_bytes (int64_t count, int64_t keys);
gpumm_status gpumm_sort (int device, gpumm_stream *stream, const int32_t *key, int32_t *sorted_key,
                         const int32_t *value, int32_t *sorted_value, int64_t count, int64_t keys,
                         void *memory, size_t bytes);

#endif

/* sums_and_sorts.cu - sums and sorts of whole arrays (sums_and_sorts.h).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sums_and_sorts.h"

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

/* Calls a function of CUB. With memory NULL it only says how many bytes it needs. */
template <class F>
static gpumm_status call_cub (const char *name, int device, void *memory, size_t bytes, F call) {
  int before;
  size_t wanted = 0;
  TRY (gpumm_cuda_enter (name, device, &before));
  cudaError_t error = call (NULL, wanted);
  const bool fits = wanted <= bytes;
  if (!error && fits)
    error = call (memory, wanted);
  gpumm_status status = gpumm_cuda_check (name, error);
  gpumm_cuda_leave (device, before);
  if (!status && !fits)
    status = gpumm_driver_fail (GPUMM_INTERNAL, "%s: %zu bytes of workspace are too few, not %zu",
                                name, bytes, wanted);
  return status;
}

/* Upper bound of CUB's temporary memory. The exact need depends on the GPU, but a plan has none:
 * 16 bytes for each tile of about a thousand elements, and room for some tiles more. */
size_t gpumm_sum_up_bytes (int64_t count) {
  return (size_t) count / 8 + (16 << 10);
}

gpumm_status gpumm_sum_up (int device, gpumm_stream *stream, int64_t *x, int64_t count,
                           void *memory, size_t bytes) {
  return call_cub ("DeviceScan", device, memory, bytes, [&] (void *at, size_t &wanted) {
    return cub::DeviceScan::InclusiveSum (at, wanted, x, x, count, (cudaStream_t) stream);
  });
}

/* Upper bound for the sort: a copy of keys and values, 1 KiB for each tile of about a thousand,
 * and counts of digits. */
template <class K> size_t gpumm_sort_bytes (int64_t count) {
  return (sizeof (K) + 5) * (size_t) count + (1 << 20);
}

template <class K>
gpumm_status gpumm_sort (int device, gpumm_stream *stream, const K *key, K *sorted_key,
                         const uint32_t *value, uint32_t *sorted_value, int64_t count, int bits,
                         void *memory, size_t bytes) {
  return call_cub ("DeviceRadixSort", device, memory, bytes, [&] (void *at, size_t &wanted) {
    return cub::DeviceRadixSort::SortPairs (at, wanted, key, sorted_key, value, sorted_value, count,
                                            0, bits, (cudaStream_t) stream);
  });
}

#else
#include <algorithm>

size_t gpumm_sum_up_bytes (int64_t) {
  return 0;
}

gpumm_status gpumm_sum_up (int, gpumm_stream *, int64_t *x, int64_t count, void *, size_t) {
  for (int64_t i = 1; i < count; i++)
    x[i] += x[i - 1];
  return GPUMM_OK;
}

template <class K> struct pair {
  K key;
  uint32_t value;
};

template <class K> size_t gpumm_sort_bytes (int64_t count) {
  return (size_t) count * sizeof (pair<K>);
}

template <class K>
gpumm_status gpumm_sort (int, gpumm_stream *, const K *key, K *sorted_key, const uint32_t *value,
                         uint32_t *sorted_value, int64_t count, int, void *memory, size_t) {
  pair<K> *const pairs = (pair<K> *) memory;
  for (int64_t i = 0; i < count; i++)
    pairs[i] = {key[i], value[i]};
  std::stable_sort (pairs, pairs + count,
                    [] (const pair<K> &x, const pair<K> &y) { return x.key < y.key; });
  for (int64_t i = 0; i < count; i++) {
    sorted_key[i] = pairs[i].key;
    sorted_value[i] = pairs[i].value;
  }
  return GPUMM_OK;
}

#endif

#define FOR_KEYS(K)                                                                                \
  template size_t gpumm_sort_bytes<K> (int64_t);                                                   \
  template gpumm_status gpumm_sort (int, gpumm_stream *, const K *, K *, const uint32_t *,         \
                                    uint32_t *, int64_t, int, void *, size_t);
FOR_KEYS (uint32_t)
FOR_KEYS (uint64_t)

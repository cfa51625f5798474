/* bulk_maps.h - bulk copies of boxes: a map describes an array to the hardware, which brings a box of
 * it, past the edges zeros.
 *
 * Boxes here are 128 bytes wide, and swizzled: in line y of a box the 16 bytes of number x lie at x
 * ^ y % 8, so that a warp that reads a column does not meet itself in one bank. Their place in
 * shared memory is a multiple of 1024 bytes.
 *
 * For Toolkits from 12.5 on, which can ask the driver for its functions by version: what includes
 * this guards its use for older ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BULK_MAPS_H
#define GPUMM_BULK_MAPS_H

#include "bulk.h"

#if CUDART_VERSION >= 12050
#include <cuda.h>

enum { BOX_WIDTH = 16, BOX_ALIGNMENT = 1024 }; /* doubles, bytes */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/* The box of the map at (x, y, z). */
__device__ static inline void start_box (unsigned to, const CUtensorMap *map, int x, int y, int z,
                                         unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
               "[%1, {%2, %3, %4}], [%5];"
               :
               : "r"(to), "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
               : "memory");
}

#endif

/* Makes a map of doubles in three dimensions, and boxes of these sizes; false: the array does not lie
 * as bulk copies need it, or the driver has no maps. `pitch` is bytes from one to the next of each
 * dimension but the first. */
static inline bool encode_map (const void *x, const cuuint64_t *sizes, const cuuint64_t *pitch,
                               const cuuint32_t *box, CUtensorMap *map) {
  const cuuint32_t every[] = {1, 1, 1};
  static const auto encode = [] {
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion ("cuTensorMapEncodeTiled", &function, 12000,
                                          cudaEnableDefault, &found)
        || found != cudaDriverEntryPointSuccess)
      function = NULL;
    return (decltype (&cuTensorMapEncodeTiled)) function;
  }();
  return encode
         && encode (map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3, (void *) x, sizes, pitch, box, every,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                    CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                == CUDA_SUCCESS;
}

#endif

#endif

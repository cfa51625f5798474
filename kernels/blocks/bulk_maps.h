/* bulk_maps.h - bulk copies of boxes: a map describes an array to the hardware, which copies a box
 * of it, with zeros past the edges.
 *
 * Boxes here are 128 bytes wide, and swizzled: in line y of a box, piece x of 16 bytes lies at x ^
 * y % 8, so that the threads of a warp that reads a column hit different banks. A box begins at a
 * multiple of 1024 bytes of shared memory.
 *
 * For Toolkits from 12.5 on, which can ask the driver for its functions by version: files that
 * include this guard its use for older ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BULK_MAPS_H
#define GPUMM_BULK_MAPS_H

#include "bulk.h"

#if CUDART_VERSION >= 12050
#include <cuda.h>

enum { BOX_WIDTH = 16, BOX_ALIGNMENT = 1024 }; /* doubles, bytes */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/* Prefetches a map for the copies. */
__device__ static inline void prefetch_map (const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
}

/* The box of the map at (x, y). */
__device__ static inline void start_box_of_2 (unsigned to, const CUtensorMap *map, int x, int y,
                                              unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
               "[%1, {%2, %3}], [%4];"
               :
               : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier)
               : "memory");
}

/* The box of the map at (x, y, z). */
__device__ static inline void start_box_of_3 (unsigned to, const CUtensorMap *map, int x, int y,
                                              int z, unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
               "[%1, {%2, %3, %4}], [%5];"
               :
               : "r"(to), "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
               : "memory");
}

#endif

/* The driver's own function that describes an array to bulk copies; NULL where it has none. */
static inline decltype (&cuTensorMapEncodeTiled) map_encoder (void) {
  static const auto encoder = [] {
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion ("cuTensorMapEncodeTiled", &function, 12000,
                                          cudaEnableDefault, &found)
        || found != cudaDriverEntryPointSuccess)
      function = NULL;
    return (decltype (&cuTensorMapEncodeTiled)) function;
  }();
  return encoder;
}

/* Makes a map of doubles with that many dimensions and boxes of these sizes; false: the array's
 * layout does not suit bulk copies. `pitch`: bytes from one element to the next, for all dimensions
 * but the first. */
static inline bool encode_map (const void *x, int dimensions, const cuuint64_t *sizes,
                               const cuuint64_t *pitch, const cuuint32_t *box, CUtensorMap *map) {
  const cuuint32_t every[] = {1, 1, 1, 1, 1};
  const auto encode = map_encoder ();
  return encode
         && encode (map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, (cuuint32_t) dimensions, (void *) x,
                    sizes, pitch, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                    CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                == CUDA_SUCCESS;
}

#endif

#endif

/* triangle.cu - a matrix with zeros outside of a band of diagonals. Memory limits it: what becomes
 * zero is not read.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "entries.h"

/* E has the size of an entry. */
template <class E>
__global__ void __launch_bounds__ (THREADS)
    keep_band (const E *from, E *to, map_layout at, int64_t low, int64_t high) {
  enum { EACH = 4 };
  const int64_t ahead = (int64_t) THREADS * gridDim.x;
  for (int64_t begin = (int64_t) blockIdx.x * THREADS + threadIdx.x; begin < at.entries;
       begin += EACH * ahead) {
    E x[EACH];
    int64_t place[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      const int64_t entry = begin + e * ahead < at.entries ? begin + e * ahead : begin;
      const int64_t j = divide (entry, at.size[0], at.entries), i = entry - j * at.size[0];
      x[e] = E ();
      if (j - i >= low && j - i <= high)
        x[e] = from[i * at.stride[0][0] + j * at.stride[0][1]];
      place[e] = i * at.stride[INPUTS][0] + j * at.stride[INPUTS][1];
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
      if (begin + e * ahead < at.entries)
        to[place[e]] = x[e];
  }
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_operation *o, void *) {
  const gpumm_view &from = o->map.input[0], &to = o->result[0];
  map_layout at = {o->size[0] * o->size[1], 2, {}, {}};
  for (int d = 0; d < 2; d++) {
    at.size[d] = o->size[d];
    at.stride[0][d] = from.stride[d];
    at.stride[INPUTS][d] = to.stride[d];
  }
  WITH_BYTES (to.type, E,
              return LAUNCH ("triangle", keep_band<E>, blocks_for (at.entries, 4), dim3 (THREADS),
                             device, stream, (const E *) from.values, (E *) to.values, at, o->low,
                             o->high));
}

static gpumm_status check (const gpumm_operation *o) {
  bool is_matrix = true;
  for (int d = 0; d < DIMS; d++)
    is_matrix = is_matrix && o->size[d] == o->map.size[d] && (d < 2 || o->size[d] == 1);
  return is_matrix
             ? GPUMM_OK
             : gpumm_driver_fail (GPUMM_INVALID, "input and output are not matrices of a size");
}

ARRAY_ROWS (triangle) = {{"triangle", MOVED_TYPES, 1, GPUMM_SIZES_GIVEN, GPUMM_NO_PLACES,
                          GPUMM_READS_INPUT, 1, check, NULL, launch},
                         {}};

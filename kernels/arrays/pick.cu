/* pick.cu - indexed reading and writing. Memory limits it: a thread reads a few entries and writes
 * them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "entries.h"

/* The places of the part's entries in the whole. */
struct picking {
  int64_t entries;
  int dims;
  int64_t size[DIMS], part_stride[DIMS], whole_stride[DIMS];
  const int64_t *vector[DIMS]; /* places from 0, */
  const double *number[DIMS];  /* or from 1 */
  int64_t first[DIMS], step[DIMS];
};

DEVICE void find_pair (const picking &at, int64_t entry, int64_t &part, int64_t &whole) {
  part = whole = 0;
  for (int d = 0; d < at.dims; d++) {
    const int64_t rest = d + 1 < at.dims ? divide (entry, at.size[d], at.entries) : 0;
    const int64_t i = entry - rest * at.size[d];
    entry = rest;
    part += i * at.part_stride[d];
    const int64_t place = at.vector[d]   ? at.vector[d][i]
                          : at.number[d] ? (int64_t) at.number[d][i] - 1
                                         : at.first[d] + i * at.step[d];
    whole += place * at.whole_stride[d];
  }
}

/* E has the size of an entry. */
template <class E>
__global__ void __launch_bounds__ (THREADS)
    pick_entries (E *part, E *whole, picking at, bool puts) {
  enum { EACH = 4 };
  const int64_t ahead = (int64_t) THREADS * gridDim.x;
  for (int64_t begin = (int64_t) blockIdx.x * THREADS + threadIdx.x; begin < at.entries;
       begin += EACH * ahead) {
    E x[EACH];
    int64_t place[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int64_t in_part, in_whole;
      if (begin + e * ahead >= at.entries)
        continue;
      find_pair (at, begin + e * ahead, in_part, in_whole);
      x[e] = puts ? part[in_part] : whole[in_whole];
      place[e] = puts ? in_whole : in_part;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
      if (begin + e * ahead < at.entries)
        (puts ? whole : part)[place[e]] = x[e];
  }
}

template <class E>
static gpumm_status launch_of (int device, gpumm_stream *stream, const gpumm_operation &o,
                               bool puts) {
  const gpumm_view &part = puts ? o.map.input[0] : o.result[0],
                   &whole = puts ? o.result[0] : o.map.input[0];
  const int64_t *size = puts ? o.map.size : o.size;
  picking at = {entries_of (size), 0, {}, {}, {}, {}, {}, {}, {}};
  for (int d = 0; d < DIMS; d++) {
    const gpumm_places &x = o.places[d];
    const int k = at.dims;
    if (size[d] == 1 && !x.vector && x.first == 0)
      continue;
    at.size[k] = size[d];
    at.part_stride[k] = part.stride[d];
    at.whole_stride[k] = whole.stride[d];
    at.vector[k] = x.from_1 ? NULL : (const int64_t *) x.vector;
    at.number[k] = x.from_1 ? (const double *) x.vector : NULL;
    at.first[k] = x.first;
    at.step[k] = x.step;
    at.dims++;
  }
  return LAUNCH ("pick", pick_entries<E>, blocks_for (at.entries, 4), dim3 (THREADS), device,
                 stream, (E *) part.values, (E *) whole.values, at, puts);
}

static gpumm_status pick (int device, gpumm_stream *stream, const gpumm_operation *o, void *) {
  WITH_BYTES (o->result[0].type, E, return launch_of<E> (device, stream, *o, false));
}

static gpumm_status put (int device, gpumm_stream *stream, const gpumm_operation *o, void *) {
  WITH_BYTES (o->result[0].type, E, return launch_of<E> (device, stream, *o, true));
}

ARRAY_ROWS (pick) = {{"pick", MOVED_TYPES, 1, GPUMM_SIZES_GIVEN, GPUMM_PLACES_READ,
                      GPUMM_READS_INPUT, 0, NULL, NULL, pick},
                     {"put", MOVED_TYPES, 1, GPUMM_SIZES_GIVEN, GPUMM_PLACES_WRITTEN,
                      GPUMM_READS_INPUT, 0, NULL, NULL, put},
                     {}};

/* map.cu - elementwise computations on arrays (programs.h). Memory limits them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "programs.h"

template <class T, int EACH, bool PLAIN, int MOST>
__global__ void __launch_bounds__ (THREADS, 3)
    map_entries (program<T> p, map_layout at, void *output, int type) {
  const int64_t ahead = (int64_t) THREADS * gridDim.x;
  for (int64_t begin = (int64_t) blockIdx.x * THREADS + threadIdx.x; begin < at.entries;
       begin += EACH * ahead) {
    int64_t entry[EACH];
    T value[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) /* past the end: reads the first one again */
      entry[e] = begin + e * ahead < at.entries ? begin + e * ahead : begin;
    evaluate<T, EACH, PLAIN, MOST> (p, at, entry, value);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int64_t place[1];
      find (at, INPUTS, entry[e], place);
      if (e > 0 && begin + e * ahead >= at.entries)
        continue;
      if (PLAIN)
        ((T *) output)[place[0]] = value[e];
      else
        store_as (type, output, place[0], value[e]);
    }
  }
}

/* Copies entries of any type unchanged. E has the size of an entry. */
template <class E>
__global__ void __launch_bounds__ (THREADS) move_entries (const E *from, E *to, map_layout at) {
  enum { EACH = 4 };
  const int64_t ahead = (int64_t) THREADS * gridDim.x;
  for (int64_t begin = (int64_t) blockIdx.x * THREADS + threadIdx.x; begin < at.entries;
       begin += EACH * ahead) {
    E x[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int64_t place[1];
      find (at, 0, begin + e * ahead, place);
      if (begin + e * ahead < at.entries)
        x[e] = from[place[0]];
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int64_t place[1];
      find (at, INPUTS, begin + e * ahead, place);
      if (begin + e * ahead < at.entries)
        to[place[0]] = x[e];
    }
  }
}

template <class T, int EACH, bool PLAIN, int MOST>
static gpumm_status launch_map (int device, gpumm_stream *stream, const gpumm_map &m,
                                const map_layout &at) {
  const program<T> p = program_of<T> (m);
  return LAUNCH ("map", (map_entries<T, EACH, PLAIN, MOST>), blocks_for (at.entries, EACH),
                 dim3 (THREADS), device, stream, p, at, m.output.values, (int) m.output.type);
}

/* With a single input, a thread reads more entries at once, to keep the memory busy. */
template <class T>
static gpumm_status choose (int device, gpumm_stream *stream, const gpumm_map &m,
                            const map_layout &at) {
  enum { EACH = sizeof (T) < 16 ? 2 : 1 };
  if (!is_plain (m) || m.output.type != m.domain)
    return launch_map<T, EACH, false, INPUTS> (device, stream, m, at);
  return m.inputs <= 1 ? launch_map<T, 2 * EACH, true, 1> (device, stream, m, at)
                       : launch_map<T, EACH, true, INPUTS> (device, stream, m, at);
}

template <class E>
static gpumm_status move (int device, gpumm_stream *stream, const gpumm_map &m,
                          const map_layout &at) {
  return LAUNCH ("map", move_entries<E>, blocks_for (at.entries, 4), dim3 (THREADS), device, stream,
                 (const E *) m.input[0].values, (E *) m.output.values, at);
}

gpumm_status gpumm_driver_map (int device, gpumm_stream *stream, const gpumm_map *m) {
  const map_layout at = layout_of (*m, m->output);
  if (at.entries == 0)
    return GPUMM_OK;
  const bool same = m->steps == 0 && m->inputs > 0 && m->input[0].type == m->output.type;
  if (!same || (m->input[0].conjugated && !is_real (m->output.type)))
    WITH_TYPE (m->domain, T, return choose<T> (device, stream, *m, at));
  WITH_BYTES (m->output.type, E, return move<E> (device, stream, *m, at));
}

int gpumm_driver_map_rows () {
  return GPUMM_MAP_ROWS;
}

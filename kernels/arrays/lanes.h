/* lanes.h - how operations divide lanes (i, :, j) of inner x count x outer entries among blocks.
 *
 * An operation that computes each entry of its result from a few entries of the lane gives
 * launch_each a function. Folds and scans, which read whole lanes, divide them by lanes_of: a block
 * takes `beside` neighbouring lanes, and its threads take the entries of each lane in turn, THREADS
 * / beside at once. If there are few long lanes, they are cut into parts, one for each block. The
 * division depends on the sizes alone, so the rounding of the results does, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ARRAYS_LANES_H
#define GPUMM_ARRAYS_LANES_H

#include "entries.h"

/* The blocks that keep a large GPU busy; the least entries of a part for each thread. */
enum { ENOUGH_BLOCKS = 1024, LEAST_EACH = 16 };

struct lanes {
  int64_t inner, count, outer;
  int64_t parts, length; /* entries of a part */
  int beside;            /* a power of 2 */
};

/* The least power of 2 that is not below x, or `most` if that is smaller. */
static inline int power_of_2 (int64_t x, int most) {
  int power = 1;
  while (power < x && power < most)
    power *= 2;
  return power;
}

static inline int64_t lane_blocks (const lanes &l) {
  return ceil_div (l.inner * l.outer, l.beside);
}

static inline lanes lanes_of (int64_t inner, int64_t count, int64_t outer) {
  lanes l = {inner, count, outer, 1, count, 1};
  const int rows = THREADS / power_of_2 (inner, 32); /* 32 lanes fill lines of memory */
  l.beside = THREADS / power_of_2 (count, rows);
  const int64_t blocks = lane_blocks (l), most = count / (THREADS / l.beside * LEAST_EACH);
  if (blocks > 0 && blocks < (int64_t) ENOUGH_BLOCKS && most > 1) {
    const int64_t wanted = ceil_div (ENOUGH_BLOCKS, blocks);
    const int64_t parts = wanted < most ? wanted : most;
    l.length = ceil_div (count, parts);
    l.parts = ceil_div (count, l.length);
  }
  return l;
}

/* Lane and part of this thread's block, and the thread's column and row in the block. */
struct seat {
  int64_t lane, part;
  int column, row, rows;
};

__device__ static inline seat seat_of (const lanes &l) {
  const int t = (int) threadIdx.x, column = t & (l.beside - 1);
  return {(int64_t) blockIdx.x / l.parts * l.beside + column, (int64_t) blockIdx.x % l.parts,
          column, t / l.beside, THREADS / l.beside};
}

/* The place of entry k of a lane. L has inner and count. */
template <class L> DEVICE int64_t place_in (const L &l, int64_t lane, int64_t k) {
  return lane % l.inner + (lane / l.inner * l.count + k) * l.inner;
}

DEVICE double times (double x, double y) {
  return x * y;
}

DEVICE complex<double> times (complex<double> x, complex<double> y) {
  return product (x, y);
}

DEVICE double minus (double x, double y) {
  return x - y;
}

DEVICE complex<double> minus (complex<double> x, complex<double> y) {
  return {x.re - y.re, x.im - y.im};
}

/* ---- entry by entry ----------------------------------------------------------------------- */

/* A lane of the input. W: double, or complex<double>. */
template <class W> struct lane_reader {
  int type;
  const void *from;
  int64_t first, stride, count;
};

template <class W> DEVICE W entry (const lane_reader<W> &x, int64_t k) {
  return load<W> (x.type, x.from, x.first + k * x.stride, false);
}

struct lanes_of_results {
  int from_type, to_type;
  const void *from;
  void *to;
  int64_t inner, count, length, entries;
};

template <class F, class W>
__global__ void __launch_bounds__ (THREADS) each_entry (lanes_of_results l) {
  for (int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x; i < l.entries;
       i += (int64_t) THREADS * gridDim.x) {
    const int64_t line = divide (i, l.inner, l.entries), outer = divide (line, l.length, l.entries);
    const lane_reader<W> x = {l.from_type, l.from, i - (line - outer * l.count) * l.inner, l.inner,
                              l.count};
    store_as (l.to_type, l.to, i, F::at (x, line - outer * l.length));
  }
}

/* Launches an operation of which entry k is F::at (x, k), with the lane x of the input. F is a
 * struct of another name in each file. */
template <class F>
static gpumm_status launch_each (int device, gpumm_stream *stream, const gpumm_operation *o,
                                 void *) {
  const gpumm_view &from = o->map.input[0], &to = o->result[0];
  const lanes_of_results l = {
      (int) from.type, (int) to.type, from.values, to.values,
      o->inner,        o->count,      o->length,   o->inner * o->length * o->outer};
  const int64_t blocks = blocks_for (l.entries, 4);
  return is_real (from.type)
             ? LAUNCH (o->name, (each_entry<F, double>), blocks, dim3 (THREADS), device, stream, l)
             : LAUNCH (o->name, (each_entry<F, complex<double>>), blocks, dim3 (THREADS), device,
                       stream, l);
}

#endif

/* lanes.h - how folds and scans divide the lanes (i, :, j) of inner x count x outer entries among
 * blocks.
 *
 * A block takes `beside` neighbouring lanes, and its threads take the entries of each lane in turn,
 * THREADS / beside at once. If there are few long lanes, they are cut into parts, one for each
 * block. The division depends on the sizes alone, so the rounding of the results does, too.
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

#endif

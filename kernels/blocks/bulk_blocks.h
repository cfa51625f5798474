/* bulk_blocks.h - blocks of double precision, copied to shared memory by bulk copies.
 *
 * Copies have whole grains of 16 bytes, but a block of 9 x 9 doubles may begin in the middle of a
 * grain. It is copied from the begin of that grain on and then lies one double behind its place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_BULK_BLOCKS_H
#define GPUMM_SPARSE_BULK_BLOCKS_H

#include "bulk.h"

enum { GRAIN = 2 }; /* doubles that a bulk copy is made of */

DEVICE constexpr int in_grains (int doubles) {
  return (doubles + GRAIN - 1) / GRAIN * GRAIN;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/* An array from which blocks of `size` doubles are copied. Half of its first and last grain may lie
 * outside: bulk copies do not touch these grains. */
struct source_of_blocks {
  const double *begin, *end;
  int size;
  int off;                    /* doubles between a grain's begin and begin */
  int first_whole, end_whole; /* blocks that touch no such grain */

  __device__ inline source_of_blocks (const gpumm_device_matrix &x, int block_size) {
    begin = (const double *) x.values;
    end = begin + x.stored * block_size;
    size = block_size;
    off = (int) ((uintptr_t) begin / sizeof *begin % GRAIN);
    first_whole = off;
    end_whole = (int) x.stored - (int) ((uintptr_t) end / sizeof *end % GRAIN);
  }

  /* how far the copy of a block lies behind its place */
  __device__ inline int lies_off (int block) const {
    return (block * (size % GRAIN) + off) % GRAIN;
  }
};

/* Starts the copy of `count` blocks from number `block` on, so that the first will be at to +
 * lies_off of it. By one thread. */
__device__ static inline void fetch_blocks (double *to, const source_of_blocks &x, int block,
                                            int count, unsigned barrier) {
  const int off = x.lies_off (block);
  const double *from = x.begin + ((int64_t) block * x.size - off);
  int bytes = (off + count * x.size + 1) / GRAIN * GRAIN * (int) sizeof (double);
  if (block < x.first_whole || block + count > x.end_whole) {
    if (from < x.begin) {
      to[1] = from[1];
      to += GRAIN;
      from += GRAIN;
      bytes -= 16;
    }
    if (from + bytes / 8 > x.end) {
      bytes -= 16;
      to[bytes / 8] = from[bytes / 8];
    }
    order_bulk (); /* before later copies to the same place */
  }
  start_bulk ((unsigned) __cvta_generic_to_shared (to), from, bytes, barrier);
  arrive_and_expect (barrier, bytes);
}

#endif

#endif

/* symbolic.h - which blocks a product of two matrices by compressed rows has.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_SYMBOLIC_H
#define GPUMM_SPARSE_SYMBOLIC_H

#include "rows.h"

/* gpumm_count_blocks counts the blocks of each row of the product A B to c.start[i + 1]. Once c.start
 * has offsets, gpumm_write_columns writes their columns to c.column. */
gpumm_status gpumm_count_blocks (int device, gpumm_stream *stream, const gpumm_sparse_product *p);
gpumm_status gpumm_write_columns (int device, gpumm_stream *stream, const gpumm_sparse_product *p);

/* The same, counting or writing; B's rows become bits first if they are short enough. A block of A
 * then takes as many steps as a row has words, however full B is. */
size_t gpumm_pattern_bytes (const gpumm_sparse_product *p); /* of p->workspace, where it begins */
gpumm_status gpumm_make_pattern (int device, gpumm_stream *stream, const gpumm_sparse_product *p,
                                 bool write);

/* Sets *p->zero, if that is there, where a block of C is all zero. */
gpumm_status gpumm_look_for_zeros (int device, gpumm_stream *stream, const gpumm_sparse_product *p);

/* What follows is for kernels that also make bitmaps of a row of C. */

/* A thread's part of a bitmap: its words first .. last - 1, and the bits before these and in all. */
struct part_of_bits {
  int first, last, before, all;
};

template <int THREADS, class BITS>
__device__ static inline part_of_bits count_bits (BITS &bits, int words,
                                                  tile<int32_t, 2, THREADS> &scan) {
  const int chunk = (words + THREADS - 1) / THREADS | 1; /* odd: of different banks */
  part_of_bits x = {(int) threadIdx.x * chunk, 0, 0, 0};
  int own = 0;
  x.last = x.first + chunk < words ? x.first + chunk : words;
  for (int w = x.first; w < x.last; w++)
    own += __popc (bits[0][w]);
  x.before = sum_before<THREADS> (scan, own, x.all);
  return x;
}

/* Writes the column from + b for each bit b of a word; gives the place after them. */
__device__ static inline int32_t *write_bits (uint32_t word, int64_t from, int32_t *column) {
  for (; word; word &= word - 1)
    *column++ = (int32_t) (from + __popc ((word & -word) - 1));
  return column;
}

#endif

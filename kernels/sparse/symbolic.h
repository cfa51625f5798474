/* symbolic.h - which blocks a product of two matrices by compressed rows has.
 *
 * Row i of C has the columns of all rows k of B for which A has a block (i, k). A thread block
 * computes a row: it marks these columns, in any order, in a bitmap in shared memory and counts the
 * bits. When the begin of the row is known, it writes the columns, which ascend. A row that spans
 * more columns than the bitmap has bits is computed window by window.
 *
 * What limits it is shared memory: a bit to set for each pair of blocks, and a bitmap to clear and
 * to read for each row.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_SYMBOLIC_H
#define GPUMM_SPARSE_SYMBOLIC_H

#include "kernel.h"

enum {
  SYMBOLIC_THREADS = 256,
  SYMBOLIC_LANES = 16,   /* threads that read a row of B together */
  SYMBOLIC_WORDS = 4096, /* of the bitmap: 131072 columns */
};

/* The first place in the ascending column[begin .. end - 1] whose column is at least j, or end. */
template <class I> DEVICE I lower_bound (const int32_t *column, I begin, I end, int64_t j) {
  while (begin < end) {
    I middle = begin + (end - begin) / 2;
    if (column[middle] < j)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* The sum of x over all threads before this one; total becomes the sum over all threads. */
template <int THREADS>
__device__ static inline int sum_before (tile<int32_t, 2, THREADS> &s, int x, int &total) {
  int me = threadIdx.x, now = 0;
  s[0][me] = x;
  __syncthreads ();
  for (int step = 1; step < THREADS; step *= 2) {
    int y = s[now][me];
    if (me >= step)
      y += s[now][me - step];
    now ^= 1;
    s[now][me] = y;
    __syncthreads ();
  }
  int before = s[now][me] - x;
  total = s[now][THREADS - 1];
  __syncthreads (); /* all threads have read */
  return before;
}

/* Row `row` + block of A B: counts its blocks into start[i + 1] or, with column, writes their
 * columns from start[i] on. */
template <int THREADS>
__global__ void __launch_bounds__ (THREADS)
    make_structure (gpumm_rows a, gpumm_rows b, int64_t row, int64_t *start, int32_t *column) {
  SHARED (uint32_t, bits, 1, SYMBOLIC_WORDS);
  SHARED (int32_t, scan, 2, THREADS);
  int me = threadIdx.x;
  int64_t i = row + blockIdx.x, a_begin = a.start[i], a_end = a.start[i + 1];

  int32_t low = INT32_MAX, high = -1; /* the first and last column of the row */
  for (int64_t p = a_begin + me; p < a_end; p += THREADS) {
    int64_t begin = b.start[a.column[p]], end = b.start[a.column[p] + 1];
    if (begin < end) {
      low = b.column[begin] < low ? b.column[begin] : low;
      high = b.column[end - 1] > high ? b.column[end - 1] : high;
    }
  }
  scan[0][me] = low;
  scan[1][me] = high;
  __syncthreads ();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (me < half) {
      int32_t x = scan[0][me + half], y = scan[1][me + half];
      if (x < low)
        scan[0][me] = low = x;
      if (y > high)
        scan[1][me] = high = y;
    }
    __syncthreads ();
  }
  low = scan[0][0];
  high = scan[1][0];
  __syncthreads ();

  int64_t made = 0;
  for (int64_t from = low / 32 * 32; from <= high; from += 32 * SYMBOLIC_WORDS) {
    int64_t left = (high - from) / 32 + 1;
    int words = left < SYMBOLIC_WORDS ? (int) left : SYMBOLIC_WORDS;
    for (int w = me; w < words; w += THREADS)
      bits[0][w] = 0;
    __syncthreads ();
    for (int64_t p = a_begin + me / SYMBOLIC_LANES; p < a_end; p += THREADS / SYMBOLIC_LANES) {
      int64_t q = b.start[a.column[p]], end = b.start[a.column[p] + 1];
      if (from > low)
        q = lower_bound (b.column, q, end, from);
      for (q += me % SYMBOLIC_LANES; q < end; q += SYMBOLIC_LANES) {
        int64_t j = b.column[q] - from;
        if (j >= 32 * (int64_t) words)
          break;
        atomic_or (bits[0][(int) j / 32], 1u << j % 32);
      }
    }
    __syncthreads ();
    int chunk = (words + THREADS - 1) / THREADS | 1; /* odd, for different banks */
    int first = me * chunk, last = first + chunk < words ? first + chunk : words;
    int own = 0, all;
    for (int w = first; w < last; w++)
      own += __popc (bits[0][w]);
    int64_t to = start[i] + made + sum_before<THREADS> (scan, own, all);
    if (column)
      for (int w = first; w < last; w++) {
        uint32_t set = bits[0][w];
        for (; set; set &= set - 1)
          column[to++] = (int32_t) (from + 32 * w + __popc ((set & -set) - 1));
      }
    made += all;
    __syncthreads (); /* before the next window */
  }
  if (!column && me == 0)
    start[i + 1] = made;
}

/* gpumm_sparse_kernel.symbolic for any rows */
static inline gpumm_status count_blocks (int device, gpumm_stream *stream,
                                         const gpumm_sparse_product *p) {
  return LAUNCH ("symbolic", make_structure<SYMBOLIC_THREADS>, p->count, dim3 (SYMBOLIC_THREADS),
                 device, stream, p->a, p->b, p->row, p->c.start, (int32_t *) NULL);
}

/* The columns of C, whose start is known. */
static inline gpumm_status write_columns (int device, gpumm_stream *stream,
                                          const gpumm_sparse_product *p) {
  return LAUNCH ("symbolic", make_structure<SYMBOLIC_THREADS>, p->count, dim3 (SYMBOLIC_THREADS),
                 device, stream, p->a, p->b, p->row, p->c.start, p->c.column);
}

#endif

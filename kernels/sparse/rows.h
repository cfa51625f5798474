/* rows.h - what all that works on matrices by compressed rows shares.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPARSE_ROWS_H
#define GPUMM_SPARSE_ROWS_H

#include "kernel.h"

/* ---- in kernels --------------------------------------------------------------------------- */

/* The first place in x[begin .. end - 1], ascending, that is not below value; end if there is none.
 */
template <class X, class I, class V> DEVICE I lower_bound (X x, I begin, I end, V value) {
  while (begin < end) {
    I middle = begin + (end - begin) / 2;
    if (x[middle] < value)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* The sum of x over the threads of a block before this one; total becomes the sum over all threads.
 * It adds within warps, then over the warps. cub::BlockScan would save no lines, because the host
 * device needs this function too, and would cost nvcc 3 seconds per file. */
template <int THREADS>
__device__ static inline int sum_before (tile<int32_t, 2, THREADS> &s, int x, int &total) {
  const int me = threadIdx.x, warp = me / 32, lane = me % 32;
  int before = 0;
#ifdef GPUMM_DRIVER_CUDA
  int sum = x; /* with that of the lanes below (Hillis and Steele 1986) */
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int below = __shfl_up_sync (0xffffffff, sum, step);
    sum += lane < step ? 0 : below;
  }
  before = sum - x;
#else /* whose threads have no shuffles */
  s[0][me] = x;
  __syncthreads ();
  for (int t = me - lane; t < me; t++)
    before += s[0][t];
#endif
  if (lane == 31)
    s[1][warp] = before + x;
  __syncthreads ();
  total = 0;
#pragma unroll
  for (int w = 0; w < THREADS / 32; w++) {
    const int32_t of_warp = s[1][w];
    before += w < warp ? of_warp : 0;
    total += of_warp;
  }
  __syncthreads (); /* all have read */
  return before;
}

/* The range of columns that row i of A B reaches; low > high if the row is empty. Called by all
 * threads of a block. */
template <int THREADS>
__device__ static inline void columns_reached (const gpumm_device_matrix &a,
                                               const gpumm_device_matrix &b, int64_t i,
                                               tile<int32_t, 1, 2> &reached, int32_t &low,
                                               int32_t &high) {
  low = INT32_MAX;
  high = -1;
  for (int64_t p = a.start[i] + threadIdx.x; p < a.start[i + 1]; p += THREADS) {
    int64_t begin = b.start[a.column[p]], end = b.start[a.column[p] + 1];
    if (begin < end) {
      low = b.column[begin] < low ? b.column[begin] : low;
      high = b.column[end - 1] > high ? b.column[end - 1] : high;
    }
  }
  if (threadIdx.x < 2)
    reached[0][threadIdx.x] = INT32_MIN;
  __syncthreads ();
  if (high >= 0) {
    atomic_max (reached[0][0], ~low); /* ~x descends where x ascends */
    atomic_max (reached[0][1], high);
  }
  __syncthreads ();
  low = ~reached[0][0];
  high = reached[0][1];
}

/* ---- for launchers ------------------------------------------------------------------------ */

static inline bool is_integer (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_U64;
}

static inline int element_bytes (gpumm_type type) {
  return is_integer (type) ? 1 << (type - GPUMM_I8) % 4
         : type == GPUMM_B ? 1
         : type == GPUMM_S ? 4
         : type == GPUMM_Z ? 16
                           : 8;
}

#endif

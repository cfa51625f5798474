/* tiled.cu - square tiles in shared memory.
 *
 * What it does: a block of TILE x TILE threads computes a TILE x TILE piece of C. It walks along k
 * in steps of TILE: the threads together fetch one tile of op(A) and one of op(B) into shared
 * memory, one element each, and then every thread multiplies a row by a column from there. Each
 * fetched element is used TILE times, so global traffic falls by TILE: 2 TILE^2 loads for 2 TILE^3
 * operations, in double an intensity of TILE / 8 operations per byte.
 *
 * What limits it: shared memory. Each multiply-add still reads two elements from it, and a
 * multiprocessor delivers 32 words per clock, too few for its multiply-adds; register.cu reads
 * less. A tile that is not a multiple of a warp (10, 20) wastes lanes and sectors; 32 fills a block
 * of 1024 threads, which leaves a multiprocessor few blocks to switch between at a barrier.
 *
 * Transposes cost nothing more: a tile is always fetched along the dimension that is contiguous in
 * memory, and turned on its way into shared memory. A row there is PAD = 1 element longer than the
 * tile, so that threads that write a column of it hit different banks. The row tiled_32_unpadded of
 * the table shows what happens without padding.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

/* Fetches one tile: s[l][r] = X (r0 + r, l0 + l) for the panel X of op(A), whose rows run along
 * m, or of op(B) transposed, whose rows run along n. Zeros fill the tile past the edge. Along
 * k both tiles have them, so padding multiplies 0 by 0 only, never by Inf or NaN. */
template <class T, int TILE, int PAD>
__device__ static inline void fetch (tile<T, TILE, TILE + PAD> &s, global<const T> x, int64_t ld,
                                     bool along_k, bool conjugated, int64_t r0, int64_t rows,
                                     int64_t l0, int64_t k) {
  int r = along_k ? threadIdx.y : threadIdx.x; /* threadIdx.x goes along memory */
  int l = along_k ? threadIdx.x : threadIdx.y;
  T value = {};
  if (r0 + r < rows && l0 + l < k)
    value = x[along_k ? l0 + l + (r0 + r) * ld : r0 + r + (l0 + l) * ld];
  s[l][r] = conjugated ? conjugate (value) : value;
}

template <class T, int TILE, int PAD>
__global__ void __launch_bounds__ (TILE *TILE)
    tiled (int64_t m, int64_t n, int64_t k, T alpha, global<const T> A, int64_t lda, gpumm_op op_a,
           global<const T> B, int64_t ldb, gpumm_op op_b, T beta, global<T> C, int64_t ldc) {
  SHARED (T, a, TILE, TILE + PAD); /* a[l][i] */
  SHARED (T, b, TILE, TILE + PAD); /* b[l][j] */

  int64_t tiles_down = (m + TILE - 1) / TILE;
  int64_t i0 = blockIdx.x % tiles_down * TILE, j0 = blockIdx.x / tiles_down * TILE;
  int i = threadIdx.x, j = threadIdx.y;

  T sum = {};
  for (int64_t l0 = 0; l0 < k; l0 += TILE) {
    fetch<T, TILE, PAD> (a, A, lda, op_a != GPUMM_NONE, op_a == GPUMM_CTRANSPOSE, i0, m, l0, k);
    fetch<T, TILE, PAD> (b, B, ldb, op_b == GPUMM_NONE, op_b == GPUMM_CTRANSPOSE, j0, n, l0, k);
    __syncthreads (); /* the tiles are complete before a thread reads them */
#pragma unroll
    for (int l = 0; l < TILE; l++) {
      T x = a[l][i], y = b[l][j];
      multiply_add (sum, x, y);
    }
    __syncthreads (); /* all threads have read before the next tiles overwrite */
  }
  if (i0 + i < m && j0 + j < n)
    store (C, i0 + i + (j0 + j) * ldc, alpha, sum, beta);
}

template <class T, int TILE, int PAD>
static gpumm_status launch_tiled_as (int device, gpumm_stream *stream, const gpumm_product *p) {
  arguments<T> x (p);
  int64_t blocks = ceil_div (x.m, TILE) * ceil_div (x.n, TILE);
  return LAUNCH ("tiled", (tiled<T, TILE, PAD>), blocks, dim3 (TILE, TILE), device, stream, x.m,
                 x.n, x.k, x.alpha, x.a, p->lda, p->op_a, x.b, p->ldb, p->op_b, x.beta, x.c,
                 p->ldc);
}

template <int TILE, int PAD = 1>
static gpumm_status launch_tiled (int device, gpumm_stream *stream, const gpumm_product *p) {
  WITH_TYPE (p->type, T, return (launch_tiled_as<T, TILE, PAD> (device, stream, p)));
}

/* 8, 10, 20 and the last row are for study. On an H200 16 is faster up to n = 384, 32 from 512 on
 * (bench/results/h200/kernels.csv). */
FAMILY_ROWS (tiled) = {
    /* algorithm, name, types, tile m n k, thread m n, capability, from, runs, launch */
    {"tiled", "tiled_8", ALL_TYPES, 8, 8, 8, 1, 1, ANY_CAPABILITY, 0, NULL, launch_tiled<8>},
    {"tiled", "tiled_10", ALL_TYPES, 10, 10, 10, 1, 1, ANY_CAPABILITY, BY_NAME_ONLY, NULL,
     launch_tiled<10>},
    {"tiled", "tiled_16", ALL_TYPES, 16, 16, 16, 1, 1, ANY_CAPABILITY, 9, NULL, launch_tiled<16>},
    {"tiled", "tiled_20", ALL_TYPES, 20, 20, 20, 1, 1, ANY_CAPABILITY, BY_NAME_ONLY, NULL,
     launch_tiled<20>},
    {"tiled", "tiled_32", ALL_TYPES, 32, 32, 32, 1, 1, ANY_CAPABILITY, 512, NULL, launch_tiled<32>},
    {"tiled", "tiled_32_unpadded", ALL_TYPES, 32, 32, 32, 1, 1, ANY_CAPABILITY, BY_NAME_ONLY, NULL,
     launch_tiled<32, 0>},
    {},
};

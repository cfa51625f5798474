/* register.cu - a tile of C in registers, outer products.
 *
 * What it does: a block computes TILE_M x TILE_N of C with tiles of op(A) and op(B) in shared
 * memory, TILE_K deep, as tiled.cu does. But each thread computes THREAD_M x THREAD_N elements and
 * keeps them in registers. For each l it reads THREAD_M elements of a column of op(A) and THREAD_N
 * of a row of op(B) from shared memory and adds their outer product: with 8 x 4, 12 reads for 32
 * multiply-adds, where tiled.cu needs 64. Global traffic is that of a tile of 64 x 64: in double an
 * intensity of 8 operations per byte.
 *
 * What limits it: the registers. A larger tile per thread means fewer reads per multiply-add,
 * but fewer threads fit on a multiprocessor to hide each other's waiting. They do wait: the fetch
 * of a tile does not overlap with the products of the tile before.
 *
 * A thread's elements are not neighbours: its rows are THREADS_M apart, so that the threads of a
 * warp read neighbouring words of shared memory and write neighbouring elements of C.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

/* Fetches a tile as tiled.cu does, s[l][r] = X (r0 + r, l0 + l), several elements per thread, with
 * neighbouring threads along the dimension that is contiguous in memory. */
template <class T, int ROWS, int TILE_K, int PAD, int THREADS>
__device__ static inline void fetch (tile<T, TILE_K, ROWS + PAD> &s, global<const T> x, int64_t ld,
                                     bool along_k, bool conjugated, int64_t r0, int64_t rows,
                                     int64_t l0, int64_t k) {
#pragma unroll
  for (int e = threadIdx.x; e < ROWS * TILE_K; e += THREADS) {
    int r = along_k ? e / TILE_K : e % ROWS;
    int l = along_k ? e % TILE_K : e / ROWS;
    T value = {};
    if (r0 + r < rows && l0 + l < k)
      value = x[along_k ? l0 + l + (r0 + r) * ld : r0 + r + (l0 + l) * ld];
    s[l][r] = conjugated ? conjugate (value) : value;
  }
}

template <class T, int TILE_M, int TILE_N, int TILE_K, int THREAD_M, int THREAD_N>
__global__ void __launch_bounds__ (TILE_M / THREAD_M * TILE_N / THREAD_N)
    outer (int64_t m, int64_t n, int64_t k, T alpha, global<const T> A, int64_t lda, gpumm_op op_a,
           global<const T> B, int64_t ldb, gpumm_op op_b, T beta, global<T> C, int64_t ldc) {
  constexpr int THREADS_M = TILE_M / THREAD_M, THREADS_N = TILE_N / THREAD_N;
  constexpr int THREADS = THREADS_M * THREADS_N;
  /* The 32 banks of 4 bytes repeat every 128 bytes, and a row of the tile is a multiple of that.
   * The padding, 128 / TILE_K bytes, gives threads that write a column different banks. */
  constexpr int PAD = 128 / (TILE_K * (int) sizeof (T));
  SHARED (T, a, TILE_K, TILE_M + PAD); /* a[l][i] */
  SHARED (T, b, TILE_K, TILE_N + PAD); /* b[l][j] */

  int64_t tiles_down = (m + TILE_M - 1) / TILE_M;
  int64_t i0 = blockIdx.x % tiles_down * TILE_M, j0 = blockIdx.x / tiles_down * TILE_N;
  int i = threadIdx.x % THREADS_M, j = threadIdx.x / THREADS_M;

  T sum[THREAD_M][THREAD_N] = {};
  for (int64_t l0 = 0; l0 < k; l0 += TILE_K) {
    fetch<T, TILE_M, TILE_K, PAD, THREADS> (a, A, lda, op_a != GPUMM_NONE, op_a == GPUMM_CTRANSPOSE,
                                            i0, m, l0, k);
    fetch<T, TILE_N, TILE_K, PAD, THREADS> (b, B, ldb, op_b == GPUMM_NONE, op_b == GPUMM_CTRANSPOSE,
                                            j0, n, l0, k);
    __syncthreads (); /* the tiles are complete before a thread reads them */
#pragma unroll
    for (int l = 0; l < TILE_K; l++) {
      T x[THREAD_M], y[THREAD_N];
#pragma unroll
      for (int r = 0; r < THREAD_M; r++)
        x[r] = a[l][i + r * THREADS_M];
#pragma unroll
      for (int c = 0; c < THREAD_N; c++)
        y[c] = b[l][j + c * THREADS_N];
#pragma unroll
      for (int r = 0; r < THREAD_M; r++)
#pragma unroll
        for (int c = 0; c < THREAD_N; c++)
          multiply_add (sum[r][c], x[r], y[c]);
    }
    __syncthreads (); /* all threads have read before the next tiles overwrite */
  }

#pragma unroll
  for (int c = 0; c < THREAD_N; c++)
#pragma unroll
    for (int r = 0; r < THREAD_M; r++) {
      int64_t row = i0 + i + r * THREADS_M, column = j0 + j + c * THREADS_N;
      if (row < m && column < n)
        store (C, row + column * ldc, alpha, sum[r][c], beta);
    }
}

template <class T, int TILE_M, int TILE_N, int TILE_K, int THREAD_M, int THREAD_N>
static gpumm_status launch_register_as (int device, gpumm_stream *stream, const gpumm_product *p) {
  arguments<T> x (p);
  int64_t blocks = ceil_div (x.m, TILE_M) * ceil_div (x.n, TILE_N);
  int threads = TILE_M / THREAD_M * (TILE_N / THREAD_N);
  return LAUNCH ("register", (outer<T, TILE_M, TILE_N, TILE_K, THREAD_M, THREAD_N>), blocks,
                 dim3 (threads), device, stream, x.m, x.n, x.k, x.alpha, x.a, p->lda, p->op_a, x.b,
                 p->ldb, p->op_b, x.beta, x.c, p->ldc);
}

template <int TILE_M, int TILE_N, int TILE_K, int THREAD_M, int THREAD_N>
static gpumm_status launch_register (int device, gpumm_stream *stream, const gpumm_product *p) {
  WITH_TYPE (p->type, T,
             return (launch_register_as<T, TILE_M, TILE_N, TILE_K, THREAD_M, THREAD_N> (
                 device, stream, p)));
}

/* The larger tile needs a C of more than a hundred tiles to give every multiprocessor of a large
 * GPU work. On an H200 in double the smaller is 1.6 times as fast at 768, the larger 1.2 times at
 * 1024 (bench/results/h200/kernels.csv). A C of 1024 x 1024 is 256 large tiles, half of what an
 * H200 runs at once: C is not cut smaller than 2048 for transfers to overlap. */
FAMILY_ROWS (register) = {
    /* algorithm, name, types, tile m n k, thread m n, capability, from, runs, launch, workspace,
     * waits, smallest tile */
    {"register", "register_32x32x4", ALL_TYPES, 32, 32, 4, 4, 2, ANY_CAPABILITY, 0, NULL,
     launch_register<32, 32, 4, 4, 2>, NULL, 0, 2048},
    {"register", "register_64x64x8", ALL_TYPES, 64, 64, 8, 8, 4, ANY_CAPABILITY, 896, NULL,
     launch_register<64, 64, 8, 8, 4>, NULL, 0, 2048},
    {},
};

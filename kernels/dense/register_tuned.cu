/* register_tuned.cu - register.cu at the rate of the hardware.
 *
 * What it does: outer products of what lies in shared memory, summed in registers, as register.cu
 * does. Three things are different:
 *
 * - Everything moves in vectors of 16 bytes: from global memory, if pointer and leading dimension
 *   allow it (otherwise, and at the edges, element by element), and from shared memory. A thread's
 *   rows and columns of C are therefore neighbours in groups of a vector. The groups of a warp's 8
 *   x 4 threads lie side by side, so they come from different banks or are one read.
 * - Two buffers. The next tiles are fetched into registers before the products of the current ones
 *   begin, and go to the other buffer afterwards. The fetch overlaps with the products, and a step
 *   has one barrier instead of two.
 * - Larger tiles: up to 256 x 128, and 16 x 8 per thread: 6 reads of 16 bytes for 128
 *   multiply-adds.
 *
 * What limits it is the rate of instructions: one in six is not a multiply-add but reads, moves or
 * counts. Single precision only: double has tensor cores (tensor.cu).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

template <class T> struct alignas (16) vector {
  static constexpr int size = 16 / sizeof (T);
  T x[size];
};

/* op (A), or op (B) transposed: rows run along m, or n. */
template <class T> struct panel {
  const T *x;
  int64_t ld, rows;
  bool along_k, conjugated, aligned;

  panel (const void *p, int64_t p_ld, int64_t p_rows, bool p_along_k, gpumm_op op)
      : x ((const T *) p), ld (p_ld), rows (p_rows), along_k (p_along_k),
        conjugated (op == GPUMM_CTRANSPOSE),
        aligned ((uintptr_t) p % 16 == 0 && p_ld % vector<T>::size == 0) {
  }
};

/* A thread's part of each tile of a panel: COUNT vectors, the first with element (r, l) and those
 * after it in memory, the others NEXT_R to the right or NEXT_L down. Neighbouring threads have
 * neighbouring vectors. */
template <class T, int ROWS, int TILE_K, int THREADS> struct part {
  static constexpr int V = vector<T>::size, COUNT = ROWS * TILE_K / V / THREADS;
  static constexpr int NEXT_R = THREADS * V / TILE_K, NEXT_L = THREADS * V / ROWS;
  static_assert (NEXT_R *TILE_K == THREADS * V && NEXT_L * ROWS == THREADS * V, "whole vectors");
  const T *from;
  int64_t ld;
  int rows, r, l;
  bool along_k, conjugated, aligned;
  vector<T> v[COUNT];

  __device__ inline part (const panel<T> &x, int64_t r0)
      : ld (x.ld), rows ((int) (x.rows - r0 < ROWS ? x.rows - r0 : ROWS)), along_k (x.along_k),
        conjugated (x.conjugated), aligned (x.aligned) {
    r = along_k ? threadIdx.x / (TILE_K / V) : threadIdx.x % (ROWS / V) * V;
    l = along_k ? threadIdx.x % (TILE_K / V) * V : threadIdx.x / (ROWS / V);
    from = x.x + (along_k ? l + (r0 + r) * ld : r0 + r + l * ld);
  }

  /* Reads the part, with zeros past the edges and past the last step along k; moves to the next. */
  __device__ inline void fetch (int64_t left) {
    int64_t next = ld * (along_k ? NEXT_R : NEXT_L);
    if (rows == ROWS && left >= TILE_K) {
      if (aligned)
#pragma unroll
        for (int c = 0; c < COUNT; c++)
          v[c] = *(const vector<T> *) (from + c * next);
      else
#pragma unroll
        for (int c = 0; c < COUNT; c++)
#pragma unroll
          for (int e = 0; e < V; e++)
            v[c].x[e] = from[c * next + e];
    } else {
      int steps = left < TILE_K ? (int) left : TILE_K;
#pragma unroll
      for (int c = 0; c < COUNT; c++)
#pragma unroll
        for (int e = 0; e < V; e++) {
          bool inside = along_k ? r + c * NEXT_R < rows && l + e < steps
                                : r + e < rows && l + c * NEXT_L < steps;
          v[c].x[e] = inside ? from[c * next + e] : T{};
        }
    }
    from += along_k ? TILE_K : TILE_K * ld;
  }

  /* Writes the part to shared memory as s[l][r]; a vector along k is transposed. */
  template <int PITCH> __device__ inline void put (T (&s)[TILE_K][PITCH]) {
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
      if (conjugated)
#pragma unroll
        for (int e = 0; e < V; e++)
          v[c].x[e] = conjugate (v[c].x[e]);
      if (along_k)
#pragma unroll
        for (int e = 0; e < V; e++)
          s[l + e][r + c * NEXT_R] = v[c].x[e];
      else
        *(vector<T> *) &s[l + c * NEXT_L][r] = v[c];
    }
  }
};

template <class T, int TILE_M, int TILE_N, int TILE_K, int THREAD_M, int THREAD_N, int BLOCKS>
__global__ void __launch_bounds__ (TILE_M / THREAD_M * (TILE_N / THREAD_N), BLOCKS)
    outer_tuned (panel<T> A, panel<T> B, int64_t k, T alpha, T beta, T *C, int64_t ldc) {
  constexpr int THREADS = TILE_M / THREAD_M * (TILE_N / THREAD_N);
  constexpr int V = vector<T>::size;
  constexpr int LANES_M = 8, LANES_N = 4; /* a warp's threads */
  constexpr int WARPS_M = TILE_M / (LANES_M * THREAD_M);
  /* A row of the tile is a multiple of the 32 banks. Padding by one vector, the least that reads of
   * vectors allow, gives threads that write a column different banks. */
  __shared__ __align__ (16) T a[2][TILE_K][TILE_M + V]; /* a[.][l][i] */
  __shared__ __align__ (16) T b[2][TILE_K][TILE_N + V]; /* b[.][l][j] */

  int64_t tiles_down = (A.rows + TILE_M - 1) / TILE_M;
  int64_t i0 = blockIdx.x % tiles_down * TILE_M, j0 = blockIdx.x / tiles_down * TILE_N;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int i = warp % WARPS_M * (LANES_M * THREAD_M) + lane % LANES_M * V;
  int j = warp / WARPS_M * (LANES_N * THREAD_N) + lane / LANES_M * V;

  T sum[THREAD_M][THREAD_N] = {};
  part<T, TILE_M, TILE_K, THREADS> next_a (A, i0);
  part<T, TILE_N, TILE_K, THREADS> next_b (B, j0);
  int now = 1;
  for (int64_t l0 = 0; l0 < k + TILE_K; l0 += TILE_K) {
    if (l0 < k) {
      next_a.fetch (k - l0);
      next_b.fetch (k - l0);
    }
    if (l0 > 0) {
#pragma unroll
      for (int l = 0; l < TILE_K; l++) {
        vector<T> x[THREAD_M / V], y[THREAD_N / V];
#pragma unroll
        for (int r = 0; r < THREAD_M / V; r++)
          x[r] = *(const vector<T> *) &a[now][l][i + r * (LANES_M * V)];
#pragma unroll
        for (int c = 0; c < THREAD_N / V; c++)
          y[c] = *(const vector<T> *) &b[now][l][j + c * (LANES_N * V)];
#pragma unroll
        for (int c = 0; c < THREAD_N; c++)
#pragma unroll
          for (int r = 0; r < THREAD_M; r++)
            multiply_add (sum[r][c], x[r / V].x[r % V], y[c / V].x[c % V]);
      }
    }
    if (l0 < k) {
      now ^= 1;
      next_a.put (a[now]);
      next_b.put (b[now]);
      __syncthreads (); /* these tiles are complete, and all threads have read those before */
    }
  }

#pragma unroll
  for (int c = 0; c < THREAD_N; c++)
#pragma unroll
    for (int r = 0; r < THREAD_M; r++) {
      int64_t row = i0 + i + r / V * (LANES_M * V) + r % V;
      int64_t column = j0 + j + c / V * (LANES_N * V) + c % V;
      if (row < A.rows && column < B.rows)
        store<T> (C, row + column * ldc, alpha, sum[r][c], beta);
    }
}

template <class T, int TILE_M, int TILE_N, int TILE_K, int THREAD_M, int THREAD_N, int BLOCKS>
static gpumm_status launch_as (int device, gpumm_stream *stream, const gpumm_product *p) {
  arguments<T> x (p);
  panel<T> a (p->a, p->lda, p->m, p->op_a != GPUMM_NONE, p->op_a);
  panel<T> b (p->b, p->ldb, p->n, p->op_b == GPUMM_NONE, p->op_b);
  int64_t blocks = ceil_div (x.m, TILE_M) * ceil_div (x.n, TILE_N);
  int threads = TILE_M / THREAD_M * (TILE_N / THREAD_N);
  return LAUNCH ("register_tuned",
                 (outer_tuned<T, TILE_M, TILE_N, TILE_K, THREAD_M, THREAD_N, BLOCKS>), blocks,
                 threads, device, stream, a, b, x.k, x.alpha, x.beta, x.c, p->ldc);
}

static gpumm_status launch_64x64x16 (int device, gpumm_stream *stream, const gpumm_product *p) {
  if (p->type == GPUMM_S)
    return launch_as<float, 64, 64, 16, 8, 4, 2> (device, stream, p);
  if (p->type == GPUMM_C)
    return launch_as<complex<float>, 64, 64, 16, 8, 4, 2> (device, stream, p);
  return gpumm_driver_fail (GPUMM_UNSUPPORTED, "register_64x64x16: not for elements of type %d",
                            (int) p->type);
}

static gpumm_status launch_256x128x8 (int device, gpumm_stream *stream, const gpumm_product *p) {
  if (p->type == GPUMM_S)
    return launch_as<float, 256, 128, 8, 16, 8, 1> (device, stream, p);
  return gpumm_driver_fail (GPUMM_UNSUPPORTED, "register_256x128x8: not for elements of type %d",
                            (int) p->type);
}

enum { S = 1 << GPUMM_S, C = 1 << GPUMM_C };

/* On an H200 64 x 64 is 2.3 times as fast as register.cu's from 512 on in single and 1.3 times from
 * 1024 on in complex. 256 x 128 is 1.2 times as fast as 64 x 64 from 1536 on and has 83 % of
 * cuBLAS's rate at 4096, but falls behind where a few tiles more than fill the GPU, as at 2049
 * (bench/results/h200/shapes.csv). */
FAMILY_ROWS (register_tuned) = {
    /* algorithm, name, types, tile m n k, thread m n, capability, from, runs, launch */
    {"register", "register_64x64x16", S | C, 64, 64, 16, 8, 4, ANY_CAPABILITY, 512, NULL,
     launch_64x64x16},
    {"register", "register_256x128x8", S, 256, 128, 8, 16, 8, ANY_CAPABILITY, 1536, NULL,
     launch_256x128x8},
    {},
};

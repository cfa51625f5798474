/* lessons.cu - small kernels with known faults and known counts.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lessons.h"
#include "kernel.h"

/* ---- barriers ----------------------------------------------------------------------------- */

__global__ void reverse (global<const double> x, global<double> y, int with_barrier) {
  SHARED (double, s, 1, LESSON_THREADS);
  int i = threadIdx.x;
  s[0][i] = x[i];
  if (with_barrier)
    __syncthreads ();
  double value = s[0][LESSON_THREADS - 1 - i];
  y[i] = value;
}

gpumm_status lesson_reverse (const double *x, double *y, int with_barrier) {
  return LAUNCH ("reverse", reverse, 1, LESSON_THREADS, 0, NULL, x, y, with_barrier);
}

__global__ void diverge (int how) {
  bool strays = blockIdx.x == 1 && threadIdx.x >= 5;
  __syncthreads ();
  if (strays && how == LEAVES)
    return;
  if (strays && how == OTHER_BARRIER)
    __syncthreads ();
  else
    __syncthreads ();
  for (int turn = strays && how == FEWER_TURNS ? 1 : 0; turn < 3; turn++)
    __syncthreads ();
}

gpumm_status lesson_diverge (int how) {
  return LAUNCH ("diverge", diverge, 3, LESSON_THREADS, 0, NULL, how);
}

/* ---- memory ------------------------------------------------------------------------------- */

__global__ void unwritten (global<double> y) {
  SHARED (double, s, 1, LESSON_THREADS);
  double value = s[0][threadIdx.x];
  y[threadIdx.x] = value;
}

gpumm_status lesson_unwritten (double *y) {
  return LAUNCH ("unwritten", unwritten, 1, LESSON_THREADS, 0, NULL, y);
}

__global__ void too_much (void) {
  SHARED (double, s, 64, 64);
  SHARED (double, t, 64, 64);
  s[0][0] = 0.0;
  t[0][0] = 0.0;
}

gpumm_status lesson_too_much (void) {
  return LAUNCH ("too_much", too_much, 1, 1, 0, NULL);
}

__global__ void stacks (global<double> y) {
  double own[256];
  for (int i = 0; i < 256; i++)
    own[i] = threadIdx.x + i;
  __syncthreads ();
  double sum = 0;
  for (int i = 0; i < 256; i++)
    sum += own[i];
  y[threadIdx.x] = sum;
}

gpumm_status lesson_stacks (double *y) {
  return LAUNCH ("stacks", stacks, 1, 1024, 0, NULL, y);
}

__global__ void overrun (int last) {
  double own[8];
  for (int i = 0; i < 8; i++)
    own[i] = threadIdx.x;
  __syncthreads ();
  *(volatile double *) &own[last] = 0;
}

gpumm_status lesson_overrun (int last) {
  return LAUNCH ("overrun", overrun, 1, 32, 0, NULL, last);
}

/* ---- counts ------------------------------------------------------------------------------- */

template <int COLUMNS> __global__ void banks (global<float> y) {
  SHARED (float, s, 32, COLUMNS);
  int i = threadIdx.x, j = threadIdx.y;
  s[j][i] = (float) (i + 32 * j);
  __syncthreads ();
  float value = s[i][j];
  y[i + 32 * j] = value;
}

gpumm_status lesson_banks (float *y, int padded) {
  if (padded)
    return LAUNCH ("banks", banks<33>, 1, dim3 (32, 32), 0, NULL, y);
  return LAUNCH ("banks", banks<32>, 1, dim3 (32, 32), 0, NULL, y);
}

__global__ void strided (global<const float> x, global<float> y, int stride, int offset, int most) {
  int i = threadIdx.x;
  if (i < most) {
    float value = x[offset + i * stride];
    y[i] = value;
  }
}

gpumm_status lesson_strided (const float *x, float *y, int stride, int offset, int most) {
  return LAUNCH ("strided", strided, 1, 32, 0, NULL, x, y, stride, offset, most);
}

__global__ void nothing (void) {
}

gpumm_status lesson_launch (int64_t blocks, int threads) {
  return LAUNCH ("nothing", nothing, blocks, threads, 0, NULL);
}

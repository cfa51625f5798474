/* tensor_products.h - double precision on tensor cores: the instruction, and copies beside it.
 *
 * From compute capability 8.0 on; files that include this guard its use for older GPUs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TENSOR_PRODUCTS_H
#define GPUMM_TENSOR_PRODUCTS_H

#include "kernel.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/* ---- asynchronous copies ------------------------------------------------------------------ */

/* Starts a copy of BYTES (4, 8 or 16) to shared memory. Only the first `inside` bytes are read, the
 * others become zeros. */
template <int BYTES>
__device__ static inline void start_copy (unsigned to, const void *from, int inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
               :
               : "r"(to), "l"(from), "n"(BYTES), "r"(inside));
}

__device__ static inline void end_group (void) {
  asm volatile("cp.async.commit_group;" : : : "memory");
}

template <int GROUPS> __device__ static inline void wait_groups (void) {
  asm volatile("cp.async.wait_group %0;" : : "n"(GROUPS) : "memory");
}

/* ---- products ----------------------------------------------------------------------------- */

__device__ static inline void multiply_add_8x8 (double &c0, double &c1, double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c0), "+d"(c1)
      : "d"(a), "d"(b));
}

/* A warp's c += a b, 8 x 4 by 4 x 8: thread 4 g + t holds a(g, t), b(t, g), c(g, 2 t) and c(g, 2 t
 * + 1). */
__device__ static inline void multiply_add (double (&c)[2], const double (&a)[1],
                                            const double (&b)[1], int = 0) {
  multiply_add_8x8 (c[0], c[1], a[0], b[0]);
}

/* 16 x 4 by 4 x 8: two of these one above the other. Twice as fast on compute capability 9.0 (66
 * against 33 TFLOPS on an H200). */
__device__ static inline void multiply_add (double (&c)[4], const double (&a)[2],
                                            const double (&b)[1], int = 0) {
#if __CUDA_ARCH__ == 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, "
      "%2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#else
  multiply_add_8x8 (c[0], c[1], a[0], b[0]);
  multiply_add_8x8 (c[2], c[3], a[1], b[0]);
#endif
}

/* 16 x 8 by 8 x 8: thread 4 g + t holds of a rows g and g + 8 (fast) of columns t and t + 4, of b
 * rows t and t + 4 of column g, of c columns 2 t and 2 t + 1 (fast) of rows g and g + 8. */
__device__ static inline void multiply_add (double (&c)[4], const double (&a)[4],
                                            const double (&b)[2], int = 0) {
#if __CUDA_ARCH__ == 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  multiply_add_8x8 (c[0], c[1], a[0], b[0]);
  multiply_add_8x8 (c[2], c[3], a[1], b[0]);
  multiply_add_8x8 (c[0], c[1], a[2], b[1]);
  multiply_add_8x8 (c[2], c[3], a[3], b[1]);
#endif
}

/* The same of complex numbers by their parts, without the imaginary parts of real factors
 * (real_factors). */
template <int C, int A, int B>
__device__ static inline void multiply_add (complex<double> (&c)[C], const complex<double> (&a)[A],
                                            const complex<double> (&b)[B], int real = 0) {
  double re[C], im[C], a_re[A], a_im[A], b_re[B], b_im[B];
#pragma unroll
  for (int i = 0; i < A; i++)
    a_re[i] = a[i].re, a_im[i] = a[i].im;
#pragma unroll
  for (int i = 0; i < B; i++)
    b_re[i] = b[i].re, b_im[i] = b[i].im;
#pragma unroll
  for (int i = 0; i < C; i++)
    re[i] = c[i].re, im[i] = c[i].im;
  multiply_add (re, a_re, b_re);
  if (!(real & REAL_B))
    multiply_add (im, a_re, b_im);
  if (!real) {
#pragma unroll
    for (int i = 0; i < B; i++)
      b_im[i] = -b_im[i];
    multiply_add (re, a_im, b_im);
  }
  if (!(real & REAL_A))
    multiply_add (im, a_im, b_re);
#pragma unroll
  for (int i = 0; i < C; i++)
    c[i] = {re[i], im[i]};
}

#endif

#endif

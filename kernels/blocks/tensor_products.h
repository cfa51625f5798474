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

/* A warp's c += a b, 8 x 4 by 4 x 8: thread 4 g + t holds a(g, t), b(t, g), c(g, 2 t) and c(g, 2 t
 * + 1). */
__device__ static inline void multiply_add_8x8 (double &c0, double &c1, double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c0), "+d"(c1)
      : "d"(a), "d"(b));
}

/* A warp's c += a b, 16 x 4 by 4 x 8: two of these one above the other; c2, c3 and a1 are the lower
 * one's. Twice as fast on compute capability 9.0 (66 against 33 TFLOPS on an H200). */
__device__ static inline void multiply_add_16x8 (double &c0, double &c1, double &c2, double &c3,
                                                 double a0, double a1, double b) {
#if __CUDA_ARCH__ == 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, "
      "%2, %3};"
      : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
      : "d"(a0), "d"(a1), "d"(b));
#else
  multiply_add_8x8 (c0, c1, a0, b);
  multiply_add_8x8 (c2, c3, a1, b);
#endif
}

/* A warp's c += a b, 16 x 8 by 8 x 8: thread 4 g + t holds of a rows g and g + 8 (fast) of columns
 * t and t + 4, of b rows t and t + 4 of column g, of c columns 2 t and 2 t + 1 (fast) of rows g and
 * g + 8. */
__device__ static inline void tensor_multiply_add (double &c0, double &c1, double &c2, double &c3,
                                                   double a0, double a1, double a2, double a3,
                                                   double b0, double b1) {
#if __CUDA_ARCH__ == 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
      : "d"(a0), "d"(a1), "d"(a2), "d"(a3), "d"(b0), "d"(b1));
#else
  multiply_add_8x8 (c0, c1, a0, b0);
  multiply_add_8x8 (c2, c3, a1, b0);
  multiply_add_8x8 (c0, c1, a2, b1);
  multiply_add_8x8 (c2, c3, a3, b1);
#endif
}

/* The same with arrays; complex numbers by their parts, without the imaginary parts of real factors
 * (real_factors). */
__device__ static inline void multiply_add (double (&c)[4], const double (&a)[4],
                                            const double (&b)[2], int = 0) {
  tensor_multiply_add (c[0], c[1], c[2], c[3], a[0], a[1], a[2], a[3], b[0], b[1]);
}

__device__ static inline void multiply_add (complex<double> (&c)[4], const complex<double> (&a)[4],
                                            const complex<double> (&b)[2], int real = 0) {
  tensor_multiply_add (c[0].re, c[1].re, c[2].re, c[3].re, a[0].re, a[1].re, a[2].re, a[3].re,
                       b[0].re, b[1].re);
  if (!(real & REAL_B))
    tensor_multiply_add (c[0].im, c[1].im, c[2].im, c[3].im, a[0].re, a[1].re, a[2].re, a[3].re,
                         b[0].im, b[1].im);
  if (!real)
    tensor_multiply_add (c[0].re, c[1].re, c[2].re, c[3].re, a[0].im, a[1].im, a[2].im, a[3].im,
                         -b[0].im, -b[1].im);
  if (!(real & REAL_A))
    tensor_multiply_add (c[0].im, c[1].im, c[2].im, c[3].im, a[0].im, a[1].im, a[2].im, a[3].im,
                         b[0].re, b[1].re);
}

__device__ static inline void multiply_add_8x8 (double (&c)[2], double a, double b, int = 0) {
  multiply_add_8x8 (c[0], c[1], a, b);
}

/* c above d */
__device__ static inline void multiply_add_16x8 (double (&c)[2], double (&d)[2], double a0,
                                                 double a1, double b, int = 0) {
  multiply_add_16x8 (c[0], c[1], d[0], d[1], a0, a1, b);
}

__device__ static inline void multiply_add_16x8 (complex<double> (&c)[2], complex<double> (&d)[2],
                                                 complex<double> a0, complex<double> a1,
                                                 complex<double> b, int real = 0) {
  multiply_add_16x8 (c[0].re, c[1].re, d[0].re, d[1].re, a0.re, a1.re, b.re);
  if (!(real & REAL_B))
    multiply_add_16x8 (c[0].im, c[1].im, d[0].im, d[1].im, a0.re, a1.re, b.im);
  if (!real)
    multiply_add_16x8 (c[0].re, c[1].re, d[0].re, d[1].re, a0.im, a1.im, -b.im);
  if (!(real & REAL_A))
    multiply_add_16x8 (c[0].im, c[1].im, d[0].im, d[1].im, a0.im, a1.im, b.re);
}

__device__ static inline void multiply_add_8x8 (complex<double> (&c)[2], complex<double> a,
                                                complex<double> b, int real = 0) {
  multiply_add_8x8 (c[0].re, c[1].re, a.re, b.re);
  if (!(real & REAL_B))
    multiply_add_8x8 (c[0].im, c[1].im, a.re, b.im);
  if (!real)
    multiply_add_8x8 (c[0].re, c[1].re, a.im, -b.im);
  if (!(real & REAL_A))
    multiply_add_8x8 (c[0].im, c[1].im, a.im, b.re);
}

#endif

#endif

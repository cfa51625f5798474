/* product.h - from the products of residues to C, and the products that the choice of moduli needs.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_EMULATED_PRODUCT_H
#define GPUMM_EMULATED_PRODUCT_H

#include "operand.h"

/* ---- the error of native arithmetic ------------------------------------------------------- */

/* s + a b in native arithmetic, and the square of its error. */
__device__ static inline double rounded_add (double s, double a, double b, double *squares) {
  double exact_high = a * b, exact_low = fma (a, b, -exact_high);
  double sum = fma (a, b, s);
  double high = exact_high + s, other = high - exact_high;
  double low = (exact_high - (high - other)) + (s - other);
  double error = ((high - sum) + low) + exact_low;
  *squares += error * error;
  return sum;
}

__device__ static inline float rounded_add (float s, float a, float b, double *squares) {
  float sum = fmaf (a, b, s);
  double error = ((double) a * (double) b + (double) s) - (double) sum;
  *squares += error * error;
  return sum;
}

template <class R> __device__ static inline R scaled (R x, int e) {
  return scalbn (x, e);
}

template <class R> __device__ static inline complex<R> scaled (complex<R> z, int e) {
  return {scaled (z.re, e), scaled (z.im, e)};
}

/* One term of a dot product; of the real part if it is complex. */
template <class R> __device__ static inline R native_step (R s, R a, R b, double *squares) {
  return rounded_add (s, a, b, squares);
}

template <class R>
__device__ static inline R native_step (R s, complex<R> a, complex<R> b, double *squares) {
  return rounded_add (rounded_add (s, a.re, b.re, squares), -a.im, b.im, squares);
}

template <class R> __device__ static inline double magnitude (R x) {
  return fabs ((double) x);
}

template <class R> __device__ static inline double magnitude (complex<R> z) {
  return sqrt ((double) z.re * (double) z.re + (double) z.im * (double) z.im);
}

template <class T> struct real_part { typedef T type; };

template <class R> struct real_part<complex<R>> { typedef R type; };

/* Read back before the moduli are chosen: the facts about both operands, and the error of each
 * sample. */
static const int64_t MOST_SAMPLES = 512;

struct findings {
  operand_record a, b;
  double errors[MOST_SAMPLES];
};

/* Computes dot products of random rows and columns (always the same ones) in the type's own
 * arithmetic, one per warp: the sum of the squares of each step's rounding error, over (|a||b|)^2.
 * Vectors are scaled first, so that nothing overflows. A lane sums a part of the products. It
 * starts again after stretch terms, like a library that splits k; with stretch 0 each lane
 * continues from the sum of the lanes before. The records are passed on. */
template <class T>
__global__ void __launch_bounds__ (32)
    sample_native (operand_view<T> a, operand_view<T> b, const operand_record *of_a,
                   const operand_record *of_b, const int *top_a, const int *top_b, int64_t stretch,
                   findings *found) {
  typedef typename real_part<T>::type R;
  int64_t i = (int64_t) (scramble (2 * blockIdx.x) % (uint64_t) a.count);
  int64_t j = (int64_t) (scramble (2 * blockIdx.x + 1) % (uint64_t) b.count);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    found->a = *of_a;
    found->b = *of_b;
  }
  if (top_a[i] == NO_TOP || top_b[j] == NO_TOP) {
    found->errors[blockIdx.x] = 0;
    return;
  }
  int64_t each = (a.k + 31) / 32, begin = threadIdx.x * each, end = min (begin + each, a.k);
  double squares = 0, sizes = 0;
  R sum = 0;
  for (int64_t l = begin; l < end; l++) {
    if (stretch > 0 && (l - begin) % stretch == 0)
      sum = 0;
    T x = scaled (a.at (i, l), -top_a[i]), y = scaled (b.at (j, l), -top_b[j]);
    sizes += magnitude (x) * magnitude (y);
    sum = native_step (sum, x, y, &squares);
  }
  if (stretch == 0) {
    squares = 0;
    R before = 0;
    for (int lane = 0; lane < 31; lane++) {
      R of_lane = __shfl_sync (0xffffffffu, sum, lane);
      if (lane < (int) threadIdx.x)
        before += of_lane;
    }
    for (int64_t l = begin; l < end; l++)
      before = native_step (before, scaled (a.at (i, l), -top_a[i]),
                            scaled (b.at (j, l), -top_b[j]), &squares);
  }
  squares = warp_sum (squares);
  sizes = warp_sum (sizes);
  if (threadIdx.x == 0)
    found->errors[blockIdx.x] = squares > 0 ? squares / (sizes * sizes) : 0;
}

/* ---- the guard ---------------------------------------------------------------------------- */

/* From the product r of levels of roots, kappa_a and kappa_b of choice.h at their largest: t is at
 * least (128 r / 127^2)^2 over the number of products that are not 0, by Cauchy and Schwarz. If r
 * is 0 they are infinite, unless no nonzero elements of the two vectors meet: then C_ij is 0
 * without an error. units: of r. */
__global__ void __launch_bounds__ (EMULATED_THREADS) static find_kappas (
    product_planes r, bool masked, int64_t k, float units, operand_vectors a, int64_t i0,
    operand_vectors b, int64_t j0, kappas *worst) {
  float largest_a = a.facts->norm - FACT_OFFSET, largest_b = b.facts->norm - FACT_OFFSET;
  float kappa_a = 0, kappa_b = 0;
  int64_t all = r.rows * r.cols, step = (int64_t) gridDim.x * EMULATED_THREADS;
  for (int64_t e = blockIdx.x * (int64_t) EMULATED_THREADS + threadIdx.x; e < all; e += step) {
    int64_t i = e % r.rows, j = e / r.rows;
    float w_a = a.weight[i0 + i], w_b = b.weight[j0 + j];
    float roots = (float) r.d[j * r.ld + i] * units * (128 / (127.0f * 127.0f));
    float terms = masked ? (float) r.d[r.plane + j * r.ld + i] : w_a > 0 && w_b > 0 ? (float) k : 0;
    if (terms == 0)
      continue;
    float each = terms / (roots * roots) * 1.0001f;
    kappa_a = fmaxf (kappa_a, exp2f (-(float) more_bits (largest_a, a.norm[i0 + i])) * w_b * each);
    kappa_b = fmaxf (kappa_b, exp2f (-(float) more_bits (largest_b, b.norm[j0 + j])) * w_a * each);
  }
  int bits_a = warp_max (__float_as_int (kappa_a)), bits_b = warp_max (__float_as_int (kappa_b));
  if (threadIdx.x % 32 == 0) {
    raise_to (&worst->a, bits_a);
    raise_to (&worst->b, bits_b);
  }
}

/* ---- C ------------------------------------------------------------------------------------ */

/* d modulo p in place, so that more products can be added. */
static __global__ void __launch_bounds__ (EMULATED_THREADS)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    reduce_planes (product_planes planes, int64_t total, const crt_table t) {
  int64_t e = (blockIdx.x * (int64_t) EMULATED_THREADS + threadIdx.x) * 4;
  if (e >= total)
    return;
  int p = (int) (e / planes.plane) % t.count;
  int4 *d = (int4 *) (planes.d + e);
  int4 x = *d;
  *d = make_int4 (reduce (x.x, t, p), reduce (x.y, t, p), reduce (x.z, t, p), reduce (x.w, t, p));
}

__device__ static inline void load (int (&x)[4], const int32_t *p) {
  int4 y = __ldcs ((const int4 *) p);
  x[0] = y.x;
  x[1] = y.y;
  x[2] = y.z;
  x[3] = y.w;
}

__device__ static inline void load (int (&x)[2], const int32_t *p) {
  int2 y = __ldcs ((const int2 *) p);
  x[0] = y.x;
  x[1] = y.y;
}

/* C = alpha C' 2^(-e_i - f_j) + beta C of a panel: ROWS of a column per thread. Complex products
 * are computed from three: (a + i b) (c + i d) = (a c - b d) + i ((a + b) (c + d) - a c - b d),
 * which is exact modulo p (as in arXiv 2512.08321). */
template <class T, int LIMBS, int ROWS>
__global__ void __launch_bounds__ (EMULATED_THREADS)
    /* cppcheck-suppress passedByValue; a kernel's parameters are */
    reconstruct (product_planes planes, const crt_table t, const int *e, const int *f, T alpha,
                 T beta, T *C, int64_t ldc) {
  constexpr int PARTS = part_count<T>::VALUE;
  uint32_t groups = (uint32_t) ((planes.rows + ROWS - 1) / ROWS);
  uint32_t at = blockIdx.x * EMULATED_THREADS + threadIdx.x;
  int64_t j = at / groups, i = (int64_t) (at % groups) * ROWS;
  if (j >= planes.cols)
    return;
  wide<LIMBS> sum[PARTS][ROWS] = {};
  const int32_t *d = planes.d + j * planes.ld + i;
#pragma unroll 2
  for (int p = 0; p < t.count; p++, d += planes.plane) {
    int x[ROWS];
    load (x, d);
    if (PARTS == 1) {
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        add_residue (sum[0][r], reduce (x[r], t, p), t, p);
    } else {
      int y[ROWS], z[ROWS];
      load (y, d + t.count * planes.plane);
      load (z, d + 2 * t.count * planes.plane);
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        int ac = reduce (x[r], t, p), bd = reduce (y[r], t, p), all = reduce (z[r], t, p);
        add_residue (sum[0][r], ac - bd, t, p);
        add_residue (sum[1 % PARTS][r], all - ac - bd, t, p);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    if (i + r < planes.rows) {
      double value[2] = {0, 0};
#pragma unroll
      for (int part = 0; part < PARTS; part++) {
        int exponent;
        double x = to_double (sum[part][r], t, &exponent);
        value[part] = scale_by_power (x, exponent - e[i + r] - f[j]);
      }
      T element;
      set (element, value[0], value[1]);
      store (global<T> (C), i + r + j * ldc, alpha, element, beta);
    }
}

template <class T, int LIMBS = 2>
static gpumm_status reconstruct_panel (int device, gpumm_stream *stream,
                                       const product_planes &planes, const crt_table &t,
                                       const int *e, const int *f, T alpha, T beta, T *c,
                                       int64_t ldc) {
  if constexpr (LIMBS < MOST_LIMBS)
    if (t.limbs > LIMBS)
      return reconstruct_panel<T, LIMBS + 1> (device, stream, planes, t, e, f, alpha, beta, c, ldc);
  constexpr int ROWS = part_count<T>::VALUE == 1 ? 4 : 2;
  return LAUNCH ("reconstruct", (reconstruct<T, LIMBS, ROWS>),
                 ceil_div (ceil_div (planes.rows, ROWS) * planes.cols, EMULATED_THREADS),
                 dim3 (EMULATED_THREADS), device, stream, planes, t, e, f, alpha, beta, c, ldc);
}

#endif

/* kernel.h - what a kernel file includes.
 *
 * One source, two compilers: nvcc makes it a kernel of the CUDA driver, the host's C++ compiler
 * one of the host device, where the threads of a block are fibers. cuda/launch.h and
 * host/launch.h define the same few words for each:
 *
 *   global<T>           pointer to device memory; reads and writes as A[i + j * lda]
 *   element_index       an index of A; on the host it knows the line that made it
 *   SHARED (T, x, r, c) declares x[r][c] in the block's shared memory, only at a kernel's top
 *   tile<T, r, c> &     such an array as a parameter
 *   LAUNCH (name, kernel, blocks, threads, device, stream, arguments...)
 *                       starts it and returns a status; name is for error texts
 *   atomic_or (x, y)    x |= y in one step, for x an element of memory; returns the old x
 *   atomic_max (x, y)   x = y in one step if y is larger, for x an element of memory
 *   atomic_add (x, y)   x += y in one step, for x in memory by a plain pointer
 *   COUNT_OPERATIONS (n) adds n operations on reals to the host device's counts
 *
 * On the host A[i] is an object that counts accesses: copy an element to a variable of type T
 * before passing it to a template. Everything else is CUDA C: __global__, threadIdx, __syncthreads
 * ().
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_KERNEL_H
#define GPUMM_KERNEL_H

#include "driver.h"
#ifdef __CUDACC__
#include "cuda/launch.h"
#else
#include "host/launch.h"
#endif
#include <math.h>

#define DEVICE __host__ __device__ static inline /* a function of kernels */

/* ---- element types ------------------------------------------------------------------------ */

/* Interleaved, as in Octave and BLAS. An aggregate, so that it can be in shared memory, and aligned
 * to its size, so that it is read in one access. */
template <class R> struct alignas (2 * sizeof (R)) complex { R re, im; };

/* Runs statement, which must return, with T the element type; any other type is an error. */
#define WITH_TYPE(type, T, statement)                                                              \
  do                                                                                               \
    switch (type) {                                                                                \
    case GPUMM_S: {                                                                                \
      typedef float T;                                                                             \
      statement;                                                                                   \
    }                                                                                              \
    case GPUMM_D: {                                                                                \
      typedef double T;                                                                            \
      statement;                                                                                   \
    }                                                                                              \
    case GPUMM_C: {                                                                                \
      typedef complex<float> T;                                                                    \
      statement;                                                                                   \
    }                                                                                              \
    case GPUMM_Z: {                                                                                \
      typedef complex<double> T;                                                                   \
      statement;                                                                                   \
    }                                                                                              \
    default:                                                                                       \
      return gpumm_driver_fail (GPUMM_UNSUPPORTED, "no kernel multiplies elements of type %d",     \
                                (int) (type));                                                     \
    }                                                                                              \
  while (0)

/* ---- arithmetic --------------------------------------------------------------------------- */

template <class R> DEVICE void set (R &to, double re, double) {
  to = (R) re;
}

template <class R> DEVICE void set (complex<R> &to, double re, double im) {
  to = {(R) re, (R) im};
}

template <class R> DEVICE R conjugate (R x) {
  return x;
}

template <class R> DEVICE complex<R> conjugate (complex<R> x) {
  return {x.re, -x.im};
}

/* Which factors are real but stored as complex numbers. */
enum { REAL_A = 1, REAL_B = 2 };

DEVICE int real_factors (const gpumm_sparse_product &p) {
  return (p.real_a ? REAL_A : 0) | (p.real_b ? REAL_B : 0);
}

/* sum += a b; nvcc makes each line a fused multiply-add. Complex by four real products, which round
 * and spread NaN and Inf as the formula says. A real factor multiplies both parts of the other: Inf
 * and NaN in one part of the other factor do not reach the other part of the sum. */
template <class T> DEVICE void multiply_add (T &sum, T a, T b, int = 0) {
  COUNT_OPERATIONS (2);
  sum += a * b;
}

template <class R>
DEVICE void multiply_add (complex<R> &sum, complex<R> a, complex<R> b, int real = 0) {
  multiply_add (sum.re, a.re, b.re);
  if (!(real & REAL_B))
    multiply_add (sum.im, a.re, b.im);
  if (!real)
    multiply_add (sum.re, a.im, -b.im);
  if (!(real & REAL_A))
    multiply_add (sum.im, a.im, b.re);
}

/* s x; a real s multiplies both parts, so that 1 x is x even if x holds Inf. Fused operations are
 * written out, so that every copy of the code rounds in the same way. */
template <class T> DEVICE T scale (T s, T x) {
  return s * x;
}

template <class R> DEVICE complex<R> scale (complex<R> s, complex<R> x) {
  if (s.im == 0)
    return {s.re * x.re, s.re * x.im};
  return {fma (s.re, x.re, -(s.im * x.im)), fma (s.re, x.im, s.im * x.re)};
}

template <class T> DEVICE T add (T x, T y) {
  COUNT_OPERATIONS (1);
  return x + y;
}

template <class R> DEVICE complex<R> add (complex<R> x, complex<R> y) {
  COUNT_OPERATIONS (2);
  return {x.re + y.re, x.im + y.im};
}

/* x y, rounded before anything is added: never part of a fused multiply-add. Sparse products need
 * this, so that the same elements cancel as in Octave's *. */
__device__ static inline float rounded_product (float x, float y) {
  COUNT_OPERATIONS (1);
  return __fmul_rn (x, y);
}

__device__ static inline double rounded_product (double x, double y) {
  COUNT_OPERATIONS (1);
  return __dmul_rn (x, y);
}

/* A part of an infinite number: 1 if it is infinite, else 0, with its sign. */
template <class R> DEVICE R boxed (R x) {
  return copysign (isinf (x) ? (R) 1 : (R) 0, x);
}

template <class R> DEVICE R zero_if_nan (R x) {
  return isnan (x) ? copysign ((R) 0, x) : x;
}

/* x y if the formula gives NaN in both parts: an infinite factor makes the product infinite (C11,
 * annex G.5.1), as in Octave. */
template <class R>
__device__ static inline complex<R> infinite_product (complex<R> x, complex<R> y) {
  bool again = false;
  if (isinf (x.re) || isinf (x.im)) {
    x = {boxed (x.re), boxed (x.im)};
    y = {zero_if_nan (y.re), zero_if_nan (y.im)};
    again = true;
  }
  if (isinf (y.re) || isinf (y.im)) {
    y = {boxed (y.re), boxed (y.im)};
    x = {zero_if_nan (x.re), zero_if_nan (x.im)};
    again = true;
  }
  if (!again
      && (isinf (x.re * y.re) || isinf (x.im * y.im) || isinf (x.re * y.im)
          || isinf (x.im * y.re))) {
    x = {zero_if_nan (x.re), zero_if_nan (x.im)};
    y = {zero_if_nan (y.re), zero_if_nan (y.im)};
    again = true;
  }
  const R inf = (R) INFINITY;
  return again ? complex<R>{inf * (rounded_product (x.re, y.re) - rounded_product (x.im, y.im)),
                            inf * (rounded_product (x.re, y.im) + rounded_product (x.im, y.re))}
               : complex<R>{(R) NAN, (R) NAN};
}

template <class T> DEVICE bool is_zero (T x) {
  return x == 0;
}

template <class R> DEVICE bool is_zero (complex<R> x) {
  return x.re == 0 && x.im == 0;
}

/* ---- what all kernels do at their end ----------------------------------------------------- */

/* C[at] = alpha sum + beta C[at]; with beta = 0 C is not read, so a NaN there does not spread. */
template <class T> DEVICE void store (global<T> C, element_index at, T alpha, T sum, T beta) {
  T value = scale (alpha, sum);
  if (!is_zero (beta)) {
    T old = C[at];
    value = add (value, scale (beta, old));
  }
  C[at] = value;
}

/* ---- for launchers ------------------------------------------------------------------------ */

/* Returns from the enclosing function if a call fails. */
#define TRY(...)                                                                                   \
  do {                                                                                             \
    const gpumm_status status_of_call = (__VA_ARGS__);                                             \
    if (status_of_call)                                                                            \
      return status_of_call;                                                                       \
  } while (0)

template <class T> static inline void convert (gpumm_scalar s, T *x) {
  set (*x, s.re, s.im);
}

static inline int64_t ceil_div (int64_t x, int64_t y) {
  return (x + y - 1) / y;
}

/* Parts of a workspace begin at multiples of this, which suits 16-byte accesses and cuBLASLt. */
static const size_t ALIGNMENT = 256;

static inline size_t aligned (size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Hands out a workspace part by part; with base NULL it only counts the bytes. */
struct parts {
  char *base;
  size_t used;

  explicit parts (void *memory) : base ((char *) memory), used (0) {
  }

  template <class T> void take (T *&part, int64_t count) {
    part = (T *) (base + used);
    used += aligned ((size_t) count * sizeof (T));
  }
};

/* A product with its types: what a launcher passes to its kernel. alpha = 0 and k = 0 are one case,
 * C = beta C, in which BLAS reads neither A nor B: then both alpha and k are set to 0. */
template <class T> struct arguments {
  int64_t m, n, k;
  T alpha, beta;
  const T *a, *b;
  T *c;

  explicit arguments (const gpumm_product *p)
      : m (p->m), n (p->n), k (p->k), a ((const T *) p->a), b ((const T *) p->b), c ((T *) p->c) {
    convert (p->alpha, &alpha);
    convert (p->beta, &beta);
    if (k == 0 || is_zero (alpha)) {
      k = 0;
      alpha = T{};
    }
  }
};

/* ---- for the table ------------------------------------------------------------------------ */

enum {
  ALL_TYPES = 1 << GPUMM_S | 1 << GPUMM_D | 1 << GPUMM_C | 1 << GPUMM_Z,
  ANY_CAPABILITY = 50 /* plain CUDA C: every target of the compiler */
};

#define BY_NAME_ONLY INT64_MAX /* gpumm_kernel.from of a row that no size prefers */

/* FAMILY_ROWS (tiled) = { rows of gpumm_kernel ..., {} }; */
#define FAMILY_ROWS(name)                                                                          \
  extern "C" {                                                                                     \
  extern const gpumm_kernel gpumm_family_##name[];                                                 \
  }                                                                                                \
  const gpumm_kernel gpumm_family_##name[]

/* The same with rows of gpumm_sparse_kernel. */
#define SPARSE_FAMILY_ROWS(name)                                                                   \
  extern "C" {                                                                                     \
  extern const gpumm_sparse_kernel gpumm_family_##name[];                                          \
  }                                                                                                \
  const gpumm_sparse_kernel gpumm_family_##name[]

/* ARRAY_ROWS (fold) = { rows of gpumm_array_kernel ..., {} }; in arrays/fold.cu. CMakeLists.txt
 * finds it. */
#define ARRAY_ROWS(name)                                                                           \
  extern "C" {                                                                                     \
  extern const gpumm_array_kernel gpumm_arrays_##name[];                                           \
  }                                                                                                \
  const gpumm_array_kernel gpumm_arrays_##name[]

#endif

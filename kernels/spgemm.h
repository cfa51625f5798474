/* spgemm.h - products of two elements as Octave's sparse matrices have them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_SPGEMM_H
#define GPUMM_SPGEMM_H

#include "kernel.h"

template <class T> DEVICE T times (T a, T b, int) {
  COUNT_OPERATIONS (1);
  return a * b;
}

DEVICE double one_if_infinite (double x) {
  return copysign (isinf (x) ? 1.0 : 0.0, x);
}

DEVICE double zero_if_nan (double x) {
  return isnan (x) ? copysign (0.0, x) : x;
}

/* A factor that is infinite makes the product infinite also where the formula has NaN in both parts
 * (C11, annex G.5.1): Octave multiplies so. a and b are such factors. */
template <class R> DEVICE complex<R> infinite_product (complex<R> a, complex<R> b) {
  bool recover = false;
  if (isinf (a.re) || isinf (a.im)) {
    a = {(R) one_if_infinite (a.re), (R) one_if_infinite (a.im)};
    b = {(R) zero_if_nan (b.re), (R) zero_if_nan (b.im)};
    recover = true;
  }
  if (isinf (b.re) || isinf (b.im)) {
    b = {(R) one_if_infinite (b.re), (R) one_if_infinite (b.im)};
    a = {(R) zero_if_nan (a.re), (R) zero_if_nan (a.im)};
    recover = true;
  }
  if (!recover
      && (isinf (a.re * b.re) || isinf (a.im * b.im) || isinf (a.re * b.im)
          || isinf (a.im * b.re))) {
    a = {(R) zero_if_nan (a.re), (R) zero_if_nan (a.im)};
    b = {(R) zero_if_nan (b.re), (R) zero_if_nan (b.im)};
    recover = true;
  }
  const R nan = (R) NAN, infinity = (R) INFINITY;
  if (!recover)
    return {nan, nan};
  return {infinity * (a.re * b.re - a.im * b.im), infinity * (a.re * b.im + a.im * b.re)};
}

template <class R> DEVICE complex<R> times (complex<R> a, complex<R> b, int real) {
  COUNT_OPERATIONS (6);
  if (real & REAL_A)
    return {a.re * b.re, a.re * b.im};
  if (real & REAL_B)
    return {a.re * b.re, a.im * b.re};
  complex<R> x = {fma (a.re, b.re, -(a.im * b.im)), fma (a.re, b.im, a.im * b.re)};
  return isnan (x.re) && isnan (x.im) ? infinite_product (a, b) : x;
}

/* sum += a b; a real factor by one rounding. What is fused is written out, here and in times: the
 * compiler may do it otherwise in each copy that it makes of a loop's body, and a row of C would
 * have other bits in another range of rows. */
template <class R> DEVICE void accumulate (R &sum, R a, R b, int) {
  COUNT_OPERATIONS (2);
  sum = fma (a, b, sum);
}

template <class R> DEVICE void accumulate (complex<R> &sum, complex<R> a, complex<R> b, int real) {
  if (real & REAL_A) {
    accumulate (sum.re, a.re, b.re, real);
    accumulate (sum.im, a.re, b.im, real);
  } else if (real & REAL_B) {
    accumulate (sum.re, a.re, b.re, real);
    accumulate (sum.im, a.im, b.re, real);
  } else
    sum = add (sum, times (a, b, real));
}

#endif

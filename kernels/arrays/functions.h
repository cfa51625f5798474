/* functions.h - the arithmetic of arrays: Octave's, for real and complex numbers.
 *
 * Octave computes with std::complex as g++ compiles it: products and quotients recover infinities
 * as Annex G of C11 says (libgcc's __muldc3 and __divdc3), and functions are glibc's. These
 * formulas follow them, with their branch cuts, infinities and NaN. cuda::std::complex does not:
 * its sqrt, log, exp and quotients overflow near the ends of the range, where these results are
 * finite. Functions that take many registers are called, not inlined: a map runs few of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ARRAYS_FUNCTIONS_H
#define GPUMM_ARRAYS_FUNCTIONS_H

#include "kernel.h"

#include <float.h>
#include <limits>

#ifdef __CUDACC__
#define CALLED __device__ __noinline__ static
#else
#define CALLED static inline
#endif

/* ---- limits of a type ----------------------------------------------------------------------- */

template <class R> constexpr R largest = std::numeric_limits<R>::max ();

template <class R> constexpr R epsilon = std::numeric_limits<R>::epsilon ();

/* Beside a smaller number, a part that matters may be subnormal. */
template <class R> constexpr R tiny = std::numeric_limits<R>::min () / epsilon<R>;

/* ---- reals ---------------------------------------------------------------------------------- */

template <class R> DEVICE R sign_of (R x) {
  return isnan (x) ? x : (R) ((x > 0) - (x < 0));
}

/* Octave takes the second of equals, and so of zeros. */
template <class R> DEVICE R larger (R x, R y) {
  return isnan (y) || x > y ? x : y;
}

template <class R> DEVICE R less (R x, R y) {
  return isnan (y) || x < y ? x : y;
}

/* CUDA's pow may be wrong by two units in the last place of double, and four of float: 3^1 was
 * 3 - 2^-51. Powers of two are exact, others of whole numbers are whole, and rounding finds them
 * below this limit. */
template <class R> CALLED R any_power (R x, R y) {
  if (x == 2 && y == rint (y) && fabs (y) < 2000)
    return ldexp ((R) 1, (int) y);
  const R limit = sizeof (R) == 4 ? (R) 0x1p19 : (R) 0x1p49, z = pow (x, y);
  const bool is_whole = y > 0 && y == rint (y) && x == rint (x) && fabs (z) < limit;
  return y == 1 ? x : is_whole ? rint (z) : z;
}

/* Squares, cubes and inverses as Octave forms them; they are most of what is asked for. */
template <class R> DEVICE R power (R x, R y) {
  return y == 2 ? x * x : y == 3 ? x * x * x : y == -1 ? 1 / x : any_power (x, y);
}

template <class R> CALLED R sine (R x) {
  return sin (x);
}

template <class R> CALLED R cosine (R x) {
  return cos (x);
}

template <class R> CALLED R exponential (R x) {
  return exp (x);
}

template <class R> CALLED R logarithm (R x) {
  return log (x); /* cppcheck-suppress invalidFunctionArg ; log (0) is -Inf */
}

template <class R> CALLED R hyperbolic_tangent (R x) {
  return tanh (x);
}

template <class R> CALLED R angle (R y, R x) {
  return atan2 (y, x);
}

/* Octave's mod, or rem: a fraction y divides x if their quotient is whole but for its rounding. */
template <class R> CALLED R remainder_of (R x, R y, bool is_mod) {
  if (y == 0)
    return is_mod ? x : (R) NAN;
  const R q = x / y, near = floor (q + (R) 0.5);
  const bool divides = floor (y + (R) 0.5) != y && fabs ((q - near) / near) < epsilon<R>;
  const R z = divides ? 0 : x - y * (is_mod ? floor (q) : trunc (q));
  return x == y ? z : copysign (z, is_mod ? y : x);
}

/* ---- products and quotients ----------------------------------------------------------------- */

/* A call saves registers: few products need it. */
template <class R> CALLED complex<R> recovered_product (complex<R> x, complex<R> y) {
  return infinite_product (x, y);
}

template <class R> DEVICE complex<R> product (complex<R> x, complex<R> y) {
  const complex<R> z = {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  return isnan (z.re) && isnan (z.im) ? recovered_product (x, y) : z;
}

template <class R> DEVICE complex<R> recovered_quotient (complex<R> z, complex<R> x, complex<R> y) {
  R a = x.re, b = x.im, c = y.re, d = y.im;
  const R inf = (R) INFINITY;
  if (!isnan (z.re) || !isnan (z.im))
    return z;
  if (c == 0 && d == 0 && (!isnan (a) || !isnan (b)))
    return {copysign (inf, c) * a, copysign (inf, c) * b};
  if ((isinf (a) || isinf (b)) && isfinite (c) && isfinite (d)) {
    a = boxed (a);
    b = boxed (b);
    return {inf * (a * c + b * d), inf * (b * c - a * d)};
  }
  if ((isinf (c) || isinf (d)) && isfinite (a) && isfinite (b)) {
    c = boxed (c);
    d = boxed (d);
    return {0 * (a * c + b * d), 0 * (b * c - a * d)};
  }
  return z;
}

/* Baudin and Smith, "A robust complex division in Scilab", 2012, scaled as in libgcc: all parts are
 * halved where the larger part of y is huge, and grow where it is below epsilon or a part of x is
 * subnormal. Infinities are recovered from the scaled parts: where x overflows, x / y is
 * infinite. */
CALLED complex<double> quotient (complex<double> x, complex<double> y) {
  const double huge = DBL_MAX / 2, large = huge * DBL_EPSILON;
  const bool swaps = fabs (y.re) < fabs (y.im); /* then x / y = conj (i conj (x) / (i conj (y))) */
  double a = x.re, b = x.im, c = y.re, d = y.im;
  if (swaps) {
    a = x.im, b = x.re;
    c = y.im, d = y.re;
  }
  double scale = 1;
  if (fabs (c) >= huge)
    scale = 0.5;
  else if (fabs (c) < DBL_EPSILON
           || (fabs (c) < large
               && ((fabs (a) < DBL_MIN && fabs (b) < large)
                   || (fabs (b) < DBL_MIN && fabs (a) < large))))
    scale = 1 / DBL_EPSILON;
  a *= scale, b *= scale, c *= scale, d *= scale;
  const double ratio = d / c, below = d * ratio + c;
  complex<double> z;
  if (fabs (ratio) > DBL_MIN)
    z = {(b * ratio + a) / below, (b - a * ratio) / below};
  else
    z = {(d * (b / c) + a) / below, (b - d * (a / c)) / below};
  if (!swaps)
    return recovered_quotient<double> (z, {a, b}, {c, d});
  z.im = fabs (ratio) > DBL_MIN ? (a * ratio - b) / below : (d * (a / c) - b) / below;
  return recovered_quotient<double> (z, {b, a}, {d, c});
}

/* Float has no overflow in double. */
CALLED complex<float> quotient (complex<float> x, complex<float> y) {
  const double a = x.re, b = x.im, c = y.re, d = y.im, below = c * c + d * d;
  return recovered_quotient<float> (
      {(float) ((a * c + b * d) / below), (float) ((b * c - a * d) / below)}, x, y);
}

/* ---- functions of complex numbers ----------------------------------------------------------- */

/* max, min and comparisons of complex numbers look at the last bit of abs, where CUDA's hypot often
 * differs from the C library's. This is the root with a correction, without fma (Borges, "An
 * improved algorithm for hypot", ACM TOMS 47, 2021), as glibc has computed it since 2.35. */
CALLED double magnitude (complex<double> z) {
  const bool swaps = fabs (z.re) < fabs (z.im);
  double x = fabs (swaps ? z.im : z.re), y = fabs (swaps ? z.re : z.im), unit = 1;
  if (isinf (x) || isinf (y)) /* beside NaN, too */
    return isinf (x) ? x : y;
  if (y <= x * 0x1p-54 || isnan (x) || isnan (y))
    return x + y;
  if (x > 0x1p500)
    unit = 0x1p-600;
  else if (y < 0x1p-450)
    unit = 0x1p600;
  x *= unit;
  y *= unit;
  const double root = sqrt (x * x + y * y);
  const bool is_near = root <= 2 * y;
  const double d = root - (is_near ? y : x);
  const double error = is_near ? x * (2 * d - x) + (d - 2 * (x - y)) * d
                               : 2 * d * (x - 2 * y) + ((4 * d - y) * y + d * d);
  return (root - error / (2 * root)) / unit;
}

/* No square of a float overflows in double. */
DEVICE float magnitude (complex<float> z) {
  const double x = z.re, y = z.im;
  return isinf (z.re) || isinf (z.im) ? (float) INFINITY : (float) sqrt (x * x + y * y);
}

/* log (x^2 + y^2) / 2 where |x| >= |y| and the result is small: x^2 + y^2 - 1 with the errors of
 * the squares and the sum. */
template <class R> DEVICE R log_near_one (R x, R y) {
  const R p = x * x, p_error = fma (x, x, -p), q = y * y, q_error = fma (y, y, -q);
  const R t = p - 1, sum = t + q, part = sum - t, error = (t - (sum - part)) + (q - part);
  return log1p (sum + (error + p_error + q_error)) / 2;
}

template <class R> CALLED complex<R> complex_log (complex<R> z) {
  const R x = fabs (z.re), y = fabs (z.im), angle = atan2 (z.im, z.re);
  const R high = x > y ? x : y, low = x > y ? y : x;
  if (high > largest<R> / 4 && isfinite (high) && !isnan (low))
    return {log (hypot (x / 4, y / 4)) + (R) 1.3862943611198906188, angle};
  if (high < tiny<R> && high > 0) { /* by 2^108, for the least subnormal of double */
    const R grow = (R) 0x1p108;
    return {log (hypot (x * grow, y * grow)) - (R) 74.859895500474091648, angle};
  }
  const R size = hypot (x, y);
  if (size > (R) 0.6 && size < (R) 1.7)
    return {log_near_one (high, low), angle};
  return {log (size), angle};
}

template <class R> CALLED complex<R> complex_exp (complex<R> z) {
  const R x = z.re, y = z.im;
  if (y == 0)
    return {exp (x), y};
  if (!isfinite (y)) {
    if (isinf (x))
      return x > 0 ? complex<R>{x, (R) NAN} : complex<R>{0, copysign ((R) 0, y)};
    return {(R) NAN, (R) NAN};
  }
  if (isnan (x))
    return {x, x};
  if (isinf (x)) {
    const R value = x > 0 ? x : 0;
    return {copysign (value, cos (y)), copysign (value, sin (y))};
  }
  const R half = exp (x / 2); /* twice: the parts may not overflow where exp (x) does */
  if (fabs (x) > (sizeof (R) == 4 ? 80 : 700))
    return {half * cos (y) * half, half * sin (y) * half};
  const R size = exp (x);
  return {size * cos (y), size * sin (y)};
}

template <class R> CALLED complex<R> complex_sqrt (complex<R> z) {
  R x = z.re, y = z.im, back = 1;
  if (isinf (y))
    return {fabs (y), y};
  if (isinf (x)) {
    const R other = isnan (y) ? y : copysign ((R) 0, y);
    return x > 0 ? complex<R>{x, other} : complex<R>{isnan (y) ? y : 0, copysign (-x, y)};
  }
  if (isnan (x) || isnan (y))
    return {(R) NAN, (R) NAN};
  if (y == 0)
    return x < 0 ? complex<R>{0, copysign (sqrt (-x), y)} : complex<R>{fabs (sqrt (x)), y};
  const R high = fabs (x) > fabs (y) ? fabs (x) : fabs (y);
  if (high > largest<R> / 8)
    x /= 16, y /= 16, back = 4;
  else if (high < tiny<R>)
    x *= (R) 0x1p108, y *= (R) 0x1p108, back = (R) 0x1p-54;
  const R root = sqrt ((fabs (x) + hypot (x, y)) / 2), other = fabs (y) / root / 2;
  return x >= 0 ? complex<R>{root * back, copysign (other * back, y)}
                : complex<R>{other * back, copysign (root * back, y)};
}

template <class R> CALLED complex<R> complex_tanh (complex<R> z) {
  const R x = z.re, y = z.im;
  if (isinf (x)) {
    const bool turns = isfinite (y) && fabs (y) > 1;
    return {copysign ((R) 1, x), copysign ((R) 0, turns ? sin (y) * cos (y) : y)};
  }
  if (y == 0)
    return {tanh (x), y};
  if (isnan (x) || !isfinite (y))
    return {x == 0 ? x : (R) NAN, (R) NAN};
  const R s = sin (y), c = cos (y);
  if (fabs (x) > (sizeof (R) == 4 ? 20 : 40))
    return {copysign ((R) 1, x), 4 * s * c * exp (-2 * fabs (x))};
  const R sinh_x = sinh (x), cosh_x = cosh (x), below = sinh_x * sinh_x + c * c;
  return {sinh_x * cosh_x / below, s * c / below};
}

/* cosh and sinh together: {cosh x cos y, sinh x sin y} or {sinh x cos y, cosh x sin y}. */
template <class R> CALLED complex<R> complex_hyperbolic (complex<R> z, bool is_sine) {
  const R x = z.re, y = z.im, size = fabs (x), one = copysign ((R) 1, x);
  if (isnan (x))
    return {x, y == 0 ? y : x};
  if (!isfinite (y)) {
    const R nan = (R) NAN;
    if (isinf (x))
      return {is_sine ? -size : size, nan}; /* glibc: the sine's imaginary part is +Inf */
    return is_sine ? complex<R>{x == 0 ? x : nan, nan} : complex<R>{nan, x == 0 ? 0 : nan};
  }
  R c = cos (y), s = sin (y);
  R even = cosh (x), odd = sinh (size); /* of |x|; the sign comes last */
  if (isfinite (x) && size > (sizeof (R) == 4 ? 80 : 700)) {
    const R half = exp (size / 2);
    c *= half / 2, s *= half;
    even = odd = half;
    s /= 2;
  }
  const R re = (is_sine ? odd * one : even) * c;
  const R im = y == 0 ? (is_sine ? y : y * one) : (is_sine ? even : odd * one) * s;
  return {re, im};
}

/* sin z = -i sinh (i z), cos z = cosh (i z) */
template <class R> DEVICE complex<R> complex_sin (complex<R> z) {
  const complex<R> turned = complex_hyperbolic<R> ({-z.im, z.re}, true);
  return {turned.im, -turned.re};
}

template <class R> DEVICE complex<R> complex_cos (complex<R> z) {
  return complex_hyperbolic<R> ({-z.im, z.re}, false);
}

template <class R> DEVICE complex<R> polar (R size, R angle) {
  return {size * cos (angle), size * sin (angle)};
}

/* By squaring, as std::pow (std::complex, int). */
template <class R> DEVICE complex<R> whole_power (complex<R> x, int n) {
  unsigned left = n < 0 ? 0u - (unsigned) n : (unsigned) n;
  complex<R> y = {1, 0};
  if (left % 2)
    y = x;
  while (left >>= 1) {
    x = product (x, x);
    if (left % 2)
      y = product (y, x);
  }
  return n < 0 ? quotient (complex<R>{1, 0}, y) : y;
}

/* The four cases of std::pow and Octave's integer powers. */
template <class R>
CALLED complex<R> complex_power (complex<R> x, complex<R> y, bool real_x, bool real_y) {
  const R most = (R) 2147483647;
  if (real_y && !real_x && fabs (y.re) < most && y.re == rint (y.re))
    return whole_power (x, (int) y.re);
  if (real_y && x.im == 0 && x.re > 0)
    return {pow (x.re, y.re), 0};
  if (real_x && !real_y && x.re > 0)
    return polar (pow (x.re, y.re), y.im * log (x.re));
  const complex<R> l = complex_log (x);
  return real_y ? polar (exp (y.re * l.re), y.re * l.im) : complex_exp (product (y, l));
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Octave's: pi for -pi, and 0 for each real that is compared with a complex number. */
template <class R> DEVICE R angle_of (complex<R> x, bool is_real) {
  const R angle = is_real ? 0 : atan2 (x.im, x.re), pi = (R) 3.14159265358979323846;
  return angle == -pi ? pi : angle;
}

/* -1: x < y, 0: equal, 1: x > y, 2: unordered. */
template <class R> CALLED int compare (complex<R> x, complex<R> y, bool real_x, bool real_y) {
  R p = magnitude (x), q = magnitude (y);
  if (p == q) {
    p = angle_of (x, real_x);
    q = angle_of (y, real_y);
  }
  return p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
}

template <class R> DEVICE int compare (R x, R y, bool, bool) {
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

template <class R> DEVICE bool is_nan (R x) {
  return isnan (x);
}

template <class R> DEVICE bool is_nan (complex<R> x) {
  return isnan (x.re) || isnan (x.im);
}

#endif

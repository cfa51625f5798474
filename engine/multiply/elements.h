/* elements.h - elements of floating point by the letters of BLAS, for loops that are made for each
 * pair of them: TYPE_c, CONJ_c, scale_c, and SUM_sc, what products of an s and a c are added up in.
 *
 * A real times a complex number is (r re, r im), as C and Octave have it: infinities in r do not
 * meet a zero that the complex operand would be given.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ELEMENTS_H
#define GPUMM_ELEMENTS_H

#include "gpumm.h"

#include <complex.h>

#define TYPE_s float
#define TYPE_d double
#define TYPE_c float complex
#define TYPE_z double complex
#define CONJ_s
#define CONJ_d
#define CONJ_c conjf
#define CONJ_z conj
#define SUM_ss s
#define SUM_sc c
#define SUM_cs c
#define SUM_cc c
#define SUM_dd d
#define SUM_dz z
#define SUM_zd z
#define SUM_zz z

/* JOIN (TYPE_, A) with A defined as c is TYPE_c. */
#define JOIN(a, b)        JOIN_TWO (a, b)
#define JOIN_TWO(a, b)    a##b
#define JOIN3(f, a, b)    JOIN_ALL (f, a, b)
#define JOIN_ALL(f, a, b) f##a##b

/* f_ss .. f_zz, by whether the elements are doubles, and which operand is complex. */
#define BY_PAIR(f)                                                                                 \
  {                                                                                                \
    {{f##_ss, f##_sc}, {f##_cs, f##_cc}}, {                                                        \
      {f##_dd, f##_dz}, {                                                                          \
        f##_zd, f##_zz                                                                             \
      }                                                                                            \
    }                                                                                              \
  }

static inline float scale_s (float x, gpumm_scalar s) {
  return s.re == 1 ? x : (float) s.re * x;
}

static inline double scale_d (double x, gpumm_scalar s) {
  return s.re == 1 ? x : s.re * x;
}

/* A real scalar multiplies as a real: 1 + 0i times Inf + i would give a NaN. */
static inline float complex scale_c (float complex x, gpumm_scalar s) {
  return s.im != 0 ? CMPLXF ((float) s.re, (float) s.im) * x : s.re == 1 ? x : (float) s.re * x;
}

static inline double complex scale_z (double complex x, gpumm_scalar s) {
  return s.im != 0 ? CMPLX (s.re, s.im) * x : s.re == 1 ? x : s.re * x;
}

#endif

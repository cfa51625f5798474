/* gpumm_elementwise.h - the functions of one number and of two among the operations of maps
 * (gpumm_arrays.h), a row each. Of one number:
 *
 *   ROW (NAME, name, mapper, result, zero, real, complex, oracle, complex_oracle, units)
 *
 * NAME      GPUMM_MAP_NAME is its operation
 * name      Octave's function
 * mapper    Octave's octave_base_value::umap_mapper
 * result    of a complex number: REAL, or SAME: complex; COMPLEX: also of a negative real number
 * zero      f (0): where it is not 0, a sparse matrix would become full
 * real, complex   device code for a number x of type R or complex<R> (kernels/arrays/functions.h);
 *           bits of `real` say that x counts as real in a complex domain
 * oracle, complex_oracle   C's own, for the tests, of a double x and of a double complex z
 * units     the tests allow so many units in the last place; 0: equal
 *
 * Of two real numbers, x and y, for full arrays:
 *
 *   ROW (NAME, name, arguments, of_two, oracle, units)
 *
 * arguments   "A B"; "A B ...": of more it is taken from the left
 * of_two      device code for x and y of type R, in an integer class double
 * oracle      C's own, of doubles x and y; in_single: does the device compute in single?
 *
 * Octave says which classes each takes, and the class of the result. Where it takes complex
 * numbers, it takes their abs.
 *
 * Each file takes the columns that it needs. Only files that read the rows include this one:
 * neither device.h nor array.h, so that a new row compiles little again.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_GPUMM_ELEMENTWISE_H
#define GPUMM_GPUMM_ELEMENTWISE_H

#include "gpumm_arrays.h"

/* clang-format off */
#define GPUMM_ELEMENTWISE(ROW)                                                                     \
  ROW (ABS, abs, abs, REAL, 0, fabs (x), magnitude (x),                                            \
       fabs (x), cabs (z), 0)                                                                      \
  ROW (SQRT, sqrt, sqrt, COMPLEX, 0, sqrt (x), root (x, real),                                     \
       sqrt (x), csqrt (z), 8)                                                                     \
  ROW (EXP, exp, exp, SAME, 1, exponential (x), complex_exp (x),                                   \
       exp (x), cexp (z), 8)                                                                       \
  ROW (LOG, log, log, COMPLEX, -INFINITY, logarithm (x), log_of (x, real),                         \
       log (x), clog (z), 8)                                                                       \
  ROW (TANH, tanh, tanh, SAME, 0, hyperbolic_tangent (x), complex_tanh (x),                        \
       tanh (x), ctanh (z), 8)                                                                     \
  ROW (SIN, sin, sin, SAME, 0, sine (x), complex_sin (x),                                          \
       sin (x), csin (z), 8)                                                                       \
  ROW (COS, cos, cos, SAME, 1, cosine (x), complex_cos (x),                                        \
       cos (x), ccos (z), 8)                                                                       \
  ROW (SIGN, sign, signum, SAME, 0, sign_of (x), signed_unit (x),                                  \
       sign_of (x), unit_of (z, in_single), 0)                                                     \
  ROW (ROUND, round, round, SAME, 0, round (x), (complex<R>{round (x.re), round (x.im)}),          \
       round (x), of_parts (round, z), 0)                                                          \
  ROW (FLOOR, floor, floor, SAME, 0, floor (x), (complex<R>{floor (x.re), floor (x.im)}),          \
       floor (x), of_parts (floor, z), 0)                                                          \
  ROW (CEIL, ceil, ceil, SAME, 0, ceil (x), (complex<R>{ceil (x.re), ceil (x.im)}),                \
       ceil (x), of_parts (ceil, z), 0)                                                            \
  ROW (FIX, fix, fix, SAME, 0, trunc (x), (complex<R>{trunc (x.re), trunc (x.im)}),                \
       trunc (x), of_parts (trunc, z), 0)                                                          \
  ROW (REAL, real, real, REAL, 0, x, x.re,                                                         \
       x, creal (z), 0)                                                                            \
  ROW (IMAG, imag, imag, REAL, 0, 0, x.im,                                                         \
       0, cimag (z), 0)                                                                            \
  ROW (CONJ, conj, conj, SAME, 0, x, conjugate (x),                                                \
       x, conj (z), 0)                                                                             \
  ROW (ISNAN, isnan, isnan, REAL, 0, isnan (x) ? 1 : 0, is_nan (x) ? 1 : 0,                        \
       isnan (x), isnan (creal (z)) || isnan (cimag (z)), 0)                                       \
  ROW (ISINF, isinf, isinf, REAL, 0, isinf (x) ? 1 : 0, isinf (x.re) || isinf (x.im) ? 1 : 0,      \
       isinf (x) != 0, isinf (creal (z)) || isinf (cimag (z)), 0)                                  \
  ROW (ISFINITE, isfinite, isfinite, REAL, 1, isfinite (x) ? 1 : 0,                                \
       isfinite (x.re) && isfinite (x.im) ? 1 : 0,                                                 \
       isfinite (x) != 0, isfinite (creal (z)) && isfinite (cimag (z)), 0)

#define GPUMM_ELEMENTWISE_OF_TWO(ROW)                                                              \
  ROW (ATAN2, atan2, "A B", angle (x, y), atan2 (x, y), 4)                                         \
  ROW (HYPOT, hypot, "A B ...", (magnitude (complex<R>{x, y})), hypot (x, y), 1)                   \
  ROW (MOD, mod, "A B", remainder_of (x, y, true), remainder_of (x, y, 1, in_single), 0)           \
  ROW (REM, rem, "A B", remainder_of (x, y, false), remainder_of (x, y, 0, in_single), 0)
/* clang-format on */

/* Their operations: gpumm_map_op. */
enum {
  GPUMM_MAP_BEFORE_ONE = GPUMM_MAP_OF_ONE - 1,
#define ROW(NAME, ...) GPUMM_MAP_##NAME,
  GPUMM_ELEMENTWISE (ROW)
#undef ROW
      GPUMM_MAP_ONES, /* behind the last of one number */
  GPUMM_MAP_BEFORE_TWO = GPUMM_MAP_OF_TWO - 1,
#define ROW(NAME, ...) GPUMM_MAP_##NAME,
  GPUMM_ELEMENTWISE_OF_TWO (ROW)
#undef ROW
      GPUMM_MAP_OPS, /* behind the last of all */
  GPUMM_MAP_ROWS = GPUMM_MAP_ONES - GPUMM_MAP_OF_ONE + GPUMM_MAP_OPS - GPUMM_MAP_OF_TWO
};

#endif

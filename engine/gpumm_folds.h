/* gpumm_folds.h - the folds of arrays on a device, a row each:
 *
 *   ROW (NAME, name, result, state, begin, enter, combine, sparse)
 *
 * NAME     GPUMM_FOLD_NAME is its number
 * name     Octave's function
 * result   SAME: of the entries' type, double for truth values; REAL: of its real type; TRUTH
 * state    what is kept of the entries seen (kernels/arrays/fold.cu): a VALUE; PLACED, an entry
 *          and its place; SCALED, sums of squares; EXPONENTS, a sum of exponentials
 * begin    a value of no entries: 0 or 1
 * enter    what an entry x becomes: ITSELF; FROM_ZERO, 0 + x; FROM_ONE, 1 x for the first; SQUARED;
 *          TRUE or NONZERO, where it is so. OWN: as the state does
 * combine  two values, ADDED, MULTIPLIED, the GREATER, EITHER or BOTH. OWN: as the state does
 * sparse   of each column of a sparse matrix: SUMS of what is stored; EXTREMES, in which the zeros
 *          that are not stored count; NONE: it has no such fold
 *
 * Each file takes the columns that it needs. SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_GPUMM_FOLDS_H
#define GPUMM_GPUMM_FOLDS_H

/* clang-format off */
#define GPUMM_FOLDS(ROW)                                                                           \
  ROW (SUM, sum, SAME, VALUE, 0, FROM_ZERO, ADDED, SUMS) /* in double precision */                 \
  ROW (PROD, prod, SAME, VALUE, 1, FROM_ONE, MULTIPLIED, NONE)                                     \
  /* NaN only if all are NaN; complex: by abs, then arg; NaN + Inf i is the most */                \
  ROW (MAX, max, SAME, PLACED, 0, OWN, OWN, EXTREMES)                                              \
  ROW (MIN, min, SAME, PLACED, 0, OWN, OWN, EXTREMES)                                              \
  ROW (SUMSQ, sumsq, REAL, VALUE, 0, SQUARED, ADDED, NONE) /* abs (x)^2, in double precision */    \
  ROW (NORM, norm, REAL, SCALED, 0, OWN, OWN, NONE) /* no square overflows */                      \
  ROW (LARGEST, max, SAME, VALUE, 0, ITSELF, GREATER, NONE) /* of reals; NaN if one is NaN */      \
  ROW (LOGSUMEXP, logsumexp, SAME, EXPONENTS, 0, OWN, OWN, NONE) /* log (sum (exp (x))) */         \
  /* NaN counts as Octave counts it: not for any, but for all */                                   \
  ROW (ANY, any, TRUTH, VALUE, 0, TRUE, EITHER, SUMS)                                              \
  ROW (ALL, all, TRUTH, VALUE, 1, NONZERO, BOTH, NONE)
/* clang-format on */

enum {
#define ROW(NAME, ...) GPUMM_FOLD_##NAME,
  GPUMM_FOLDS (ROW)
#undef ROW
      GPUMM_FOLD_OPS
};

#endif

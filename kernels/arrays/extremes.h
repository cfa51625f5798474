/* extremes.h - an entry and its place, and which of two is the better maximum or minimum: for folds
 * and scans.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ARRAYS_EXTREMES_H
#define GPUMM_ARRAYS_EXTREMES_H

#include "entries.h"
#include "gpumm_folds.h"

/* index: the place of the first entry with this value. */
template <class W> struct placed {
  W value;
  int64_t index;
};

/* Is NaN beside Inf, which Octave's > takes for infinite? */
template <class R> DEVICE bool is_infinite_nan (R) {
  return false;
}

template <class R> DEVICE bool is_infinite_nan (complex<R> x) {
  return is_nan (x) && isinf (magnitude (x));
}

/* Is y a better extreme than x? Numbers win over NaN, then the larger (smaller) value wins, then
 * the first. Values are computed in W and compared in the entries' type T, in which Octave compares
 * abs. An infinite NaN is the maximum: then the caller asks Octave, where this depends on the
 * order. */
template <class T, class W> DEVICE bool is_better (int op, const placed<W> &y, const placed<W> &x) {
  if (op == GPUMM_FOLD_MAX && is_infinite_nan (x.value) != is_infinite_nan (y.value))
    return is_infinite_nan (y.value);
  if (is_nan (x.value) != is_nan (y.value))
    return is_nan (x.value);
  T p, q;
  set (p, real_part (x.value), imaginary_part (x.value));
  set (q, real_part (y.value), imaginary_part (y.value));
  const int order = compare (q, p, false, false);
  if (order == 1 || order == -1)
    return op == GPUMM_FOLD_MAX ? order == 1 : order == -1;
  return y.index < x.index;
}

#endif

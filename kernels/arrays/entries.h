/* entries.h - kernels' functions that read and write entries of arrays.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ARRAYS_ENTRIES_H
#define GPUMM_ARRAYS_ENTRIES_H

#include "functions.h"

enum { THREADS = 256, DIMS = GPUMM_MAP_DIMS, INPUTS = GPUMM_MAP_INPUTS, STEPS = GPUMM_MAP_STEPS };

/* The most blocks of a launch: 8 for each multiprocessor of a large GPU. Threads loop over larger
 * arrays. */
enum { MOST_BLOCKS = 2048 };

/* The types of entries that operations on arrays read: those with arithmetic, and all. */
enum {
  MOVED_TYPES = (1 << GPUMM_TYPES) - 1,
  COMPUTED_TYPES = MOVED_TYPES & ~(1 << GPUMM_I64 | 1 << GPUMM_U64)
};

static inline int64_t blocks_for (int64_t entries, int64_t each) {
  const int64_t blocks = ceil_div (entries, THREADS * each);
  return blocks < (int64_t) MOST_BLOCKS ? blocks : (int64_t) MOST_BLOCKS;
}

/* ---- types ---------------------------------------------------------------------------------- */

/* Runs statement, which must return. E is an unsigned integer or a complex number with the size of
 * an entry of this type: for kernels that only move entries. */
#define WITH_BYTES(type, E, statement)                                                             \
  do                                                                                               \
    switch (type) {                                                                                \
    case GPUMM_I8:                                                                                 \
    case GPUMM_U8:                                                                                 \
    case GPUMM_B: {                                                                                \
      typedef uint8_t E;                                                                           \
      statement;                                                                                   \
    }                                                                                              \
    case GPUMM_I16:                                                                                \
    case GPUMM_U16: {                                                                              \
      typedef uint16_t E;                                                                          \
      statement;                                                                                   \
    }                                                                                              \
    case GPUMM_S:                                                                                  \
    case GPUMM_I32:                                                                                \
    case GPUMM_U32: {                                                                              \
      typedef uint32_t E;                                                                          \
      statement;                                                                                   \
    }                                                                                              \
    case GPUMM_Z: {                                                                                \
      typedef complex<double> E;                                                                   \
      statement;                                                                                   \
    }                                                                                              \
    default: {                                                                                     \
      typedef uint64_t E;                                                                          \
      statement;                                                                                   \
    }                                                                                              \
    }                                                                                              \
  while (0)

template <class R> DEVICE double wide (R x) {
  return x;
}

template <class R> DEVICE complex<double> wide (complex<R> x) {
  return {x.re, x.im};
}

DEVICE double real_part (double x) {
  return x;
}

template <class R> DEVICE double real_part (complex<R> x) {
  return x.re;
}

DEVICE double imaginary_part (double) {
  return 0;
}

template <class R> DEVICE double imaginary_part (complex<R> x) {
  return x.im;
}

/* Rounds half away from zero and saturates; NaN gives 0. */
template <class I> DEVICE I to_integer (double x, double least, double most) {
  const double whole = round (x);
  return isnan (x) ? 0 : whole <= least ? (I) least : whole >= most ? (I) most : (I) whole;
}

/* An entry from real and imaginary part. */
template <class E> DEVICE void set_entry (E &to, double re, double im) {
  if constexpr (std::numeric_limits<E>::is_integer) {
    constexpr double most = largest<E>, least = std::numeric_limits<E>::is_signed ? -most - 1 : 0;
    to = to_integer<E> (re, least, most);
  } else
    set (to, re, im);
}

/* CASE (type, E) for each type of entries and its C type; but truth values, which are not converted
 * as numbers are, and 64-bit integers, which are not converted at all. */
#define CASES_OF_NUMBERS(CASE)                                                                     \
  CASE (GPUMM_S, float)                                                                            \
  CASE (GPUMM_D, double)                                                                           \
  CASE (GPUMM_C, complex<float>)                                                                   \
  CASE (GPUMM_Z, complex<double>)                                                                  \
  CASE (GPUMM_I8, int8_t)                                                                          \
  CASE (GPUMM_I16, int16_t)                                                                        \
  CASE (GPUMM_I32, int32_t)                                                                        \
  CASE (GPUMM_U8, uint8_t)                                                                         \
  CASE (GPUMM_U16, uint16_t)                                                                       \
  CASE (GPUMM_U32, uint32_t)

/* An entry converted to T. */
template <class T> DEVICE T load (int type, const void *p, int64_t i, bool conjugated) {
  double re = 0, im = 0;
#define LOAD(TYPE, E)                                                                              \
  case TYPE: {                                                                                     \
    const E entry = ((const E *) p)[i];                                                            \
    re = real_part (entry);                                                                        \
    im = imaginary_part (entry);                                                                   \
    break;                                                                                         \
  }
  switch (type) {
    CASES_OF_NUMBERS (LOAD)
  case GPUMM_B:
    re = ((const uint8_t *) p)[i] != 0;
    break;
  case GPUMM_I64: /* a ramp */
    re = (double) i;
    break;
  }
#undef LOAD
  T x;
  set (x, re, conjugated ? -im : im);
  return x;
}

template <class T> DEVICE void store_as (int type, void *p, int64_t i, T x) {
  const double re = real_part (x), im = imaginary_part (x);
#define STORE(TYPE, E)                                                                             \
  case TYPE:                                                                                       \
    set_entry (((E *) p)[i], re, im);                                                              \
    break;
  switch (type) {
    CASES_OF_NUMBERS (STORE)
  case GPUMM_B:
    ((uint8_t *) p)[i] = re != 0 || im != 0;
    break;
  }
#undef STORE
}

/* ---- where the entries are ------------------------------------------------------------------ */

/* Dimensions that have no gaps in any array are joined, so arrays without gaps have one
 * dimension. */
struct map_layout {
  int64_t entries;
  int dims;
  int64_t size[DIMS];
  int64_t stride[INPUTS + 1][DIMS]; /* of the inputs, then of the output */
};

DEVICE int64_t divide (int64_t x, int64_t y, int64_t most) {
  return most <= UINT32_MAX ? (int64_t) ((uint32_t) x / (uint32_t) y) : x / y;
}

/* Finds the places of an entry in ARRAYS arrays, beginning with the array `first`. */
template <int ARRAYS>
DEVICE void find (const map_layout &at, int first, int64_t entry, int64_t (&place)[ARRAYS]) {
#pragma unroll
  for (int a = 0; a < ARRAYS; a++)
    place[a] = 0;
  for (int d = 0; d < at.dims; d++) {
    const int64_t rest = d + 1 < at.dims ? divide (entry, at.size[d], at.entries) : 0;
    const int64_t i = entry - rest * at.size[d];
    entry = rest;
#pragma unroll
    for (int a = 0; a < ARRAYS; a++)
      place[a] += i * at.stride[first + a][d];
  }
}

static inline int64_t entries_of (const int64_t *size) {
  int64_t entries = 1;
  for (int d = 0; d < DIMS; d++)
    if (size[d] == 0) /* the product of the others may be too large */
      return 0;
  for (int d = 0; d < DIMS; d++)
    entries *= size[d];
  return entries;
}

static inline map_layout layout_of (const gpumm_map &m, const gpumm_view &output) {
  map_layout at = {entries_of (m.size), 0, {}, {}};
  for (int d = 0; d < DIMS && at.entries > 0; d++) {
    if (m.size[d] == 1)
      continue;
    int joins = at.dims > 0;
    const int k = at.dims - 1;
    for (int a = 0; a <= INPUTS; a++) {
      const gpumm_view &x = a < INPUTS ? m.input[a] : output;
      if (a < m.inputs || a == INPUTS)
        joins = joins && x.stride[d] == at.stride[a][k] * at.size[k];
    }
    if (joins) {
      at.size[k] *= m.size[d];
      continue;
    }
    at.size[at.dims] = m.size[d];
    for (int a = 0; a <= INPUTS; a++)
      if (a < m.inputs || a == INPUTS)
        at.stride[a][at.dims] = (a < INPUTS ? m.input[a] : output).stride[d];
    at.dims++;
  }
  return at;
}

/* ---- real and complex operands --------------------------------------------------------------- */

static inline bool is_real (gpumm_type type) {
  return type != GPUMM_C && type != GPUMM_Z;
}

/* Which operands count as real. */
enum { REAL_X = 1, REAL_Y = 2, REAL_XY = 3 };

/* Octave's mixed operations: a real operand multiplies or divides both parts, and is added to the
 * real part only. */
template <class R> DEVICE complex<R> multiplied (complex<R> x, complex<R> y, int real) {
  return real & REAL_X   ? complex<R>{x.re * y.re, x.re * y.im}
         : real & REAL_Y ? complex<R>{x.re * y.re, x.im * y.re}
                         : product (x, y);
}

template <class R> DEVICE complex<R> divided (complex<R> x, complex<R> y, int real) {
  return real & REAL_Y ? complex<R>{x.re / y.re, x.im / y.re} : quotient (x, y);
}

template <class R> DEVICE complex<R> added (complex<R> x, complex<R> y, int real) {
  return {x.re + y.re, real & REAL_X ? y.im : real & REAL_Y ? x.im : x.im + y.im};
}

template <class R> DEVICE complex<R> negated (complex<R> x) {
  return {-x.re, -x.im};
}

#endif

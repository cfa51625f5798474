/* entries.h - kernels' functions that read, compute and write entries of arrays.
 *
 * A map is an interpreter. It reads all inputs of an entry first, so that the reads overlap, and
 * then runs the steps on registers. Values that must stay in registers are never indexed. A thread
 * takes several entries through each step, so each step is decoded once for them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ARRAYS_ENTRIES_H
#define GPUMM_ARRAYS_ENTRIES_H

#include "functions.h"
#include "gpumm_elementwise.h"

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

/* ---- programs ------------------------------------------------------------------------------- */

enum { REAL_X = 1, REAL_Y = 2, REAL_XY = 3 };

template <class T> struct program {
  int inputs, steps;
  struct {
    const void *p;
    int type;
    bool conjugated;
  } input[INPUTS];
  struct {
    int op, source;
    bool swapped;
    int real; /* which operands, after swapping, count as real */
    T constant;
  } step[STEPS];
};

static inline bool is_real (gpumm_type type) {
  return type != GPUMM_C && type != GPUMM_Z;
}

enum { REAL, SAME, COMPLEX }; /* results of elementwise functions */

/* Is the operation of this result, among the elementwise functions? */
DEVICE bool has_result (int op, int wanted) {
#define ROW(NAME, name, mapper, result, ...) || (result == wanted && op == GPUMM_MAP_##NAME)
  return false GPUMM_ELEMENTWISE (ROW);
#undef ROW
}

/* May it be complex, although its operands are real? */
DEVICE bool leaves_reals (int op) {
  return has_result (op, COMPLEX) || op == GPUMM_MAP_POW;
}

/* Does the result count as real? */
static inline bool gives_real (int op, bool x, bool y) {
  const bool always =
      has_result (op, REAL) || op == GPUMM_MAP_NOT || (op >= GPUMM_MAP_LT && op <= GPUMM_MAP_OR);
  return !leaves_reals (op) && (always || (x && y));
}

template <class T> static inline program<T> program_of (const gpumm_map &m) {
  program<T> p = {};
  p.inputs = m.inputs;
  p.steps = m.steps;
  for (int i = 0; i < m.inputs; i++)
    p.input[i] = {m.input[i].values, (int) m.input[i].type,
                  m.input[i].conjugated && !is_real (m.input[i].type)};
  bool real = m.inputs == 0 || is_real (m.input[0].type), top = true, below = true;
  for (int s = 0; s < m.steps; s++) {
    const gpumm_map_step &from = m.step[s];
    bool other = true; /* a step without an operand */
    if (from.op < GPUMM_MAP_NEG || from.op >= GPUMM_MAP_ADD) {
      other = from.source == GPUMM_MAP_POP        ? top
              : from.source == GPUMM_MAP_CONSTANT ? from.constant.im == 0
                                                  : is_real (m.input[from.source].type);
      if (from.source == GPUMM_MAP_POP)
        top = below;
    }
    const bool swapped = from.swapped && from.op >= GPUMM_MAP_ADD;
    p.step[s].op = from.op;
    p.step[s].source =
        from.op >= GPUMM_MAP_NEG && from.op < GPUMM_MAP_ADD ? GPUMM_MAP_CONSTANT : from.source;
    p.step[s].swapped = swapped;
    p.step[s].real =
        (real ? (swapped ? REAL_Y : REAL_X) : 0) | (other ? (swapped ? REAL_X : REAL_Y) : 0);
    convert (from.constant, &p.step[s].constant);
    if (from.op == GPUMM_MAP_PUSH) {
      below = top;
      top = real;
    }
    real = from.op <= GPUMM_MAP_PUSH ? other : gives_real (from.op, real, other);
  }
  return p;
}

/* Sets each x[e] to the expression in x and y, and leaves the switch. */
#define FOR_EACH(expression)                                                                       \
  _Pragma ("unroll") for (int e = 0; e < EACH; e++) {                                              \
    const auto x = a[e], y = b[e];                                                                 \
    (void) x, (void) y;                                                                            \
    a[e] = (expression);                                                                           \
  }                                                                                                \
  break

#define REAL_VALUED(expression)    FOR_EACH (((complex<R>{(R) (expression), 0})))
#define SAME_VALUED(expression)    FOR_EACH (expression)
#define COMPLEX_VALUED(expression) FOR_EACH (expression)

template <int EACH, class R> DEVICE void apply (int op, int, R (&a)[EACH], const R (&b)[EACH]) {
  switch (op) {
  case GPUMM_MAP_NEG:
    FOR_EACH (-x);
#define ROW(NAME, name, mapper, result, zero, of_real, of_complex, ...)                            \
  case GPUMM_MAP_##NAME:                                                                           \
    FOR_EACH (of_real);
    GPUMM_ELEMENTWISE (ROW)
#undef ROW
  case GPUMM_MAP_NOT:
    FOR_EACH (x == 0);
  case GPUMM_MAP_ADD:
    FOR_EACH (x + y);
  case GPUMM_MAP_SUB:
    FOR_EACH (x - y);
  case GPUMM_MAP_MUL:
    FOR_EACH (x * y);
  case GPUMM_MAP_DIV:
    FOR_EACH (x / y);
  case GPUMM_MAP_POW:
    FOR_EACH (power (x, y));
  case GPUMM_MAP_LT:
    FOR_EACH (x < y);
  case GPUMM_MAP_LE:
    FOR_EACH (x <= y);
  case GPUMM_MAP_EQ:
    FOR_EACH (x == y);
  case GPUMM_MAP_NE:
    FOR_EACH (x != y);
  case GPUMM_MAP_GE:
    FOR_EACH (x >= y);
  case GPUMM_MAP_GT:
    FOR_EACH (x > y);
  case GPUMM_MAP_AND:
    FOR_EACH (x != 0 && y != 0);
  case GPUMM_MAP_OR:
    FOR_EACH (x != 0 || y != 0);
  case GPUMM_MAP_MAX:
    FOR_EACH (larger (x, y));
  case GPUMM_MAP_MIN:
    FOR_EACH (less (x, y));
  case GPUMM_MAP_MASK:
    FOR_EACH (y == 0 ? 0 : x);
  }
}

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

template <class R> DEVICE complex<R> signed_unit (complex<R> x) {
  const R size = magnitude (x);
  return size == 0 ? complex<R>{0, 0} : complex<R>{x.re / size, x.im / size};
}

template <class R> DEVICE complex<R> root (complex<R> x, int real) {
  if (!(real & REAL_X))
    return complex_sqrt (x);
  return x.re < 0 ? complex<R>{0, sqrt (-x.re)} : complex<R>{sqrt (x.re), 0};
}

template <class R> DEVICE complex<R> log_of (complex<R> x, int real) {
  if (!(real & REAL_X))
    return complex_log (x);
  return {logarithm (fabs (x.re)), x.re < 0 ? (R) 3.14159265358979323846 : 0};
}

/* Octave's max and min of complex numbers compare abs, take the first of equals, and do not skip
 * NaN. */
template <class R> DEVICE complex<R> extreme (complex<R> x, complex<R> y, bool is_max) {
  const R p = magnitude (x), q = magnitude (y);
  return (is_max ? p >= q : p <= q) || is_nan (x) ? x : y;
}

template <int EACH, class R>
DEVICE void apply (int op, int real, complex<R> (&a)[EACH], const complex<R> (&b)[EACH]) {
  if (real == REAL_XY && !leaves_reals (op)) {
    R x[EACH], y[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      x[e] = a[e].re;
      y[e] = b[e].re;
    }
    apply (op, real, x, y);
#pragma unroll
    for (int e = 0; e < EACH; e++)
      a[e] = {x[e], 0};
    return;
  }
  const bool real_x = real & REAL_X, real_y = real & REAL_Y;
  switch (op) {
  case GPUMM_MAP_NEG:
    FOR_EACH (negated (x));
#define ROW(NAME, name, mapper, result, zero, of_real, of_complex, ...)                            \
  case GPUMM_MAP_##NAME:                                                                           \
    result##_VALUED (of_complex);
    GPUMM_ELEMENTWISE (ROW)
#undef ROW
  case GPUMM_MAP_NOT:
    REAL_VALUED (is_zero (x) ? 1 : 0);
  case GPUMM_MAP_ADD:
    FOR_EACH (added (x, y, real));
  case GPUMM_MAP_SUB:
    FOR_EACH (added (x, negated (y), real));
  case GPUMM_MAP_MUL:
    FOR_EACH (multiplied (x, y, real));
  case GPUMM_MAP_DIV:
    FOR_EACH (divided (x, y, real));
  case GPUMM_MAP_POW:
    FOR_EACH (complex_power (x, y, real_x, real_y));
  case GPUMM_MAP_LT:
    REAL_VALUED (compare (x, y, real_x, real_y) == -1);
  case GPUMM_MAP_LE:
    REAL_VALUED (compare (x, y, real_x, real_y) <= 0);
  case GPUMM_MAP_EQ:
    REAL_VALUED (x.re == y.re && x.im == y.im);
  case GPUMM_MAP_NE:
    REAL_VALUED (x.re != y.re || x.im != y.im);
  case GPUMM_MAP_GE:
    REAL_VALUED ((compare (x, y, real_x, real_y) & 2) == 0); /* 0 or 1 */
  case GPUMM_MAP_GT:
    REAL_VALUED (compare (x, y, real_x, real_y) == 1);
  case GPUMM_MAP_AND:
    REAL_VALUED (!is_zero (x) && !is_zero (y));
  case GPUMM_MAP_OR:
    REAL_VALUED (!is_zero (x) || !is_zero (y));
  case GPUMM_MAP_MAX:
    FOR_EACH (extreme (x, y, true));
  case GPUMM_MAP_MIN:
    FOR_EACH (extreme (x, y, false));
  case GPUMM_MAP_MASK:
    FOR_EACH (is_zero (y) ? complex<R> () : x);
  }
}

/* Computes EACH entries. PLAIN: all inputs, at most MOST, have type T and are not conjugated. */
template <class T, int EACH, bool PLAIN, int MOST = INPUTS>
DEVICE void evaluate (const program<T> &p, const map_layout &at, const int64_t (&entry)[EACH],
                      T (&value)[EACH]) {
  T x[MOST][EACH], top[EACH], below[EACH], y[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    int64_t place[MOST];
    find (at, 0, entry[e], place);
#pragma unroll
    for (int i = 0; i < MOST; i++)
      if (i >= p.inputs)
        x[i][e] = T ();
      else
        x[i][e] = PLAIN ? ((const T *) p.input[i].p)[place[i]]
                        : load<T> (p.input[i].type, p.input[i].p, place[i], p.input[i].conjugated);
  }
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    value[e] = p.inputs > 0 ? x[0][e] : T ();
    top[e] = below[e] = T ();
  }
  for (int s = 0; s < p.steps; s++) {
    const int op = p.step[s].op, source = p.step[s].source;
    const bool swapped = p.step[s].swapped;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      y[e] = source == GPUMM_MAP_POP ? top[e] : p.step[s].constant;
#pragma unroll
      for (int i = 0; i < MOST; i++)
        if (i == source)
          y[e] = x[i][e];
      if (source == GPUMM_MAP_POP)
        top[e] = below[e];
      if (op == GPUMM_MAP_PUSH) {
        below[e] = top[e];
        top[e] = value[e];
      }
      if (op <= GPUMM_MAP_PUSH || swapped) {
        const T before = value[e];
        value[e] = y[e];
        y[e] = before;
      }
    }
    if (op > GPUMM_MAP_PUSH)
      apply (op, p.step[s].real, value, y);
  }
}

/* Do all inputs have type T, not conjugated? */
static inline bool is_plain (const gpumm_map &m) {
  bool plain = true;
  for (int i = 0; i < m.inputs; i++)
    plain = plain && m.input[i].type == m.domain && (!m.input[i].conjugated || is_real (m.domain));
  return plain;
}

#endif

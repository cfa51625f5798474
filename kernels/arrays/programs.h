/* programs.h - what a map computes of each entry: kernels' functions that run its steps.
 *
 * A map is an interpreter. It reads all inputs of an entry first, so that the reads overlap, and
 * then runs the steps on registers. Values that must stay in registers are never indexed. A thread
 * takes several entries through each step, so each step is decoded once for them.
 *
 * Only this file reads the rows of gpumm_elementwise.h: a new row compiles maps and folds again,
 * and no other kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ARRAYS_PROGRAMS_H
#define GPUMM_ARRAYS_PROGRAMS_H

#include "entries.h"
#include "gpumm_elementwise.h"

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
  const bool always = has_result (op, REAL) || op == GPUMM_MAP_NOT
                      || (op >= GPUMM_MAP_LT && op <= GPUMM_MAP_OR) || op >= GPUMM_MAP_OF_TWO;
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
#define ROW(NAME, name, arguments, of_two, ...)                                                    \
  case GPUMM_MAP_##NAME:                                                                           \
    FOR_EACH (of_two);
    GPUMM_ELEMENTWISE_OF_TWO (ROW)
#undef ROW
  }
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
  if ((real == REAL_XY && !leaves_reals (op)) || op >= GPUMM_MAP_OF_TWO) {
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

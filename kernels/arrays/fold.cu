/* fold.cu - sums, products, extremes, norms, any and all of a map's values along one dimension.
 *
 * A thread folds its share of a lane, then the block's threads combine their results. A second
 * launch combines the parts of a lane.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "extremes.h"
#include "gpumm_folds.h"
#include "lanes.h"
#include "programs.h"

/* The state of a fold. Only extremes need places, and only norms need three sums: a fold with a
 * smaller state runs more threads at once. */
enum { VALUE, PLACED, SCALED, EXPONENTS };

template <class W, int KEPT> struct folded { W value; };

/* How an entry enters a value, and how two values combine: columns of the rows. */
enum { OWN, ITSELF, FROM_ZERO, FROM_ONE, SQUARED, TRUE, NONZERO };
enum { ADDED = 1, MULTIPLIED, GREATER, EITHER, BOTH };

/* if (ENTERS (SQUARED)): does the fold op do so by its row? */
#define OR_ENTERS(NAME, name, result, state, begin, enter, ...)                                    \
  || (enter == how && op == GPUMM_FOLD_##NAME)
#define OR_COMBINED(NAME, name, result, state, begin, enter, combine, ...)                         \
  || (combine == how && op == GPUMM_FOLD_##NAME)
#define ENTERS(HOW)                                                                                \
  constexpr int how = HOW;                                                                         \
  (false GPUMM_FOLDS (OR_ENTERS))
#define COMBINED(HOW)                                                                              \
  constexpr int how = HOW;                                                                         \
  (false GPUMM_FOLDS (OR_COMBINED))

template <class W> struct folded<W, PLACED> : placed<W> {};

/* Sums of squares of large, ordinary and small numbers, scaled so that no square overflows or
 * vanishes: Blue's algorithm (ACM TOMS 4, 1978), with the constants of Anderson (ACM TOMS 44,
 * 2017). */
template <class W> struct folded<W, SCALED> { double large, ordinary, small; };

/* The sum of exp (x - most) over the entries seen, where most is the largest real part of them: no
 * exponential overflows (Blanchard, D. Higham, N. Higham, IMA J. Numer. Anal. 41, 2021). */
template <class W> struct folded<W, EXPONENTS> {
  double most;
  W sum;
};

#define LARGE       0x1p486
#define SMALL       0x1p-511
#define SCALE_LARGE 0x1p-538
#define SCALE_SMALL 0x1p537

/* Not by the product with the conjugate, which is infinite for Inf beside NaN. */
DEVICE double square_of (double x) {
  return x * x;
}

DEVICE double square_of (complex<double> x) {
  return x.re * x.re + x.im * x.im;
}

/* The output of a fold: parts in the workspace, or values and places in arrays. */
template <class W, int KEPT> struct results {
  int op, type;
  void *values;
  double *index;
  folded<W, KEPT> *parts;
};

/* The state of a lane without entries. */
template <class W> DEVICE void begin (int op, folded<W, VALUE> &x) {
#define ROW(NAME, name, result, state, begin, ...) || (begin && op == GPUMM_FOLD_##NAME)
  set (x.value, false GPUMM_FOLDS (ROW) ? 1 : 0, 0);
#undef ROW
}

template <class W> DEVICE void begin (int, folded<W, PLACED> &x) {
  x = {{W (), 0}};
}

template <class W> DEVICE void begin (int, folded<W, SCALED> &x) {
  x = {0, 0, 0};
}

template <class W> DEVICE void begin (int, folded<W, EXPONENTS> &x) {
  x = {-INFINITY, W ()};
}

/* The state for entry k. Octave's sum of -0 is 0, and its product begins with 1, which spreads NaN
 * to both parts of the first complex number. In Octave NaN is neither true nor false. */
template <class T, class W> DEVICE void begin (int op, T x, int64_t k, folded<W, VALUE> &y) {
  y.value = wide (x);
  if (ENTERS (FROM_ZERO))
    y.value = add (W (), y.value);
  if (ENTERS (SQUARED))
    set (y.value, square_of (y.value), 0);
  if (ENTERS (FROM_ONE) && k == 0) {
    W one;
    set (one, 1, 0);
    y.value = times (one, y.value);
  }
  if (ENTERS (TRUE))
    set (y.value, !is_nan (x) && !is_zero (x), 0);
  if (ENTERS (NONZERO))
    set (y.value, !is_zero (x), 0);
}

template <class T, class W> DEVICE void begin (int, T x, int64_t k, folded<W, PLACED> &y) {
  y = {{wide (x), k}};
}

/* NaN counts as an ordinary number. */
template <class W> DEVICE void add_square (double x, folded<W, SCALED> &y) {
  const double size = fabs (x);
  if (size > LARGE)
    y.large += (x * SCALE_LARGE) * (x * SCALE_LARGE);
  else if (size < SMALL)
    y.small += (x * SCALE_SMALL) * (x * SCALE_SMALL);
  else
    y.ordinary += x * x;
}

template <class T, class W> DEVICE void begin (int, T x, int64_t, folded<W, SCALED> &y) {
  y = {0, 0, 0};
  add_square (real_part (x), y);
  add_square (imaginary_part (x), y);
}

__device__ static inline double logarithm_of (double x) {
  return log (x);
}

__device__ static inline complex<double> logarithm_of (complex<double> x) {
  return complex_log (x);
}

/* exp (i y) for the imaginary part y of an entry. */
__device__ static inline double turn_of (double) {
  return 1;
}

__device__ static inline complex<double> turn_of (complex<double> x) {
  return complex_exp (complex<double>{0, x.im});
}

template <class T, class W>
__device__ static inline void begin (int, T x, int64_t, folded<W, EXPONENTS> &y) {
  const W z = wide (x);
  y = {real_part (z), turn_of (z)};
  if (isnan (y.most))
    y = {-INFINITY, z};
}

template <class T, class W>
DEVICE void combine (int op, folded<W, PLACED> &x, const folded<W, PLACED> &y) {
  if (is_better<T> (op, y, x))
    x = y;
}

template <class T, class W>
DEVICE void combine (int, folded<W, SCALED> &x, const folded<W, SCALED> &y) {
  x = {x.large + y.large, x.ordinary + y.ordinary, x.small + y.small};
}

/* The sum with exponents beside another largest one. */
template <class W> __device__ static inline W beside (const folded<W, EXPONENTS> &x, double most) {
  W factor;
  set (factor, x.most == most ? 1 : exp (x.most - most), 0);
  return scale (factor, x.sum);
}

template <class T, class W>
DEVICE void combine (int, folded<W, EXPONENTS> &x, const folded<W, EXPONENTS> &y) {
  const double most = x.most > y.most ? x.most : y.most;
  x = {most, add (beside (x, most), beside (y, most))};
}

template <class T, class W>
DEVICE void combine (int op, folded<W, VALUE> &x, const folded<W, VALUE> &y) {
  if (COMBINED (ADDED))
    x.value = add (x.value, y.value);
  else if (COMBINED (MULTIPLIED))
    x.value = times (x.value, y.value);
  else if (COMBINED (GREATER))
    x.value = is_nan (y.value) || real_part (y.value) > real_part (x.value) ? y.value : x.value;
  else if (COMBINED (EITHER))
    set (x.value, !is_zero (x.value) || !is_zero (y.value), 0);
  else
    set (x.value, !is_zero (x.value) && !is_zero (y.value), 0);
}

template <class W, int KEPT> DEVICE W value_of (const folded<W, KEPT> &x) {
  return x.value;
}

/* The root of the sum. Small numbers are negligible next to large ones, but not always next to
 * ordinary ones. */
template <class W> DEVICE W value_of (const folded<W, SCALED> &x) {
  W y;
  double root = sqrt (x.ordinary);
  if (x.large > 0)
    root = sqrt (x.large + (x.ordinary * SCALE_LARGE) * SCALE_LARGE) / SCALE_LARGE;
  else if (x.small > 0 && !(root > 0))
    root = isnan (root) ? root : sqrt (x.small) / SCALE_SMALL;
  else if (x.small > 0) {
    const double least = sqrt (x.small) / SCALE_SMALL;
    const double low = least < root ? least : root, high = least < root ? root : least;
    root = high * sqrt (1 + (low / high) * (low / high));
  }
  set (y, root, 0);
  return y;
}

template <class W> __device__ static inline W value_of (const folded<W, EXPONENTS> &x) {
  W most;
  set (most, x.most, 0);
  return add (most, logarithm_of (x.sum));
}

template <class W> DEVICE double place_of (const folded<W, PLACED> &x) {
  return (double) x.index + 1;
}

template <class W, int KEPT> DEVICE double place_of (const folded<W, KEPT> &) {
  return 0;
}

/* The values of a map, fewer at once than a map takes: the state of the fold needs registers,
 * too. */
template <class T, bool PLAIN> struct of_map {
  typedef T entry;
  typedef decltype (wide (T ())) sum;
  enum { EACH = sizeof (T) < 16 ? 2 : 1, BLOCKS = 3 };
  program<T> p;
  map_layout at;

  template <class F>
  __device__ static void get (const of_map &m, const int64_t (&place)[EACH],
                              const int64_t (&k)[EACH], int op, F (&x)[EACH]) {
    T value[EACH];
    evaluate<T, EACH, PLAIN> (m.p, m.at, place, value);
#pragma unroll
    for (int e = 0; e < EACH; e++)
      begin (op, value[e], k[e], x[e]);
  }
};

/* The entries of a plain array: several are read at once, without the interpreter. */
template <class T> struct of_array {
  typedef T entry;
  typedef decltype (wide (T ())) sum;
  enum { EACH = sizeof (T) < 16 ? 4 : 2, BLOCKS = 4 };
  const T *p;
  map_layout at;

  template <class F>
  __device__ static void get (const of_array &m, const int64_t (&place)[EACH],
                              const int64_t (&k)[EACH], int op, F (&x)[EACH]) {
    T value[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int64_t at[1];
      find (m.at, 0, place[e], at);
      value[e] = m.p[at[0]];
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
      begin (op, value[e], k[e], x[e]);
  }
};

/* The parts of an earlier launch. */
template <class T, int KEPT> struct of_parts {
  typedef T entry;
  typedef decltype (wide (T ())) sum;
  enum { EACH = 1, BLOCKS = 4 };
  const folded<sum, KEPT> *parts;

  __device__ static void get (const of_parts &m, const int64_t (&place)[EACH],
                              const int64_t (&)[EACH], int, folded<sum, KEPT> (&x)[EACH]) {
    x[0] = m.parts[place[0]];
  }
};

template <class SOURCE, int KEPT>
__global__ void __launch_bounds__ (THREADS, SOURCE::BLOCKS)
    fold_lanes (SOURCE source, lanes l, results<typename SOURCE::sum, KEPT> to) {
  typedef typename SOURCE::entry T;
  typedef folded<typename SOURCE::sum, KEPT> F;
  enum { EACH = SOURCE::EACH };
  SHARED (F, shared, 1, THREADS);
  const seat s = seat_of (l);
  const bool is_lane = s.lane < l.inner * l.outer;
  const int64_t first = s.part * l.length, rest = l.count - first;
  const int64_t end = first + (rest < l.length ? rest : l.length);
  F x;
  begin (to.op, x);
  for (int64_t begin = first + s.row; is_lane && begin < end; begin += (int64_t) EACH * s.rows) {
    int64_t place[EACH], k[EACH];
    F y[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) { /* past the end: reads the first one again */
      k[e] = begin + (int64_t) e * s.rows;
      place[e] = place_in (l, s.lane, k[e] < end ? k[e] : begin);
    }
    SOURCE::get (source, place, k, to.op, y);
    if (begin == first + s.row)
      x = y[0];
    else
      combine<T> (to.op, x, y[0]);
#pragma unroll
    for (int e = 1; e < EACH; e++)
      if (k[e] < end)
        combine<T> (to.op, x, y[e]);
  }
  const int t = (int) threadIdx.x;
  shared[0][t] = x;
  __syncthreads ();
  for (int half = s.rows / 2; half > 0; half /= 2) {
    if (s.row < half && first + s.row + half < end) {
      const F y = shared[0][t + half * l.beside];
      combine<T> (to.op, x, y);
      shared[0][t] = x;
    }
    __syncthreads ();
  }
  if (s.row > 0 || !is_lane)
    return;
  if (to.parts) {
    to.parts[s.part * l.inner * l.outer + s.lane] = x;
    return;
  }
  store_as (to.type, to.values, s.lane, value_of (x));
  if (to.index)
    to.index[s.lane] = place_of (x);
}

template <class T, int KEPT, class SOURCE>
static gpumm_status launch_fold (int device, gpumm_stream *stream, const gpumm_operation &f,
                                 const SOURCE &source, void *workspace) {
  typedef of_parts<T, KEPT> parts;
  typedef typename SOURCE::sum W;
  const lanes l = lanes_of (f.inner, f.count, f.outer);
  results<W, KEPT> to = {f.fold, (int) f.result[0].type, f.result[0].values,
                         (double *) f.result[1].values,
                         l.parts > 1 ? (folded<W, KEPT> *) workspace : NULL};
  gpumm_status status = LAUNCH ("fold", (fold_lanes<SOURCE, KEPT>), lane_blocks (l) * l.parts,
                                dim3 (THREADS), device, stream, source, l, to);
  if (status || l.parts == 1)
    return status;
  lanes second = lanes_of (f.inner * f.outer, l.parts, 1);
  second.parts = 1;
  second.length = l.parts;
  const parts from = {to.parts};
  to.parts = NULL;
  return LAUNCH ("fold", (fold_lanes<parts, KEPT>), lane_blocks (second), dim3 (THREADS), device,
                 stream, from, second, to);
}

template <class T, int KEPT>
static gpumm_status choose (int device, gpumm_stream *stream, const gpumm_operation &f,
                            void *workspace) {
  const map_layout at = layout_of (f.map, f.map.input[0]); /* the map's output is not used */
  const bool plain = is_plain (f.map);
  if (f.map.inputs == 1 && f.map.steps == 0 && plain) {
    const of_array<T> source = {(const T *) f.map.input[0].values, at};
    return launch_fold<T, KEPT> (device, stream, f, source, workspace);
  }
  if constexpr (KEPT == VALUE)
    if (plain) {
      const of_map<T, true> source = {program_of<T> (f.map), at};
      return launch_fold<T, KEPT> (device, stream, f, source, workspace);
    }
  const of_map<T, false> source = {program_of<T> (f.map), at};
  return launch_fold<T, KEPT> (device, stream, f, source, workspace);
}

static int kept_by (const gpumm_operation &f) {
#define ROW(NAME, name, result, state, ...) state,
  static const int states[] = {GPUMM_FOLDS (ROW)};
#undef ROW
  return states[f.fold];
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_operation *f,
                            void *workspace) {
  switch (kept_by (*f)) {
  case PLACED:
    WITH_TYPE (f->map.domain, T, return (choose<T, PLACED> (device, stream, *f, workspace)));
  case SCALED:
    WITH_TYPE (f->map.domain, T, return (choose<T, SCALED> (device, stream, *f, workspace)));
  case EXPONENTS:
    WITH_TYPE (f->map.domain, T, return (choose<T, EXPONENTS> (device, stream, *f, workspace)));
  default:
    WITH_TYPE (f->map.domain, T, return (choose<T, VALUE> (device, stream, *f, workspace)));
  }
}

template <class W> static size_t bytes_of_part (const gpumm_operation &f) {
  const int kept = kept_by (f);
  return kept == PLACED      ? sizeof (folded<W, PLACED>)
         : kept == SCALED    ? sizeof (folded<W, SCALED>)
         : kept == EXPONENTS ? sizeof (folded<W, EXPONENTS>)
                             : sizeof (folded<W, VALUE>);
}

static size_t bytes_of_parts (const gpumm_operation *f) {
  const lanes l = lanes_of (f->inner, f->count, f->outer);
  const size_t each =
      is_real (f->map.domain) ? bytes_of_part<double> (*f) : bytes_of_part<complex<double>> (*f);
  return l.parts > 1 ? (size_t) (l.parts * l.inner * l.outer) * each : 0;
}

static gpumm_status check (const gpumm_operation *f) {
  if (f->fold < 0 || f->fold >= GPUMM_FOLD_OPS)
    return gpumm_driver_fail (GPUMM_INVALID, "there is no operation %d", f->fold);
  const int op = f->fold;
  const bool is_extreme = kept_by (*f) == PLACED;
  if (COMBINED (GREATER) && !is_real (f->map.domain))
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "complex numbers have no largest one");
  if (f->result[1].values && (!is_extreme || f->result[1].type != GPUMM_D))
    return gpumm_driver_fail (GPUMM_INVALID, "places are doubles, of max and min alone");
  if (is_extreme && f->count == 0 && f->inner > 0 && f->outer > 0)
    return gpumm_driver_fail (GPUMM_INVALID, "nothing has no maximum and no minimum");
  return GPUMM_OK;
}

ARRAY_ROWS (fold) = {{"fold", COMPUTED_TYPES, 2, GPUMM_LENGTH_ONE, GPUMM_NO_PLACES, GPUMM_READS_MAP,
                      0, check, bytes_of_parts, launch},
                     {}};

/* fold.cu - sums, products, extremes, any and all of a map's values along one dimension.
 *
 * A thread goes down its share of a lane, then the block's threads combine what they have. Parts of a
 * lane are combined by a second launch.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lanes.h"

/* What was folded: the value, and the place of the first that gave it; -1: nothing yet. */
template <class W> struct folded {
  W value;
  int64_t index;
};

/* Where a fold's results go: parts to memory of the workspace, or values and places to arrays. */
template <class W> struct results {
  int op, type;
  void *values;
  double *index;
  folded<W> *parts;
};

template <class W> DEVICE folded<W> nothing (int op) {
  folded<W> x = {W (), -1};
  set (x.value, op == GPUMM_FOLD_PROD || op == GPUMM_FOLD_ALL ? 1 : 0, 0);
  return x;
}

/* A single entry. Octave: NaN is not true, but not false either. */
template <class T> DEVICE auto begun (int op, T x, int64_t k) {
  folded<decltype (wide (x))> y = {wide (x), k};
  if (op == GPUMM_FOLD_ANY)
    set (y.value, !is_nan (x) && !is_zero (x), 0);
  if (op == GPUMM_FOLD_ALL)
    set (y.value, !is_zero (x), 0);
  return y;
}

/* Of two extremes: a number before NaN, then the better, then the first. W as it was computed, T as
 * the entries are: Octave compares abs in that type. */
template <class T, class W> DEVICE bool is_better (int op, const folded<W> &y, const folded<W> &x) {
  if (x.index < 0 || y.index < 0)
    return y.index >= 0;
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

template <class T, class W> DEVICE void combine (int op, folded<W> &x, const folded<W> &y) {
  switch (op) {
  case GPUMM_FOLD_SUM:
    x.value = add (x.value, y.value);
    break;
  case GPUMM_FOLD_PROD:
    x.value = times (x.value, y.value);
    break;
  case GPUMM_FOLD_ANY:
    set (x.value, !is_zero (x.value) || !is_zero (y.value), 0);
    break;
  case GPUMM_FOLD_ALL:
    set (x.value, !is_zero (x.value) && !is_zero (y.value), 0);
    break;
  default:
    if (is_better<T> (op, y, x))
      x = y;
  }
}

/* The values of a map. Fewer at once than a map itself takes: what is folded needs registers, too. */
template <class T> struct of_map {
  typedef T entry;
  typedef decltype (wide (T ())) sum;
  enum { EACH = sizeof (T) < 16 ? 2 : 1 };
  program<T> p;
  map_layout at;

  __device__ static void get (const of_map &m, const int64_t (&place)[EACH],
                              const int64_t (&k)[EACH], int op, folded<sum> (&x)[EACH]) {
    T value[EACH];
    evaluate<T, EACH, false> (m.p, m.at, place, value);
#pragma unroll
    for (int e = 0; e < EACH; e++)
      x[e] = begun (op, value[e], k[e]);
  }
};

/* The entries of an array as they are: several are read at once, and nothing is interpreted. */
template <class T> struct of_array {
  typedef T entry;
  typedef decltype (wide (T ())) sum;
  enum { EACH = sizeof (T) < 16 ? 4 : 2 };
  const T *p;
  map_layout at;

  __device__ static void get (const of_array &m, const int64_t (&place)[EACH],
                              const int64_t (&k)[EACH], int op, folded<sum> (&x)[EACH]) {
    T value[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int64_t at[1];
      find (m.at, 0, place[e], at);
      value[e] = m.p[at[0]];
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
      x[e] = begun (op, value[e], k[e]);
  }
};

/* The parts of an earlier launch. */
template <class T> struct of_parts {
  typedef T entry;
  typedef decltype (wide (T ())) sum;
  enum { EACH = 1 };
  const folded<sum> *parts;

  __device__ static void get (const of_parts &m, const int64_t (&place)[EACH],
                              const int64_t (&)[EACH], int, folded<sum> (&x)[EACH]) {
    x[0] = m.parts[place[0]];
  }
};

template <class SOURCE>
__global__ void __launch_bounds__ (THREADS, 3)
    fold_lanes (SOURCE source, lanes l, results<typename SOURCE::sum> to) {
  typedef typename SOURCE::entry T;
  typedef typename SOURCE::sum W;
  enum { EACH = SOURCE::EACH };
  SHARED (folded<W>, shared, 1, THREADS);
  const seat s = seat_of (l);
  const bool is_lane = s.lane < l.inner * l.outer;
  const int64_t first = s.part * l.length, rest = l.count - first;
  const int64_t end = first + (rest < l.length ? rest : l.length);
  folded<W> x = nothing<W> (to.op);
  for (int64_t begin = first + s.row; is_lane && begin < end; begin += (int64_t) EACH * s.rows) {
    int64_t place[EACH], k[EACH];
    folded<W> y[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) { /* past the end: the first one again */
      k[e] = begin + (int64_t) e * s.rows;
      place[e] = place_in (l, s.lane, k[e] < end ? k[e] : begin);
    }
    SOURCE::get (source, place, k, to.op, y);
#pragma unroll
    for (int e = 0; e < EACH; e++)
      if (k[e] < end)
        combine<T> (to.op, x, y[e]);
  }
  const int t = (int) threadIdx.x;
  shared[0][t] = x;
  __syncthreads ();
  for (int half = s.rows / 2; half > 0; half /= 2) {
    if (s.row < half) {
      const folded<W> y = shared[0][t + half * l.beside];
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
  store_as (to.type, to.values, s.lane, x.value);
  if (to.index)
    to.index[s.lane] = (double) x.index + 1;
}

template <class T, class SOURCE>
static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_fold &f,
                            const SOURCE &source, void *workspace) {
  typedef of_parts<T> parts;
  typedef decltype (wide (T ())) W;
  const lanes l = lanes_of (f.inner, f.count, f.outer);
  results<W> to = {f.op, (int) f.output.type, f.output.values, (double *) f.index.values,
                   l.parts > 1 ? (folded<W> *) workspace : NULL};
  gpumm_status status = LAUNCH ("fold", fold_lanes<SOURCE>, lane_blocks (l) * l.parts,
                                dim3 (THREADS), device, stream, source, l, to);
  if (status || l.parts == 1)
    return status;
  lanes second = lanes_of (f.inner * f.outer, l.parts, 1);
  second.parts = 1;
  second.length = l.parts;
  const parts from = {(const folded<W> *) workspace};
  to.parts = NULL;
  return LAUNCH ("fold", fold_lanes<parts>, lane_blocks (second), dim3 (THREADS), device, stream,
                 from, second, to);
}

template <class T>
static gpumm_status choose (int device, gpumm_stream *stream, const gpumm_fold &f,
                            void *workspace) {
  const map_layout at = layout_of (f.map, f.map.input[0]); /* the output is not used */
  if (f.map.inputs == 1 && f.map.steps == 0 && is_plain (f.map)) {
    const of_array<T> source = {(const T *) f.map.input[0].values, at};
    return launch<T> (device, stream, f, source, workspace);
  }
  const of_map<T> source = {program_of<T> (f.map), at};
  return launch<T> (device, stream, f, source, workspace);
}

gpumm_status gpumm_driver_fold (int device, gpumm_stream *stream, const gpumm_fold *f,
                                void *workspace) {
  WITH_TYPE (f->map.domain, T, return choose<T> (device, stream, *f, workspace));
}

size_t gpumm_driver_fold_bytes (const gpumm_fold *f) {
  const lanes l = lanes_of (f->inner, f->count, f->outer);
  const size_t each =
      is_real (f->map.domain) ? sizeof (folded<double>) : sizeof (folded<complex<double> >);
  return l.parts > 1 ? (size_t) (l.parts * l.inner * l.outer) * each : 0;
}

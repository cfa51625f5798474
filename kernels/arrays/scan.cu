/* scan.cu - running sums, products and extremes along one dimension.
 *
 * A block scans its lanes tile by tile. A thread sums a few consecutive entries, the threads add up
 * their sums in shared memory, and the total of the tile is carried to the next tile. If a lane is
 * cut into parts, a first launch computes the total of each part. In the second launch each part
 * begins with the totals of the parts before it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "extremes.h"
#include "gpumm_folds.h"
#include "lanes.h"

/* S is what is kept of the entries seen: a sum or product, or a placed extreme. */
template <class S> struct scanning {
  int op, from_type, to_type;
  const void *from;
  void *to;
  double *places; /* of extremes; NULL: not wanted */
  S *totals;      /* of the parts; NULL: one part */
  bool only_totals;
};

/* An extreme of entries of type T, in which it is compared. */
template <class T> struct best : placed<decltype (wide (T ()))> {};

template <class W> DEVICE W both (int op, W x, W y) {
  return op == GPUMM_FOLD_SUM ? add (x, y) : times (x, y);
}

template <class T> DEVICE best<T> both (int op, best<T> x, best<T> y) {
  return is_better<T> (op, y, x) ? y : x;
}

/* Reads entry k of a lane, which lies at `place`. */
template <class W> DEVICE void enter (const scanning<W> &s, int64_t place, int64_t, W &x) {
  x = load<W> (s.from_type, s.from, place, false);
}

template <class T>
DEVICE void enter (const scanning<best<T>> &s, int64_t place, int64_t k, best<T> &x) {
  x = {{load<decltype (x.value)> (s.from_type, s.from, place, false), k}};
}

template <class W> DEVICE void leave (const scanning<W> &s, int64_t place, W x) {
  store_as (s.to_type, s.to, place, x);
}

template <class T> DEVICE void leave (const scanning<best<T>> &s, int64_t place, best<T> x) {
  store_as (s.to_type, s.to, place, x.value);
  if (s.places)
    s.places[place] = (double) x.index + 1;
}

template <class S> __global__ void __launch_bounds__ (THREADS) scan_lanes (scanning<S> s, lanes l) {
  enum { EACH = 4 };
  SHARED (S, sums, 1, THREADS);
  const seat at = seat_of (l);
  const int64_t all = l.inner * l.outer, first = at.part * l.length;
  const int64_t rest = l.count - first, end = first + (rest < l.length ? rest : l.length);
  const bool is_lane = at.lane < all;
  const int t = (int) threadIdx.x;
  /* No entry stands for nothing: 1 times a complex number may differ from it. */
  bool carries = s.totals && !s.only_totals && is_lane && at.part > 0;
  S carried = S ();
  if (carries)
    carried = s.totals[at.lane];
  for (int64_t part = 1; carries && part < at.part; part++)
    carried = both (s.op, carried, s.totals[part * all + at.lane]);
  for (int64_t begin = first; begin < end; begin += (int64_t) at.rows * EACH) {
    const int64_t k = begin + (int64_t) at.row * EACH;
    S x[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
      if (is_lane && k + e < end)
        enter (s, place_in (l, at.lane, k + e), k + e, x[e]);
      else
        x[e] = S ();
#pragma unroll
    for (int e = 1; e < EACH; e++)
      x[e] = k + e < end ? both (s.op, x[e - 1], x[e]) : x[e - 1];
    S sum = x[EACH - 1];
    sums[0][t] = sum;
    __syncthreads ();
    for (int back = 1; back < at.rows; back *= 2) {
      S before = S ();
      if (at.row >= back)
        before = sums[0][t - back * l.beside];
      __syncthreads ();
      sum = at.row >= back && k < end ? both (s.op, before, sum) : sum;
      sums[0][t] = sum;
      __syncthreads ();
    }
    const int64_t full = (end - 1 - begin) / EACH; /* the row with the last entry */
    const int last = full < at.rows ? (int) full : at.rows - 1;
    const S tile = sums[0][at.column + last * l.beside];
    if (!s.only_totals) {
      S before = carried;
      if (at.row > 0) {
        const S above = sums[0][t - l.beside];
        before = carries ? both (s.op, before, above) : above;
      }
#pragma unroll
      for (int e = 0; e < EACH; e++)
        if (is_lane && k + e < end)
          leave (s, place_in (l, at.lane, k + e),
                 carries || at.row > 0 ? both (s.op, before, x[e]) : x[e]);
    }
    carried = carries ? both (s.op, carried, tile) : tile;
    carries = true;
    __syncthreads ();
  }
  if (s.only_totals && is_lane && at.row == 0)
    s.totals[at.part * all + at.lane] = carried;
}

template <class S>
static gpumm_status launch_scan (int device, gpumm_stream *stream, const gpumm_operation &scan,
                                 void *workspace) {
  const lanes l = lanes_of (scan.inner, scan.count, scan.outer);
  const gpumm_view &from = scan.map.input[0], &to = scan.result[0];
  scanning<S> s = {scan.fold,
                   (int) from.type,
                   (int) to.type,
                   from.values,
                   to.values,
                   (double *) scan.result[1].values,
                   l.parts > 1 ? (S *) workspace : NULL,
                   l.parts > 1};
  const int64_t blocks = lane_blocks (l) * l.parts;
  gpumm_status status = GPUMM_OK;
  if (l.parts > 1)
    status = LAUNCH ("scan", scan_lanes<S>, blocks, dim3 (THREADS), device, stream, s, l);
  s.only_totals = false;
  return status ? status
                : LAUNCH ("scan", scan_lanes<S>, blocks, dim3 (THREADS), device, stream, s, l);
}

static bool is_extreme (const gpumm_operation &scan) {
  return scan.fold == GPUMM_FOLD_MAX || scan.fold == GPUMM_FOLD_MIN;
}

/* What has no arithmetic of its own is compared as double. */
static gpumm_type domain_of (const gpumm_operation &scan) {
  const gpumm_type type = scan.map.input[0].type;
  return type <= GPUMM_Z ? type : GPUMM_D;
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_operation *scan,
                            void *workspace) {
  if (is_extreme (*scan))
    WITH_TYPE (domain_of (*scan), T,
               return (launch_scan<best<T>> (device, stream, *scan, workspace)));
  return is_real (scan->map.input[0].type)
             ? launch_scan<double> (device, stream, *scan, workspace)
             : launch_scan<complex<double>> (device, stream, *scan, workspace);
}

static size_t bytes_of_totals (const gpumm_operation *scan) {
  const lanes l = lanes_of (scan->inner, scan->count, scan->outer);
  const bool real = is_real (scan->map.input[0].type);
  const size_t each = is_extreme (*scan)
                          ? real ? sizeof (best<double>) : sizeof (best<complex<double>>)
                      : real ? sizeof (double)
                             : sizeof (complex<double>);
  return l.parts > 1 ? (size_t) (l.parts * l.inner * l.outer) * each : 0;
}

static gpumm_status check (const gpumm_operation *scan) {
  const bool extremes = is_extreme (*scan);
  if (!extremes && scan->fold != GPUMM_FOLD_SUM && scan->fold != GPUMM_FOLD_PROD)
    return gpumm_driver_fail (GPUMM_INVALID, "only sums, products, max and min run");
  if (scan->result[1].values && (!extremes || scan->result[1].type != GPUMM_D))
    return gpumm_driver_fail (GPUMM_INVALID, "places are doubles, of max and min alone");
  return GPUMM_OK;
}

ARRAY_ROWS (scan) = {{"scan", COMPUTED_TYPES, 2, GPUMM_SAME_LENGTH, GPUMM_NO_PLACES,
                      GPUMM_READS_INPUT, 1, check, bytes_of_totals, launch},
                     {}};

/* scan.cu - running sums and products along one dimension.
 *
 * A block scans its lanes tile by tile. A thread sums a few consecutive entries, the threads add up
 * their sums in shared memory, and the total of the tile is carried to the next tile. If a lane is
 * cut into parts, a first launch computes the total of each part. In the second launch each part
 * begins with the totals of the parts before it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_folds.h"
#include "lanes.h"

template <class W> struct scanning {
  int op, from_type, to_type;
  const void *from;
  void *to;
  W *totals; /* of the parts; NULL: one part */
  bool only_totals;
};

template <class W> DEVICE W both (int op, W x, W y) {
  return op == GPUMM_FOLD_SUM ? add (x, y) : times (x, y);
}

template <class W> __global__ void __launch_bounds__ (THREADS) scan_lanes (scanning<W> s, lanes l) {
  enum { EACH = 4 };
  SHARED (W, sums, 1, THREADS);
  const seat at = seat_of (l);
  const int64_t all = l.inner * l.outer, first = at.part * l.length;
  const int64_t rest = l.count - first, end = first + (rest < l.length ? rest : l.length);
  const bool is_lane = at.lane < all;
  const int t = (int) threadIdx.x;
  /* No entry stands for nothing: 1 times a complex number may differ from it. */
  bool carries = s.totals && !s.only_totals && is_lane && at.part > 0;
  W carried = W ();
  if (carries)
    carried = s.totals[at.lane];
  for (int64_t part = 1; carries && part < at.part; part++)
    carried = both (s.op, carried, s.totals[part * all + at.lane]);
  for (int64_t begin = first; begin < end; begin += (int64_t) at.rows * EACH) {
    const int64_t k = begin + (int64_t) at.row * EACH;
    W x[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
      x[e] = is_lane && k + e < end
                 ? load<W> (s.from_type, s.from, place_in (l, at.lane, k + e), false)
                 : W ();
#pragma unroll
    for (int e = 1; e < EACH; e++)
      x[e] = k + e < end ? both (s.op, x[e - 1], x[e]) : x[e - 1];
    W sum = x[EACH - 1];
    sums[0][t] = sum;
    __syncthreads ();
    for (int back = 1; back < at.rows; back *= 2) {
      W before = W ();
      if (at.row >= back)
        before = sums[0][t - back * l.beside];
      __syncthreads ();
      sum = at.row >= back && k < end ? both (s.op, before, sum) : sum;
      sums[0][t] = sum;
      __syncthreads ();
    }
    const int64_t full = (end - 1 - begin) / EACH; /* the row with the last entry */
    const int last = full < at.rows ? (int) full : at.rows - 1;
    const W tile = sums[0][at.column + last * l.beside];
    if (!s.only_totals) {
      W before = carried;
      if (at.row > 0) {
        const W above = sums[0][t - l.beside];
        before = carries ? both (s.op, before, above) : above;
      }
#pragma unroll
      for (int e = 0; e < EACH; e++)
        if (is_lane && k + e < end)
          store_as (s.to_type, s.to, place_in (l, at.lane, k + e),
                    carries || at.row > 0 ? both (s.op, before, x[e]) : x[e]);
    }
    carried = carries ? both (s.op, carried, tile) : tile;
    carries = true;
    __syncthreads ();
  }
  if (s.only_totals && is_lane && at.row == 0)
    s.totals[at.part * all + at.lane] = carried;
}

template <class W>
static gpumm_status launch_scan (int device, gpumm_stream *stream, const gpumm_operation &scan,
                                 void *workspace) {
  const lanes l = lanes_of (scan.inner, scan.count, scan.outer);
  const gpumm_view &from = scan.map.input[0], &to = scan.result[0];
  scanning<W> s = {scan.fold,   (int) from.type, (int) to.type,
                   from.values, to.values,       l.parts > 1 ? (W *) workspace : NULL,
                   l.parts > 1};
  const int64_t blocks = lane_blocks (l) * l.parts;
  gpumm_status status = GPUMM_OK;
  if (l.parts > 1)
    status = LAUNCH ("scan", scan_lanes<W>, blocks, dim3 (THREADS), device, stream, s, l);
  s.only_totals = false;
  return status ? status
                : LAUNCH ("scan", scan_lanes<W>, blocks, dim3 (THREADS), device, stream, s, l);
}

static gpumm_status launch (int device, gpumm_stream *stream, const gpumm_operation *scan,
                            void *workspace) {
  return is_real (scan->map.input[0].type)
             ? launch_scan<double> (device, stream, *scan, workspace)
             : launch_scan<complex<double>> (device, stream, *scan, workspace);
}

static size_t bytes_of_totals (const gpumm_operation *scan) {
  const lanes l = lanes_of (scan->inner, scan->count, scan->outer);
  const size_t each = is_real (scan->map.input[0].type) ? sizeof (double) : 2 * sizeof (double);
  return l.parts > 1 ? (size_t) (l.parts * l.inner * l.outer) * each : 0;
}

static gpumm_status check (const gpumm_operation *scan) {
  return scan->fold == GPUMM_FOLD_SUM || scan->fold == GPUMM_FOLD_PROD
             ? GPUMM_OK
             : gpumm_driver_fail (GPUMM_INVALID, "only sums and products run");
}

ARRAY_ROWS (scan) = {{"scan", COMPUTED_TYPES, 1, GPUMM_SAME_LENGTH, GPUMM_NO_PLACES, 0, 1, check,
                      bytes_of_totals, launch},
                     {}};

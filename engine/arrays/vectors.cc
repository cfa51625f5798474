// vectors.cc - see vectors.h.
//
// It describes work on patterns for the engine, and raises what fails. It does not know the structs
// sparse and blocks, and so not whether a matrix is turned, conjugated or stores zeros.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "vectors.h"

#include <algorithm>

namespace gpumm {

array vector (int device, gpumm_type type, int64_t count) {
  return new_array (device, type, shape (count, 1));
}

array to_device (int device, gpumm_type type, int64_t count, const void *from) {
  const array x = vector (device, type, count);
  from_host (from, x);
  return x;
}

gpumm_view view (const array &x) {
  return x.buffer ? view_of (x) : gpumm_view ();
}

gpumm_matrix pattern_of (int64_t rows, int64_t cols, const array &start, const array &index) {
  gpumm_matrix m = {};
  m.format = GPUMM_SPARSE;
  m.rows = rows;
  m.cols = cols;
  m.nzmax = index.numel ();
  m.start = static_cast<int64_t *> (start.values ());
  m.index = index.values ();
  m.start_buffer = start.buffer.get ();
  m.index_buffer = index.buffer.get ();
  return m;
}

void set_values (gpumm_matrix &m, const array &values) {
  m.type = values.type;
  m.values = values.values ();
  m.buffer = values.buffer.get ();
}

void run_sparse_work (const gpumm_sparse_work &w) {
  need (gpumm_sparse_run (&w));
}

void read_back::add (const array &x, int64_t place, int64_t count, void *to) {
  gpumm_read read = {};
  read.at = view_of (x, place);
  read.count = count;
  read.to = to;
  arrays.push_back (x);
  list.push_back (read);
}

void read_back::now () {
  need (gpumm_read_back (list.data (), int (list.size ())));
}

int64_t read_one (const array &x, int64_t place) {
  int64_t count = 0;
  read_back l;
  l.add (x, place, 1, &count);
  l.now ();
  return int64_t (count);
}

marks marks_of (int device, const gpumm_matrix &a) {
  const marks m (device, a.nzmax);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_KEEP;
  w.a = a;
  m.attach (w);
  run_sparse_work (w);
  return m;
}

gpumm_sparse_work matched (const gpumm_matrix &a, const gpumm_matrix &b, const marks &m) {
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_MATCH;
  w.a = a;
  w.b = b;
  m.attach (w);
  run_sparse_work (w);
  return w;
}

void move_blocks (bool puts, const array &part, const array &whole, const array &places,
                  int64_t each) {
  picking p = pick_between (puts, part, whole);
  p.size[0] = p.whole_size[0] = each;
  p.size[1] = places.numel ();
  p.whole_size[1] = whole.numel () / each;
  p.part.stride[0] = p.whole.stride[0] = 1;
  p.part.stride[1] = p.whole.stride[1] = each;
  p.places[0].step = 1;
  p.places[1].buffer = places.buffer.get ();
  p.places[1].vector = places.values ();
  p.places[1].from_1 = places.type == GPUMM_D;
  if (part.is_scalar ())
    p.part.stride[1] = 0;
  if (places.numel () > 0)
    run (p);
}

void put_at (const array &places, const array &values, const array &x) {
  move_blocks (true, moved (values, x.device), x, places, 1);
}

array picked (bool put, array values, const array &places, int64_t count) {
  values = plain (values);
  const array y = put ? zeros (values.device, values.type, shape (count, 1))
                      : vector (values.device, values.type, count);
  move_blocks (put, put ? values : y, put ? y : values, places, 1);
  return y;
}

// Entries of int64 and uint64 are compared with zero before.
static gpumm_matrix entries_of (array &x) {
  if (is_wide (x.type))
    x = not_zero (x);
  gpumm_matrix all = {};
  all.nzmax = x.numel ();
  set_values (all, ready (x));
  return all;
}

array places_of (array x) {
  x = plain (x);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_PLACES;
  w.a = entries_of (x);
  const marks m = marks_of (x.device, w.a);
  m.attach (w);
  const array places = vector (x.device, GPUMM_D, m.count ());
  w.c.nzmax = places.numel ();
  w.places = view_of (places);
  run_sparse_work (w);
  return places;
}

int64_t nonzeros_of (const array &x) {
  if (x.numel () == 0)
    return 0;
  array values = x;
  values.turned = false; // counted as stored
  const gpumm_matrix all = entries_of (values);
  return marks_of (x.device, all).count ();
}

} // namespace gpumm

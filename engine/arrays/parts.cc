// parts.cc - parts of arrays, and arrays made of others: see array.h.
//
// Entries are moved here, never computed: a transpose is a flag, and a conjugated array is
// conjugated where it is read. The callers have checked the indices. More dimensions than a device
// takes are refused.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "array.h"

#include <algorithm>

namespace gpumm {

array reshaped (array x, const shape &size) {
  x = plain (x);
  x.size = size;
  return x;
}

array transposed (array x, bool conjugates) {
  ready (x);
  x.size = shape (x.size (1), x.size (0));
  x.turned = !x.turned;
  x.conjugated = x.conjugated != (conjugates && is_complex (x.type));
  return x;
}

array permuted (const array &given, const std::vector<int> &order) {
  const array x = plain (given);
  const int dims = int (order.size ());
  const distances stride = strides_of (x, x.size.redim (std::max (dims, x.size.ndims ())));
  distances from;
  shape size = shape ().redim (dims);
  for (int d = 0; d < dims; d++) {
    size (d) = x.size (order[std::size_t (d)]);
    from.push_back (stride[std::size_t (order[std::size_t (d)])]);
  }
  array y = new_array (x.device, x.type, size);
  copy_entries (view_of (x), view_of (y), size, from, strides_of (y, size));
  return y;
}

// Dimension after dimension: the array as inner x 1 x outer is repeated to inner x times x outer.
array repeated (array x, const shape &times) {
  shape size = x.size.redim (std::max (times.ndims (), x.size.ndims ()));
  for (int d = 0; d < times.ndims (); d++) {
    if (times (d) == 1)
      continue;
    int64_t inner = 1, outer = 1;
    for (int k = 0; k < size.ndims (); k++)
      (k <= d ? inner : outer) *= size (k);
    x = reshaped (x, shape (inner, 1, outer));
    if (double (size (d)) * double (times (d)) >= 0x1p62)
      throw std::bad_alloc ();
    size (d) *= times (d);
    x = pending_array (program_of (x), x.type, shape (inner, times (d), outer), x.device);
  }
  size.chop_trailing_singletons ();
  return reshaped (x, size);
}

// ---- parts --------------------------------------------------------------------------------------

// An index of a dimension of n for the engine. `memory` keeps the places, if they are a list.
static gpumm_places places_of (const selection &index, int64_t n, int device,
                               std::vector<array> &memory) {
  gpumm_places p = {};
  if (index.length (n) == 0)
    return p;
  p.first = index (0);
  p.step = index.increment ();
  if (const std::vector<int64_t> *list = index.list ()) {
    memory.push_back (new_array (device, GPUMM_I64, shape (index.length (n), 1)));
    from_host (list->data (), memory.back ());
    p.buffer = memory.back ().buffer.get ();
    p.vector = memory.back ().values ();
  }
  return p;
}

picking pick_between (bool put, const array &part, const array &whole) {
  picking p = {};
  p.put = put;
  p.part = view_of (part);
  p.whole = view_of (whole);
  std::fill_n (p.size, GPUMM_MAP_DIMS, 1);
  std::fill_n (p.whole_size, GPUMM_MAP_DIMS, 1);
  return p;
}

void run (const picking &p) {
  gpumm_operation o = {};
  o.name = p.put ? "put" : "pick";
  o.map.inputs = 1;
  o.map.input[0] = p.put ? p.part : p.whole;
  o.result[0] = p.put ? p.whole : p.part;
  std::copy_n (p.put ? p.size : p.whole_size, GPUMM_MAP_DIMS, o.map.size);
  std::copy_n (p.put ? p.whole_size : p.size, GPUMM_MAP_DIMS, o.size);
  std::copy_n (p.places, GPUMM_MAP_DIMS, o.places);
  need (gpumm_operation_run (&o));
}

void pick (bool put, const array &part, const shape &part_size, const array &whole,
           const shape &whole_size, const std::vector<selection> &index) {
  const int dims = int (index.size ());
  if (dims > GPUMM_MAP_DIMS)
    say_limit (std::to_string (dims) + " indices are more than the "
               + std::to_string (GPUMM_MAP_DIMS) + " of a device. Use gather (X)");
  const array there = put ? moved (part, whole.device) : part;
  std::vector<array> memory;
  picking p = pick_between (put, there, whole);
  const distances turned{whole.size (1), 1}; // a transposed matrix has two indices
  int64_t step = 1, whole_step = 1;
  for (int d = 0; d < dims; d++) {
    p.size[d] = part_size (d);
    p.whole_size[d] = whole_size (d);
    p.part.stride[d] = part.is_scalar () ? 0 : step;
    p.whole.stride[d] = whole.turned ? turned[d] : whole_step;
    step *= part_size (d);
    whole_step *= whole_size (d);
    p.places[d] = places_of (index[d], whole_size (d), whole.device, memory);
  }
  run (p);
}

shape size_of_part (const std::vector<selection> &index, const shape &whole) {
  shape size = shape (1, 1).redim (int (index.size ()));
  for (std::size_t d = 0; d < index.size (); d++)
    size (int (d)) = index[d].length (whole (int (d)));
  return size;
}

shape seen_by (const array &x, int indices) {
  return indices == 1 ? shape (x.numel (), 1) : x.size.redim (indices);
}

array part_of (array x, const std::vector<selection> &index) {
  const int dims = int (index.size ());
  ready (x);
  if (dims == 0)
    return x;
  const shape whole = seen_by (x, dims);
  if (dims == 1 && index[0].is_all ())
    return reshaped (x, whole);
  if (dims != 2)
    x = plain (x);
  const shape size = size_of_part (index, whole);
  array y = new_array (x.device, x.type, size);
  y.conjugated = x.conjugated; // copied as stored; readers conjugate
  if (y.numel () > 0)
    pick (false, y, size, x, whole, index);
  return y;
}

array seen_part_of (const array &x, const std::vector<selection> &index) {
  const int dims = int (index.size ());
  if (dims < 2 || x.turned)
    return part_of (x, index);
  const shape whole = x.size.redim (dims);
  const int64_t count = whole (dims - 1);
  const selection &last = index.back ();
  const bool keeps_all = std::all_of (index.begin (), index.end () - 1,
                                      [] (const selection &i) { return i.is_all (); });
  if (!keeps_all || last.list () || last.length (count) == 0
      || (last.increment () != 1 && last.length (count) > 1))
    return part_of (x, index);
  array y = x;
  y.offset += last (0) * (x.numel () / count);
  y.is_part = true;
  y.size = whole;
  y.size (dims - 1) = last.length (count);
  y.size.chop_trailing_singletons ();
  return y;
}

array own_copy (array x) {
  ready (x);
  if (x.buffer.use_count () == 2 && !x.turned && !x.conjugated) // the caller's and this one
    return x;
  return copied (x);
}

// ---- arrays made of others ----------------------------------------------------------------------

array enlarged (const array &x, const shape &size) {
  const array y = zeros (x.device, x.type, size);
  if (x.numel () == 0)
    return y;
  const shape part = x.size.redim (size.ndims ());
  std::vector<selection> index;
  for (int d = 0; d < size.ndims (); d++)
    index.push_back (selection::range (0, part (d)));
  pick (true, plain (x), part, y, size, index);
  return y;
}

array joined (const std::vector<array> &parts, int dim, const shape &size, int device,
              gpumm_type type) {
  int64_t inner = 1, outer = 1, at = 0;
  for (int d = 0; d < size.ndims (); d++)
    if (d != dim)
      (d < dim ? inner : outer) *= size (d);
  const array y = new_array (device, type, size);
  const int64_t all = y.numel () / (inner * outer); // size may have no dimension dim
  for (const array &x : parts) {
    const int64_t count = x.numel () / (inner * outer);
    const distances from = {1, inner, inner * count}, to = {1, inner, inner * all};
    copy_entries (view_of (plain (x)), view_of (y, at * inner), shape (inner, count, outer), from,
                  to);
    at += count;
  }
  return y;
}

// The first entry of the k-th diagonal of a matrix, and the distance to the next.
static gpumm_view diagonal_view (const array &matrix, int64_t k, int64_t &step) {
  const int64_t down = matrix.turned ? matrix.size (1) : 1,
                across = matrix.turned ? 1 : matrix.size (0);
  step = down + across;
  return view_of (matrix, k > 0 ? k * across : -k * down);
}

array diagonal_of (const array &given, int64_t k) {
  array x = given;
  ready (x);
  const int64_t rows = x.size (0), cols = x.size (1);
  const int64_t count = k > 0 ? std::min (rows, cols - k) : std::min (rows + k, cols);
  const array y = new_array (x.device, x.type, shape (std::max<int64_t> (count, 0), 1));
  int64_t step = 0;
  if (count > 0) {
    const gpumm_view diagonal = diagonal_view (x, k, step);
    copy_entries (diagonal, view_of (y), y.size, {step, 0}, {1, 0});
  }
  return y;
}

array matrix_with_diagonal (const array &given, int64_t k) {
  array x = given;
  ready (x);
  const int64_t count = x.numel (), n = count + std::abs (k);
  const array y = zeros (x.device, x.type, shape (n, n));
  int64_t step = 0;
  const gpumm_view diagonal = diagonal_view (y, k, step);
  copy_entries (view_of (x), diagonal, shape (count, 1), {1, 0}, {step, 0});
  return y;
}

} // namespace gpumm

// device_blocks.cc - matrices in blocks on a device: memory and storage.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_blocks_parts.h"

#include <algorithm>

#include <octave/ov-struct.h>

namespace gpumm {

// ---- memory -------------------------------------------------------------------------------------

bool is_blocksparse (const octave_base_value &x) {
  return x.class_name () == "blocksparse";
}

gpumm_matrix grid_of (const blocks &x) {
  return pattern_of (x.cols / x.block_cols, x.rows / x.block_rows, x.start, x.index);
}

blocks new_blocks (int device, gpumm_type type, const blocks &sizes, index_type stored,
                   const array *start) {
  blocks x;
  x.device = device;
  x.rows = sizes.rows;
  x.cols = sizes.cols;
  x.block_rows = sizes.block_rows;
  x.block_cols = sizes.block_cols;
  x.stored = stored;
  x.start = start ? *start : vector (device, GPUMM_I64, x.rows / x.block_rows + 1);
  x.index = vector (device, GPUMM_I32, stored);
  x.values = new_array (device, type, dim_vector (x.block_rows * x.block_cols, stored));
  x.twin = std::make_shared<blocks> ();
  return x;
}

blocks none_like (const blocks &x, const dim_vector &size) {
  const dim_vector block = x.block_size ();
  const bool divides = size (0) % block (0) == 0 && size (1) % block (1) == 0;
  blocks sizes;
  sizes.rows = size (0);
  sizes.cols = size (1);
  sizes.block_rows = divides ? block (0) : 1;
  sizes.block_cols = divides ? block (1) : 1;
  blocks y = new_blocks (x.device, x.values.type, sizes, 0);
  y.start = zeros (x.device, GPUMM_I64, y.start.size);
  return y;
}

blocks upload_blocks (const octave_value &value, int device) {
  const octave_scalar_map s = by_octave ("__blocksparse__", ovl (value)).scalar_map_value ();
  const auto size = [&s] (const char *name) {
    return index_type (s.contents (name).double_value ());
  };
  blocks x;
  x.device = device;
  x.rows = size ("rows");
  x.cols = size ("cols");
  x.block_rows = size ("block_rows");
  x.block_cols = size ("block_cols");
  if (x.rows / x.block_rows >= INT32_MAX || x.cols / x.block_cols >= INT32_MAX)
    say_gather (
        "a blocksparse on a device must have less than 2^31 - 1 rows and columns of blocks");
  x.start = upload (s.contents ("start"), device);
  x.index = upload (s.contents ("column"), device);
  x.values = upload (s.contents ("values"), device);
  x.stored = x.index.numel ();
  x.values.size = dim_vector (x.block_rows * x.block_cols, x.stored);
  x.twin = std::make_shared<blocks> ();
  return x;
}

blocks moved (const blocks &x, int device) {
  return moved_stored (x, device);
}

octave_value download (blocks x) {
  drop_zeros (x);
  x = straight (x);
  array values = ready (x.values);
  values.size = dim_vector (x.block_rows, x.block_cols * x.stored);
  octave_scalar_map s;
  s.assign ("rows", double (x.rows));
  s.assign ("cols", double (x.cols));
  s.assign ("block_rows", double (x.block_rows));
  s.assign ("block_cols", double (x.block_cols));
  s.assign ("start", download (x.start));
  s.assign ("column", download (x.index));
  s.assign ("values", download (values));
  return by_octave ("__blocksparse__", ovl (octave_value (s), "product"));
}

// ---- patterns -----------------------------------------------------------------------------------

array multiples (int device, index_type count, index_type step) {
  // 0 and step as 64-bit integers, written by halves: a copy from the host would wait
  const array from = zeros (device, GPUMM_I64, dim_vector (2, 1));
  array halves = from,
        half = converted (as_array (operand_of (octave_value (double (step)), device)), GPUMM_U32);
  halves.type = GPUMM_U32;
  halves.size = dim_vector (4, 1);
  pick (true, ready (half), half.size, halves, halves.size, {octave::idx_vector (2)});
  const array which = zeros (device, GPUMM_I64, dim_vector (count, 1));
  const array y = vector (device, GPUMM_I64, count + 1);
  gpumm_sparse_work w = {}; // offsets of columns of the same length
  w.op = GPUMM_SPARSE_LENGTHS;
  w.a = pattern_of (0, 1, from, array ());
  w.which = view (which);
  w.c = pattern_of (0, count, y, array ());
  run (w);
  return y;
}

meeting::meeting (int device, const gpumm_matrix &a, const gpumm_matrix &b)
    : in_a (device, a.nzmax) {
  gpumm_sparse_work w = matched (a, b, in_a);
  count = in_a.count ();
  from_a = vector (device, GPUMM_I64, count);
  from_b = vector (device, GPUMM_I64, count);
  const array start = vector (device, GPUMM_I64, a.cols + 1),
              index = vector (device, GPUMM_I32, count);
  w.op = GPUMM_SPARSE_MEET;
  w.c = pattern_of (a.rows, a.cols, start, index);
  w.from_a = view (from_a);
  w.from_b = view (from_b);
  run (w);
}

// The values at these places. A pending program is computed for these places only.
array taken (const array &values, const array &places) {
  const dim_vector size (values.size (0), places.numel ());
  if (values.pending) {
    program p = *values.pending;
    for (array &input : p.inputs)
      input = taken (input, places);
    return pending_array (p, values.type, size, values.device);
  }
  const array all = plain (values), part = new_array (all.device, all.type, size);
  move_blocks (false, part, all, places, all.size (0));
  return part;
}

void put (const array &blocks, const array &places, const array &whole) {
  move_blocks (true, plain (blocks), whole, places, whole.size (0));
}

array put_among_zeros (const array &blocks, const array &places, index_type count) {
  const array y = zeros (blocks.device, blocks.type, dim_vector (blocks.size (0), count));
  put (blocks, places, y);
  return y;
}

blocks packed (blocks x, const marks &m, index_type kept) {
  blocks y = new_blocks (x.device, x.values.type, x, 0);
  y.stored = kept;
  y.index = vector (x.device, GPUMM_I32, kept);
  const array from = vector (x.device, GPUMM_I64, kept), same = vector (x.device, GPUMM_I64, kept);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_MEET; // of the pattern with itself: the marked blocks and their places
  w.a = w.b = grid_of (x);
  m.attach (w);
  w.c = grid_of (y);
  w.from_a = view (from);
  w.from_b = view (same);
  run (w);
  ready (x.values);
  y.values = taken (x.values, from);
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

// Marks the blocks whose number is not 0.
static marks marks_by (array numbers, const blocks &x) {
  gpumm_matrix a = grid_of (x);
  set_values (a, ready (numbers));
  return marks_of (x.device, a);
}

marks marks_of (blocks &x) {
  ready (x.values);
  return marks_by (fold (GPUMM_FOLD_ANY, not_zero (x.values), 0, GPUMM_B), x);
}

static blocks marked_by (const array &numbers, const blocks &x) {
  const marks m = marks_by (numbers, x);
  const index_type kept = m.count ();
  return kept < x.stored ? packed (x, m, kept) : x;
}

const blocks &drop_zeros (blocks &x) {
  return without_zeros (x);
}

blocks without_small (blocks x, double most) {
  if (x.stored > 0) {
    ready (x.values);
    const array values = is_float (x.values.type) ? x.values : converted (x.values, GPUMM_D),
                norms = fold (GPUMM_FOLD_NORM, values, 0, GPUMM_D);
    const array small = entrywise (operation_of (octave_value::op_le), operand (norms),
                                   operand_of (octave_value (most), x.device));
    x = marked_by (applied (small, {step_of (GPUMM_MAP_NOT)}, GPUMM_D, GPUMM_B), x); // keeps NaN
  }
  x.zero = array ();
  x.may_store_zeros = false;
  return x;
}

// ---- transposes ---------------------------------------------------------------------------------

blocks transposed (blocks x, bool conjugates) {
  return transposed_stored (x, conjugates);
}

blocks twin_of (blocks &x) {
  if (x.twin && x.twin->start.buffer)
    return *x.twin;
  blocks sizes;
  sizes.rows = x.cols;
  sizes.cols = x.rows;
  sizes.block_rows = x.block_cols;
  sizes.block_cols = x.block_rows;
  blocks t = new_blocks (x.device, x.values.type, sizes, x.stored);
  const array numbers = multiples (x.device, x.stored, 1),
              from = vector (x.device, GPUMM_I64, x.stored);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_TRANSPOSE;
  w.a = grid_of (x);
  set_values (w.a, numbers);
  w.c = grid_of (t);
  set_values (w.c, from);
  run (w);
  gpumm_pick p = {}; // element (c, r) of a block of t is element (r, c) of x's block
  p.part = view (t.values);
  p.whole = view (x.values);
  const int64_t each = x.block_rows * x.block_cols;
  const int64_t size[] = {x.block_cols, x.block_rows, x.stored, 1};
  const int64_t down[] = {1, x.block_cols, each, 0}, across[] = {x.block_rows, 1, each, 0};
  for (int d = 0; d < 4; d++) {
    p.size[d] = p.whole_size[d] = size[d];
    p.part.stride[d] = down[d];
    p.whole.stride[d] = across[d];
    p.places[d].step = 1;
  }
  p.places[2].buffer = from.buffer.get ();
  p.places[2].vector = static_cast<const int64_t *> (from.values ());
  if (x.stored > 0)
    need (gpumm_pick_entries (&p));
  t.twin = nullptr; // the transpose of t is not kept
  if (!x.twin)
    return t;
  *x.twin = t;
  return t;
}

// ---- elements -----------------------------------------------------------------------------------

array values_of (blocks x) {
  drop_zeros (x);
  return reshaped (x.values, dim_vector (x.values.numel (), 1));
}

octave_idx_type nonzeros_of (blocks x) {
  return nonzeros_of (ready (x.values));
}

} // namespace gpumm

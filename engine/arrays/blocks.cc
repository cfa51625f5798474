// blocks.cc - memory, patterns and functions of matrices in blocks: see blocks.h.
//
// It has no kernels of its own: a pattern is handled as the sparse matrix that grid_of makes of it,
// the elements as one array. Only counts and answers come to the host, never an element.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.h"
#include "gpumm_elementwise.h"
#include "gpumm_folds.h"

#include <algorithm>

namespace gpumm {

// ---- memory -------------------------------------------------------------------------------------

gpumm_matrix grid_of (const blocks &x) {
  return pattern_of (x.cols / x.block_cols, x.rows / x.block_rows, x.start, x.index);
}

blocks new_blocks (int device, gpumm_type type, const blocks &sizes, int64_t stored,
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
  x.values = new_array (device, type, shape (x.block_rows * x.block_cols, stored));
  x.twin = std::make_shared<blocks> ();
  return x;
}

blocks none_like (const blocks &x, const shape &size) {
  const shape block = x.block_size ();
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

blocks moved (const blocks &x, int device) {
  return moved_stored (x, device);
}

// ---- patterns -----------------------------------------------------------------------------------

array multiples (int device, int64_t count, int64_t step) {
  // 0 and step as 64-bit integers, written by halves: a copy from the host would wait
  const array from = zeros (device, GPUMM_I64, shape (2, 1));
  array halves = from,
        half =
            converted (as_array (number_operand ({double (step), 0}, GPUMM_D, device)), GPUMM_U32);
  halves.type = GPUMM_U32;
  halves.size = shape (4, 1);
  pick (true, ready (half), half.size, halves, halves.size, {selection (2, 1, 1)});
  const array which = zeros (device, GPUMM_I64, shape (count, 1));
  const array y = vector (device, GPUMM_I64, count + 1);
  gpumm_sparse_work w = {}; // offsets of columns of the same length
  w.op = GPUMM_SPARSE_LENGTHS;
  w.a = pattern_of (0, 1, from, array ());
  w.which = view (which);
  w.c = pattern_of (0, count, y, array ());
  run_sparse_work (w);
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
  run_sparse_work (w);
}

// The values at these places. A pending program is computed for these places only.
array taken (const array &values, const array &places) {
  const shape size (values.size (0), places.numel ());
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

array put_among_zeros (const array &blocks, const array &places, int64_t count) {
  const array y = zeros (blocks.device, blocks.type, shape (blocks.size (0), count));
  put (blocks, places, y);
  return y;
}

blocks packed (blocks x, const marks &m, int64_t kept) {
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
  run_sparse_work (w);
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
  const int64_t kept = m.count ();
  return kept < x.stored ? packed (x, m, kept) : x;
}

const blocks &drop_zeros (blocks &x) {
  return without_zeros (x);
}

blocks without_small (blocks x, const array &numbers, double most) {
  if (x.stored > 0) {
    ready (x.values);
    const array norms = fold (GPUMM_FOLD_NORM, numbers, 0, GPUMM_D);
    const array small =
        combined (GPUMM_MAP_LE, operand (norms), number_operand ({most, 0}, GPUMM_D, x.device));
    x = marked_by (applied (small, {step_of (GPUMM_MAP_NOT)}, GPUMM_D, GPUMM_B), x); // keeps NaN
  }
  x.zero = array ();
  x.may_store_zeros = false;
  return x;
}

// ---- transposes ---------------------------------------------------------------------------------

blocks transposed (const blocks &x, bool conjugates) {
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
  run_sparse_work (w);
  // element (c, r) of a block of t is element (r, c) of x's block
  picking p = pick_between (false, t.values, x.values);
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
  p.places[2].vector = from.values ();
  if (x.stored > 0)
    run (p);
  t.twin = nullptr; // the transpose of t is not kept
  if (!x.twin)
    return t;
  *x.twin = t;
  return t;
}

// ---- elements -----------------------------------------------------------------------------------

array values_of (blocks x) {
  drop_zeros (x);
  return reshaped (x.values, shape (x.values.numel (), 1));
}

int64_t nonzeros_of (blocks x) {
  return nonzeros_of (ready (x.values));
}

// ---- functions ----------------------------------------------------------------------------------

blocks mapped (const function &f, blocks x, gpumm_type type) {
  if (f.map == GPUMM_MAP_CONJ && is_complex (x.type ())) {
    x.conjugated = !x.conjugated;
    return x;
  }
  if (x.conjugated)
    x = straight (x);
  const bool might_store_zeros = x.may_store_zeros;
  const array zero = x.zero;
  blocks y = with_values (x, mapped (f, x.values, type));
  if (f.map == GPUMM_MAP_ABS || f.map == GPUMM_MAP_CONJ) { // zero only where x is zero
    y.may_store_zeros = might_store_zeros;
    y.zero = zero;
  }
  return y;
}

blocks converted (blocks x, gpumm_type type) {
  if (x.conjugated)
    x = straight (x);
  return x.values.type == type ? x : with_values (x, converted (x.values, type));
}

bool equal (blocks a, blocks b) {
  drop_zeros (a);
  drop_zeros (b);
  if (a.stored != b.stored || a.stored == 0)
    return a.stored == b.stored;
  a = straight (a);
  b = straight (b);
  if (meeting (a.device, grid_of (a), grid_of (b)).count < a.stored)
    return false;
  const array same = combined (GPUMM_MAP_EQ, operand (a.values), operand (b.values));
  return holds (GPUMM_FOLD_ALL, same);
}

array diagonal_of (blocks x) {
  if (x.rows == 0 && x.cols == 0) // as Octave's diag; of 0 x n it is 0 x 1
    return new_array (x.device, x.values.type, shape (0, 0));
  const int64_t b = x.block_rows, n = std::min (x.rows, x.cols) / b, down = x.rows / b;
  std::vector<int64_t> ends (down + 1);
  std::vector<int32_t> on (n);
  for (int64_t i = 0; i <= down; i++)
    ends[i] = std::min (i, n);
  for (int64_t i = 0; i < n; i++)
    on[i] = int32_t (i);
  const array start = to_device (x.device, GPUMM_I64, down + 1, ends.data ());
  const array index = to_device (x.device, GPUMM_I32, n, on.data ());
  const gpumm_matrix diagonal = pattern_of (x.cols / x.block_cols, down, start, index);
  const meeting both (x.device, diagonal, grid_of (x));
  x.values = plain (x.values);
  array of_blocks = new_array (x.device, x.values.type, shape (b, both.count));
  picking p = pick_between (false, of_blocks, x.values);
  p.size[0] = p.whole_size[0] = b;
  p.size[1] = both.count;
  p.whole_size[1] = x.stored;
  p.part.stride[0] = 1;
  p.part.stride[1] = b;
  p.whole.stride[0] = b + 1;
  p.whole.stride[1] = b * b;
  p.places[0].step = 1;
  p.places[1].buffer = both.from_b.buffer.get ();
  p.places[1].vector = both.from_b.values ();
  if (both.count > 0)
    run (p);
  array y = put_among_zeros (of_blocks, both.from_a, n);
  y.size = shape (b * n, 1);
  y.conjugated = x.conjugated;
  return y;
}

} // namespace gpumm

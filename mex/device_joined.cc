// device_joined.cc - concatenation of sparse matrices and of matrices in blocks on a device: [X, Y],
// [X; Y].
//
// Octave makes an empty result and inserts the parts one after another. The pattern of a part is moved
// to its place and united with the pattern so far. No place is in both, so the number of entries is
// known without a look.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_blocks_parts.h"
#include "device_sparse_parts.h"

namespace gpumm {

// The offsets of a pattern by columns that begins at column `col` of a matrix with more columns.
static array start_at (const array &start, index_type cols, index_type col) {
  const index_type count = start.numel (), behind = cols + 1 - col - count;
  const dim_vector size (cols + 1, 1);
  const array y = zeros (start.device, GPUMM_I64, size), last = vector (start.device, GPUMM_I64, 1);
  pick (true, start, start.size, y, size, {octave::idx_vector (col, col + count)});
  if (behind > 0) {
    pick (false, last, last.size, start, start.size, {octave::idx_vector (count - 1)});
    pick (true, last, dim_vector (behind, 1), y, size,
          {octave::idx_vector (col + count, cols + 1)});
  }
  return y;
}

static array index_at (const array &index, index_type row) {
  if (row == 0)
    return index;
  array y = applied (index, {step_of (GPUMM_MAP_ADD, GPUMM_MAP_CONSTANT, false, {double (row), 0})},
                     GPUMM_D, GPUMM_I32);
  return ready (y);
}

// b moved into a matrix of a's size: its columns or block rows begin at `line` of `lines`, and its
// indices at `at`.
template <typename M>
static M placed (M b, const M &a, index_type lines, index_type line, index_type at) {
  b.start = start_at (b.start, lines, line);
  b.index = index_at (b.index, at);
  b.rows = a.rows;
  b.cols = a.cols;
  b.twin = std::make_shared<M> ();
  return b;
}

// The union of two patterns of one size, by columns, that share no place, and the places of the entries.
struct union_of {
  array start, index, from_a, from_b;

  union_of (int device, const gpumm_csc &a, const gpumm_csc &b)
      : start (vector (device, GPUMM_I64, a.cols + 1)),
        index (vector (device, GPUMM_I32, a.stored + b.stored)),
        from_a (vector (device, GPUMM_I64, a.stored)),
        from_b (vector (device, GPUMM_I64, b.stored)) {
    const marks none (device, a.stored);
    gpumm_sparse_work w = matched (a, b, none);
    w.op = GPUMM_SPARSE_UNITE;
    w.c.rows = a.rows;
    w.c.cols = a.cols;
    w.c.stored = a.stored + b.stored;
    w.c.start = view (start);
    w.c.index = view (index);
    w.from_a = view (from_a);
    w.from_b = view (from_b);
    run (w);
  }

  // The matrix with the entries of a and b; each has this number of elements.
  template <typename M> M matrix (const M &a, const M &b, index_type each) const {
    array u = plain (a.values), v = plain (b.values);
    u.size = dim_vector (each, from_a.numel ());
    v.size = dim_vector (each, from_b.numel ());
    const array values = new_array (u.device, u.type, dim_vector (each, index.numel ()));
    put (u, from_a, values);
    put (v, from_b, values);
    M c = with_values (a, values);
    c.stored += b.stored;
    c.start = start;
    c.index = index;
    c.unsure = a.unsure || b.unsure;
    return c;
  }
};

sparse inserted (sparse a, sparse b, index_type row, index_type col) {
  const gpumm_type type =
      a.type () == GPUMM_B && b.type () == GPUMM_B ? GPUMM_B : product_type (a.type (), b.type ());
  a = in_type (straight (a), type);
  b = in_type (straight (b), type);
  if (b.stored == 0)
    return a;
  b = placed (b, a, a.cols, col, row);
  if (a.stored == 0)
    return b;
  sparse c = union_of (a.device, csc_of (a), csc_of (b)).matrix (a, b, 1);
  c.values.size = dim_vector (c.stored, 1);
  c.thinned = a.thinned || b.thinned;
  return c;
}

blocks inserted (blocks a, blocks b, index_type row, index_type col) {
  const gpumm_type type =
      is_complex (a.type ()) || is_complex (b.type ()) ? complex_type (a.type ()) : a.type ();
  a = in_type (straight (a), type);
  b = in_type (straight (b), type);
  if (b.stored == 0)
    return a;
  b = placed (b, a, a.rows / a.block_rows, row / a.block_rows, col / a.block_cols);
  if (a.stored == 0)
    return b;
  const union_of both (a.device, grid_of (a), grid_of (b));
  return both.matrix (a, b, a.block_rows * a.block_cols);
}

} // namespace gpumm

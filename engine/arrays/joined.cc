// joined.cc - concatenation of sparse matrices and of matrices in blocks: [X, Y], [X; Y].
//
// Octave inserts parts into an empty result one after another, which would take quadratic time. So
// they are kept until the result is needed. Then each row of parts, and after that the column of
// rows, is joined two by two, as in a tournament. Two patterns are moved to their places and
// united. No place is in both, so the number of entries is known without a look.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.h"

namespace gpumm {

// The offsets of a pattern by columns that begins at column `col` of a matrix with more columns.
static array start_at (const array &start, int64_t cols, int64_t col) {
  const int64_t count = start.numel (), behind = cols + 1 - col - count;
  const shape size (cols + 1, 1);
  const array y = zeros (start.device, GPUMM_I64, size), last = vector (start.device, GPUMM_I64, 1);
  pick (true, start, start.size, y, size, {selection::range (col, col + count)});
  if (behind > 0) {
    pick (false, last, last.size, start, start.size, {selection (count - 1, 1, 1)});
    pick (true, last, shape (behind, 1), y, size, {selection::range (col + count, cols + 1)});
  }
  return y;
}

static array index_at (const array &index, int64_t row) {
  if (row == 0)
    return index;
  array y = applied (index, {step_of (GPUMM_MAP_ADD, GPUMM_MAP_CONSTANT, false, {double (row), 0})},
                     GPUMM_D, GPUMM_I32);
  return ready (y);
}

// x moved into a matrix of this size: its columns or block rows begin at `line` of `lines`, and its
// indices at `at`.
template <typename M>
static M placed (M x, const shape &size, int64_t lines, int64_t line, int64_t at) {
  if (x.size () == size)
    return x;
  x.start = start_at (x.start, lines, line);
  x.index = index_at (x.index, at);
  x.rows = size (0);
  x.cols = size (1);
  x.twin = std::make_shared<M> ();
  return x;
}

// The union of two patterns of one size, by columns, that share no place, and the places of the
// entries.
struct union_of {
  array start, index, from_a, from_b;

  union_of (int device, const gpumm_matrix &a, const gpumm_matrix &b)
      : start (vector (device, GPUMM_I64, a.cols + 1)),
        index (vector (device, GPUMM_I32, a.nzmax + b.nzmax)),
        from_a (vector (device, GPUMM_I64, a.nzmax)), from_b (vector (device, GPUMM_I64, b.nzmax)) {
    const marks none (device, a.nzmax);
    gpumm_sparse_work w = matched (a, b, none);
    w.op = GPUMM_SPARSE_UNITE;
    w.c = pattern_of (a.rows, a.cols, start, index);
    w.from_a = view (from_a);
    w.from_b = view (from_b);
    run_sparse_work (w);
  }

  // The matrix with the entries of a and b; each has this number of elements.
  template <typename M> M matrix (const M &a, const M &b, int64_t each) const {
    array u = plain (a.values), v = plain (b.values);
    u.size = shape (each, from_a.numel ());
    v.size = shape (each, from_b.numel ());
    const array values = new_array (u.device, u.type, shape (each, index.numel ()));
    put (u, from_a, values);
    put (v, from_b, values);
    M c = with_values (a, values);
    c.stored += b.stored;
    c.start = start;
    c.index = index;
    c.may_store_zeros = a.may_store_zeros || b.may_store_zeros;
    return c;
  }
};

// ---- two parts ----------------------------------------------------------------------------------

// a at the beginning of a matrix of this size, and b at this row and column.
static sparse united (sparse a, sparse b, const shape &size, int64_t row, int64_t col) {
  const gpumm_type type =
      a.type () == GPUMM_B && b.type () == GPUMM_B ? GPUMM_B : product_type (a.type (), b.type ());
  a = placed (in_type (straight (a), type), size, size (1), 0, 0);
  b = placed (in_type (straight (b), type), size, size (1), col, row);
  if (a.stored == 0 || b.stored == 0)
    return a.stored == 0 ? b : a;
  sparse c = union_of (a.device, stored_of (a), stored_of (b)).matrix (a, b, 1);
  c.values.size = shape (c.stored, 1);
  c.thinned = a.thinned || b.thinned;
  return c;
}

static blocks united (blocks a, blocks b, const shape &size, int64_t row, int64_t col) {
  const gpumm_type type =
      is_complex (a.type ()) || is_complex (b.type ()) ? complex_type (a.type ()) : a.type ();
  const int64_t lines = size (0) / a.block_size () (0);
  row /= a.block_size () (0);
  col /= a.block_size () (1);
  a = placed (in_type (straight (a), type), size, lines, 0, 0);
  b = placed (in_type (straight (b), type), size, lines, row, col);
  if (a.stored == 0 || b.stored == 0)
    return a.stored == 0 ? b : a;
  const union_of both (a.device, grid_of (a), grid_of (b));
  return both.matrix (a, b, a.block_rows * a.block_cols);
}

// ---- all parts ----------------------------------------------------------------------------------

// The parts from `first` to before `last`, below each other or beside each other.
template <typename M>
static M tournament (const std::vector<part<M>> &parts, std::size_t first, std::size_t last,
                     bool below) {
  if (last - first == 1)
    return parts[first].m;
  const std::size_t middle = first + (last - first) / 2;
  const M a = tournament (parts, first, middle, below), b = tournament (parts, middle, last, below);
  const shape p = a.size (), q = b.size ();
  return below ? united (a, b, shape (p (0) + q (0), p (1)), p (0), 0)
               : united (a, b, shape (p (0), p (1) + q (1)), 0, p (1));
}

template <typename M> static M joined_stored (const M &base, const std::vector<part<M>> &parts) {
  const auto numel = [] (const M &m) { return double (m.size () (0)) * double (m.size () (1)); };
  const auto put = [] (const M &whole, const part<M> &p) {
    return united (whole, p.m, whole.size (), p.row, p.col);
  };
  return joined_rows (base, parts, numel, tournament<M>, put);
}

sparse joined (const sparse &base, const std::vector<part<sparse>> &parts) {
  return joined_stored (base, parts);
}

blocks joined (const blocks &base, const std::vector<part<blocks>> &parts) {
  return joined_stored (base, parts);
}

} // namespace gpumm

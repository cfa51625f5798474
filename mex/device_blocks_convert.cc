// device_blocks_convert.cc - matrices in blocks on a device become full and sparse, full ones blocks.
//
// A full matrix is first cut into bricks: its blocks side by side, block row by block row. Then a
// block's place in the grid is its place among the bricks.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_blocks_parts.h"
#include "device_sparse_parts.h"

#include <algorithm>

namespace gpumm {

// As a blocksparse of the host: larger ones must be asked for by full (X).
static const double MOST_IMPLICIT_BYTES = 1 << 30;

// 0, 1, ... as entries of an I32 vector.
static array ramp (int device, index_type count) {
  std::vector<int32_t> x (count);
  for (index_type i = 0; i < count; i++)
    x[i] = int32_t (i);
  return to_device (device, GPUMM_I32, count, x.data ());
}

// Moves entries of an array of this size, from strides to strides.
static void move (const array &from, const array &to, const dim_vector &size,
                  const distances &from_stride, const distances &to_stride) {
  gpumm_map m = {};
  m.domain = domain_of (from.type);
  m.inputs = 1;
  m.input[0] = view_of (from);
  m.output = view_of (to);
  lay_out (m, size, {from_stride, to_stride});
  if (size.numel () > 0)
    need (gpumm_map_entries (&m));
}

// How the elements of a full matrix lie: in blocks as (r, i, c, j), in bricks as (r, c, j, i).
struct bricks {
  index_type block_rows, block_cols, down, across;

  explicit bricks (const blocks &x)
      : block_rows (x.block_rows), block_cols (x.block_cols), down (x.rows / x.block_rows),
        across (x.cols / x.block_cols) {
  }
  index_type each () const {
    return block_rows * block_cols;
  }
  dim_vector size () const { // down a column, as the full matrix lies
    return dim_vector (block_rows, down, block_cols, across);
  }
  distances in_full () const {
    const index_type rows = block_rows * down;
    return {1, block_rows, rows, rows * block_cols};
  }
  distances in_bricks () const {
    return {1, each () * across, block_rows, each ()};
  }

  // A grid with all its blocks.
  gpumm_csc grid (array &start, array &index, int device) const {
    start = multiples (device, down, across);
    index = vector (device, GPUMM_I32, down * across);
    move (ramp (device, across), index, dim_vector (across, down), {1, 0}, {1, across});
    gpumm_csc m = {};
    m.rows = across;
    m.cols = down;
    m.stored = down * across;
    m.start = view (start);
    m.index = view (index);
    return m;
  }
};

array full_of (blocks x) {
  if (x.is_hosted ())
    return hosted (by_octave ("full", ovl (x.host)));
  x.values = plain (x.values);
  const bricks b (x);
  array y = x.stored > 0 ? new_array (x.device, x.values.type, dim_vector (x.rows, x.cols))
                         : zeros (x.device, x.values.type, dim_vector (x.rows, x.cols));
  if (x.stored > 0) {
    array start, index;
    const meeting places (x.device, grid_of (x), b.grid (start, index, x.device));
    const array all = put_among_zeros (x.values, places.from_b, b.down * b.across);
    move (all, y, b.size (), b.in_bricks (), b.in_full ());
  }
  y.size = x.size ();
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

array implicit_full_of (const blocks &x) {
  const dim_vector size = x.size ();
  const double bytes =
      double (size (0)) * double (size (1)) * double (gpumm_type_bytes (x.type ()));
  if (bytes > MOST_IMPLICIT_BYTES)
    error_with_id ("gpumm:unsupported",
                   "blocksparse: this needs all of %ldx%ld elements, %.3g GB: say full (S)",
                   long (size (0)), long (size (1)), 1e-9 * bytes);
  return full_of (x);
}

blocks blocks_of (const array &given, const dim_vector &block_size) {
  array x = given;
  if (is_hosted (ready (x)))
    return hosted_blocks (
        by_octave ("blocksparse", ovl (x.host, RowVector (Matrix (block_size.as_array ())))));
  x = plain (converted (x, is_float (x.type) ? x.type : GPUMM_D));
  blocks sizes;
  sizes.rows = x.size (0);
  sizes.cols = x.size (1);
  sizes.block_rows = block_size (0);
  sizes.block_cols = block_size (1);
  const bricks b (sizes);
  array all = new_array (x.device, x.type, dim_vector (b.each (), b.down * b.across));
  move (x, all, b.size (), b.in_full (), b.in_bricks ());
  if (all.numel () == 0) {
    blocks none = new_blocks (x.device, x.type, sizes, 0);
    none.start = zeros (x.device, GPUMM_I64, none.start.size);
    return none;
  }
  array start, index;
  blocks y = sizes;
  y.device = x.device;
  (void) b.grid (start, index, x.device);
  y.start = start;
  y.column = index;
  y.stored = b.down * b.across;
  y.values = all;
  y.twin = std::make_shared<blocks> ();
  y.unsure = true;
  settle (y);
  return y;
}

// Elements by columns: the columns of blocks are sorted by their places in the matrix, which keeps block
// rows in order, and each is moved as it is.
sparse sparse_of (blocks x) {
  if (x.is_hosted ())
    return hosted_sparse (by_octave ("sparse", ovl (x.host)));
  settle (x);
  x = straight (x);
  const index_type count = x.stored * x.block_cols, elements = count * x.block_rows;
  const gpumm_type type = is_complex (x.values.type) ? GPUMM_Z : GPUMM_D;
  if (count > INT32_MAX || x.rows >= INT32_MAX || x.cols >= INT32_MAX)
    say_gather (
        "a sparse matrix on a device has less than 2^31 rows, columns and columns of blocks");
  sparse y = new_sparse (x.device, type, x.rows, x.cols, elements);
  // a column of a block: its block row, its column in the matrix, and where it is stored
  const array starts =
      picked (false, multiples (x.device, x.stored, x.block_cols), x.start, x.start.numel ());
  array column = vector (x.device, GPUMM_I32, count);
  program p;
  p.domain = GPUMM_D;
  array wide = x.column, inside = ramp (x.device, x.block_cols);
  wide.size = dim_vector (1, x.stored);
  p.inputs = {wide, inside};
  p.steps = {step_of (GPUMM_MAP_MUL, GPUMM_MAP_CONSTANT, false, {double (x.block_cols), 0}),
             step_of (GPUMM_MAP_ADD, 1)};
  column.size = dim_vector (x.block_cols, x.stored);
  run (p, column);
  const array numbers = multiples (x.device, count, 1), order = vector (x.device, GPUMM_I64, count);
  const array sorted = vector (x.device, GPUMM_I64, x.cols + 1),
              row = vector (x.device, GPUMM_I32, count);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_TRANSPOSE;
  w.a.rows = x.cols;
  w.a.cols = x.rows / x.block_rows;
  w.a.stored = w.c.stored = count;
  w.a.start = view (starts);
  w.a.index = view (column);
  w.a.values = view (numbers);
  w.c.rows = w.a.cols;
  w.c.cols = w.a.rows;
  w.c.start = view (sorted);
  w.c.index = view (row);
  w.c.values = view (order);
  run (w);
  // elements of these columns, one below the other
  y.start = picked (false, multiples (x.device, count, x.block_rows), sorted, sorted.numel ());
  array index = y.index, of = row, below = ramp (x.device, x.block_rows);
  index.size = dim_vector (x.block_rows, count);
  of.size = dim_vector (1, count);
  p.inputs = {of, below};
  p.steps[0].constant = {double (x.block_rows), 0};
  run (p, index);
  array values = plain (converted (x.values, type));
  values.size = dim_vector (x.block_rows, count);
  y.values = taken (values, order);
  y.values.size = dim_vector (elements, 1);
  y.unsure = true;
  return y;
}

} // namespace gpumm

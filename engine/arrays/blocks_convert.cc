// blocks_convert.cc - conversions of matrices in blocks to full and sparse, and from full; parts of
// them, which are full: see blocks.h.
//
// A full matrix is first cut into bricks: its blocks one after another, block row by block row. The
// place of a block in the grid is then its place among the bricks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.h"

#include <algorithm>

namespace gpumm {

// 0, 1, ... as entries of an I32 vector.
static array ramp (int device, int64_t count) {
  std::vector<int32_t> x (count);
  for (int64_t i = 0; i < count; i++)
    x[i] = int32_t (i);
  return to_device (device, GPUMM_I32, count, x.data ());
}

// The order of the elements of a full matrix: (r, i, c, j) by columns, (r, c, j, i) in bricks.
struct bricks {
  int64_t block_rows, block_cols, down, across;

  bricks (const blocks &x, int64_t down, int64_t across)
      : block_rows (x.block_rows), block_cols (x.block_cols), down (down), across (across) {
  }
  explicit bricks (const blocks &x) : bricks (x, x.rows / x.block_rows, x.cols / x.block_cols) {
  }
  int64_t each () const {
    return block_rows * block_cols;
  }
  shape size () const { // in the order of the full matrix
    return shape (block_rows, down, block_cols, across);
  }
  distances in_full () const {
    const int64_t rows = block_rows * down;
    return {1, block_rows, rows, rows * block_cols};
  }
  distances in_bricks () const {
    return {1, each () * across, block_rows, each ()};
  }

  // The full matrix with these blocks at these places among the bricks.
  array full (const array &stored, const array &places) const {
    const array y =
        new_array (stored.device, stored.type, shape (block_rows * down, block_cols * across));
    copy_entries (view_of (put_among_zeros (stored, places, down * across)), view_of (y), size (),
                  in_bricks (), in_full ());
    return y;
  }

  // The pattern in which all blocks are stored.
  gpumm_matrix grid (array &start, array &index, int device) const {
    start = multiples (device, down, across);
    index = vector (device, GPUMM_I32, down * across);
    copy_entries (view_of (ramp (device, across)), view_of (index), shape (across, down), {1, 0},
                  {1, across});
    return pattern_of (across, down, start, index);
  }
};

array full_of (blocks x) {
  x.values = plain (x.values);
  const bricks b (x);
  array y;
  if (x.stored > 0) {
    array start, index;
    const meeting places (x.device, grid_of (x), b.grid (start, index, x.device));
    y = b.full (x.values, places.from_b);
  } else
    y = zeros (x.device, x.values.type, shape (x.rows, x.cols));
  y.size = x.size ();
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

// ---- parts --------------------------------------------------------------------------------------

// The sorted block rows (or block columns) that an index touches, and the index within them.
struct touched {
  std::vector<int32_t> blocks;
  selection inside;

  touched (const selection &index, int64_t rows, int64_t block_rows) {
    const int64_t count = index.length (rows);
    if (index.is_all ()) {
      for (int64_t i = 0; i < rows / block_rows; i++)
        blocks.push_back (int32_t (i));
      return;
    }
    for (int64_t i = 0; i < count; i++)
      if (blocks.empty () || blocks.back () != index (i) / block_rows)
        blocks.push_back (int32_t (index (i) / block_rows));
    std::sort (blocks.begin (), blocks.end ());
    blocks.erase (std::unique (blocks.begin (), blocks.end ()), blocks.end ());
    std::vector<int64_t> at (count);
    bool is_whole = count == int64_t (blocks.size ()) * block_rows;
    for (int64_t i = 0; i < count; i++) {
      const auto place = std::lower_bound (blocks.begin (), blocks.end (), index (i) / block_rows);
      at[i] = (place - blocks.begin ()) * block_rows + index (i) % block_rows;
      is_whole = is_whole && at[i] == i;
    }
    if (!is_whole)
      inside = selection (at);
  }
};

// Makes only those stored blocks full that these rows and columns touch.
static array full_part (blocks x, const selection &rows, const selection &cols) {
  const shape size (rows.length (x.rows), cols.length (x.cols));
  if (size.checked_numel () == 0 || x.stored == 0)
    return zeros (x.device, x.values.type, size);
  const touched down (rows, x.rows, x.block_rows), across (cols, x.cols, x.block_cols);
  const int64_t count = int64_t (across.blocks.size ());
  const bricks b (x, int64_t (down.blocks.size ()), count);
  std::vector<int64_t> ends (x.rows / x.block_rows + 1);
  for (const int32_t i : down.blocks)
    ends[i + 1] = count;
  for (std::size_t i = 1; i < ends.size (); i++)
    ends[i] += ends[i - 1];
  const array start = to_device (x.device, GPUMM_I64, int64_t (ends.size ()), ends.data ()),
              index = vector (x.device, GPUMM_I32, b.down * count);
  copy_entries (view_of (to_device (x.device, GPUMM_I32, count, across.blocks.data ())),
                view_of (index), shape (count, b.down), {1, 0}, {1, count});
  const gpumm_matrix grid = pattern_of (x.cols / x.block_cols, x.rows / x.block_rows, start, index);
  const meeting places (x.device, grid, grid_of (x));
  ready (x.values);
  array y = b.full (plain (taken (x.values, places.from_b)), places.from_a);
  return down.inside.is_all () && across.inside.is_all ()
             ? y
             : part_of (y, {down.inside, across.inside});
}

array part_of (const blocks &x, const selection &rows, const selection &cols) {
  array y = x.turned ? full_part (x, cols, rows) : full_part (x, rows, cols);
  if (x.turned)
    y.size = shape (y.size (1), y.size (0));
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

blocks blocks_of (const array &given, const shape &block_size) {
  const array x = plain (converted (given, given.type == GPUMM_B ? GPUMM_D : given.type));
  blocks sizes;
  sizes.rows = x.size (0);
  sizes.cols = x.size (1);
  sizes.block_rows = block_size (0);
  sizes.block_cols = block_size (1);
  const bricks b (sizes);
  array all = new_array (x.device, x.type, shape (b.each (), b.down * b.across));
  copy_entries (view_of (x), view_of (all), b.size (), b.in_full (), b.in_bricks ());
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
  y.index = index;
  y.stored = b.down * b.across;
  y.values = all;
  y.twin = std::make_shared<blocks> ();
  y.may_store_zeros = true;
  drop_zeros (y);
  return y;
}

// Sorts the columns of all blocks by their column in the matrix, which keeps block rows in order,
// and moves each of them whole.
sparse sparse_of (blocks x) {
  drop_zeros (x);
  x = straight (x);
  const int64_t count = x.stored * x.block_cols, elements = count * x.block_rows;
  const gpumm_type type = is_complex (x.values.type) ? GPUMM_Z : GPUMM_D;
  if (count > INT32_MAX || x.rows >= INT32_MAX || x.cols >= INT32_MAX)
    say_limit ("a sparse matrix on a device must have less than 2^31 - 1 rows, columns and "
               "columns of blocks. Use gather (X)");
  sparse y = new_sparse (x.device, type, x.rows, x.cols, elements);
  // for each column of a block: its block row, its column in the matrix, and its place in memory
  const array starts =
      picked (false, multiples (x.device, x.stored, x.block_cols), x.start, x.start.numel ());
  array column = vector (x.device, GPUMM_I32, count);
  program p;
  p.domain = GPUMM_D;
  array wide = x.index, inside = ramp (x.device, x.block_cols);
  wide.size = shape (1, x.stored);
  p.inputs = {wide, inside};
  p.steps = {step_of (GPUMM_MAP_MUL, GPUMM_MAP_CONSTANT, false, {double (x.block_cols), 0}),
             step_of (GPUMM_MAP_ADD, 1)};
  column.size = shape (x.block_cols, x.stored);
  run_program (p, column);
  const array numbers = multiples (x.device, count, 1), order = vector (x.device, GPUMM_I64, count);
  const array sorted = vector (x.device, GPUMM_I64, x.cols + 1),
              row = vector (x.device, GPUMM_I32, count);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_TRANSPOSE;
  w.a = pattern_of (x.cols, x.rows / x.block_rows, starts, column);
  set_values (w.a, numbers);
  w.c = pattern_of (w.a.cols, w.a.rows, sorted, row);
  set_values (w.c, order);
  run_sparse_work (w);
  // the elements of these columns, one below the other
  y.start = picked (false, multiples (x.device, count, x.block_rows), sorted, sorted.numel ());
  array index = y.index, of = row, below = ramp (x.device, x.block_rows);
  index.size = shape (x.block_rows, count);
  of.size = shape (1, count);
  p.inputs = {of, below};
  p.steps[0].constant = {double (x.block_rows), 0};
  run_program (p, index);
  array values = plain (converted (x.values, type));
  values.size = shape (x.block_rows, count);
  y.values = taken (values, order);
  y.values.size = shape (elements, 1);
  y.may_store_zeros = true;
  return y;
}

} // namespace gpumm

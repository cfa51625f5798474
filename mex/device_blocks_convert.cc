// device_blocks_convert.cc - conversions of matrices in blocks on a device to full and sparse, and
// from full; parts of them, which are full.
//
// A full matrix is first cut into bricks: its blocks one after another, block row by block row. The
// place of a block in the grid is then its place among the bricks.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "block_index.h"
#include "device_blocks_parts.h"
#include "device_sparse_parts.h"

#include <algorithm>

#include <octave/lo-array-errwarn.h>

namespace gpumm {

// Larger full matrices need full (X), as for a blocksparse of the host.
static const double MOST_IMPLICIT_BYTES = 1 << 30;

// 0, 1, ... as entries of an I32 vector.
static array ramp (int device, index_type count) {
  std::vector<int32_t> x (count);
  for (index_type i = 0; i < count; i++)
    x[i] = int32_t (i);
  return to_device (device, GPUMM_I32, count, x.data ());
}

// Copies the entries of an array of this size to other strides.
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

// The order of the elements of a full matrix: (r, i, c, j) by columns, (r, c, j, i) in bricks.
struct bricks {
  index_type block_rows, block_cols, down, across;

  bricks (const blocks &x, index_type down, index_type across)
      : block_rows (x.block_rows), block_cols (x.block_cols), down (down), across (across) {
  }
  explicit bricks (const blocks &x) : bricks (x, x.rows / x.block_rows, x.cols / x.block_cols) {
  }
  index_type each () const {
    return block_rows * block_cols;
  }
  dim_vector size () const { // in the order of the full matrix
    return dim_vector (block_rows, down, block_cols, across);
  }
  distances in_full () const {
    const index_type rows = block_rows * down;
    return {1, block_rows, rows, rows * block_cols};
  }
  distances in_bricks () const {
    return {1, each () * across, block_rows, each ()};
  }

  // The full matrix with these blocks at these places among the bricks.
  array full (const array &stored, const array &places) const {
    const array y =
        new_array (stored.device, stored.type, dim_vector (block_rows * down, block_cols * across));
    move (put_among_zeros (stored, places, down * across), y, size (), in_bricks (), in_full ());
    return y;
  }

  // The pattern in which all blocks are stored.
  gpumm_matrix grid (array &start, array &index, int device) const {
    start = multiples (device, down, across);
    index = vector (device, GPUMM_I32, down * across);
    move (ramp (device, across), index, dim_vector (across, down), {1, 0}, {1, across});
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
    y = zeros (x.device, x.values.type, dim_vector (x.rows, x.cols));
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
                   "blocksparse: this operation needs all %ldx%ld elements, %.3g GB. Use full (S)",
                   long (size (0)), long (size (1)), 1e-9 * bytes);
  return full_of (x);
}

// ---- parts --------------------------------------------------------------------------------------

// The sorted block rows (or block columns) that an index touches, and the index within them.
struct touched {
  std::vector<int32_t> blocks;
  octave::idx_vector inside = octave::idx_vector::colon;

  touched (const octave::idx_vector &index, index_type rows, index_type block_rows) {
    const index_type count = index.length (rows);
    if (index.is_colon ()) {
      for (index_type i = 0; i < rows / block_rows; i++)
        blocks.push_back (int32_t (i));
      return;
    }
    for (index_type i = 0; i < count; i++)
      if (blocks.empty () || blocks.back () != index (i) / block_rows)
        blocks.push_back (int32_t (index (i) / block_rows));
    std::sort (blocks.begin (), blocks.end ());
    blocks.erase (std::unique (blocks.begin (), blocks.end ()), blocks.end ());
    Array<index_type> at (dim_vector (count, 1));
    bool is_whole = count == index_type (blocks.size ()) * block_rows;
    for (index_type i = 0; i < count; i++) {
      const auto place = std::lower_bound (blocks.begin (), blocks.end (), index (i) / block_rows);
      at.xelem (i) = (place - blocks.begin ()) * block_rows + index (i) % block_rows;
      is_whole = is_whole && at.xelem (i) == i;
    }
    if (!is_whole)
      inside = octave::idx_vector (at);
  }
};

// Makes only those stored blocks full that these rows and columns touch.
static array full_part (blocks x, const octave::idx_vector &rows, const octave::idx_vector &cols) {
  const dim_vector size (rows.length (x.rows), cols.length (x.cols));
  if (size.safe_numel () == 0 || x.stored == 0)
    return zeros (x.device, x.values.type, size);
  const touched down (rows, x.rows, x.block_rows), across (cols, x.cols, x.block_cols);
  const index_type count = index_type (across.blocks.size ());
  const bricks b (x, index_type (down.blocks.size ()), count);
  std::vector<int64_t> ends (x.rows / x.block_rows + 1);
  for (const int32_t i : down.blocks)
    ends[i + 1] = count;
  for (std::size_t i = 1; i < ends.size (); i++)
    ends[i] += ends[i - 1];
  const array start = to_device (x.device, GPUMM_I64, index_type (ends.size ()), ends.data ()),
              index = vector (x.device, GPUMM_I32, b.down * count);
  move (to_device (x.device, GPUMM_I32, count, across.blocks.data ()), index,
        dim_vector (count, b.down), {1, 0}, {1, count});
  const gpumm_matrix grid = pattern_of (x.cols / x.block_cols, x.rows / x.block_rows, start, index);
  const meeting places (x.device, grid, grid_of (x));
  ready (x.values);
  array y = b.full (plain (taken (x.values, places.from_b)), places.from_a);
  return down.inside.is_colon () && across.inside.is_colon ()
             ? y
             : part_of (y, {down.inside, across.inside});
}

static array part_of (const blocks &x, const octave::idx_vector &rows,
                      const octave::idx_vector &cols) {
  array y = x.turned ? full_part (x, cols, rows) : full_part (x, rows, cols);
  if (x.turned)
    y.size = dim_vector (y.size (1), y.size (0));
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

array part_of (blocks x, std::vector<octave::idx_vector> index) {
  const dim_vector size = x.size ();
  if (size.numel () == 1)
    return part_of (full_of (x), index);
  if (index.size () == 1) {
    const index_type at = index[0](0);
    index = {octave::idx_vector (at % size (0)), octave::idx_vector (at / size (0))};
  }
  return part_of (x, index[0], index[1]);
}

array block_of (blocks x, const octave_value_list &given) {
  const block_index at (given, x.size (), x.block_size ());
  return part_of (x, at.rows, at.cols);
}

blocks blocks_of (const array &given, const dim_vector &block_size) {
  const array x = plain (converted (given, given.type == GPUMM_B ? GPUMM_D : given.type));
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
  const index_type count = x.stored * x.block_cols, elements = count * x.block_rows;
  const gpumm_type type = is_complex (x.values.type) ? GPUMM_Z : GPUMM_D;
  if (count > INT32_MAX || x.rows >= INT32_MAX || x.cols >= INT32_MAX)
    say_gather ("a sparse matrix on a device must have less than 2^31 - 1 rows, columns and "
                "columns of blocks");
  sparse y = new_sparse (x.device, type, x.rows, x.cols, elements);
  // for each column of a block: its block row, its column in the matrix, and its place in memory
  const array starts =
      picked (false, multiples (x.device, x.stored, x.block_cols), x.start, x.start.numel ());
  array column = vector (x.device, GPUMM_I32, count);
  program p;
  p.domain = GPUMM_D;
  array wide = x.index, inside = ramp (x.device, x.block_cols);
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
  w.a = pattern_of (x.cols, x.rows / x.block_rows, starts, column);
  set_values (w.a, numbers);
  w.c = pattern_of (w.a.cols, w.a.rows, sorted, row);
  set_values (w.c, order);
  run (w);
  // the elements of these columns, one below the other
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
  y.may_store_zeros = true;
  return y;
}

} // namespace gpumm

// device_blocks_functions.cc - functions of matrices in blocks on a device.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_blocks_parts.h"

#include <algorithm>

namespace gpumm {

blocks mapped (const function &f, blocks x) {
  if (f.map == GPUMM_MAP_CONJ && is_complex (x.type ())) {
    x.conjugated = !x.conjugated;
    return x;
  }
  if (x.conjugated)
    x = straight (x);
  const bool might_store_zeros = x.may_store_zeros;
  const array zero = x.zero;
  blocks y = with_values (x, mapped (f, x.values));
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
  const array same =
      entrywise (operation_of (octave_value::op_eq), operand (a.values), operand (b.values));
  return holds (GPUMM_FOLD_ALL, same);
}

array diagonal_of (blocks x, octave_idx_type) {
  if (x.rows == 0 && x.cols == 0) // as Octave's diag; of 0 x n it is 0 x 1
    return new_array (x.device, x.values.type, dim_vector (0, 0));
  const index_type b = x.block_rows, n = std::min (x.rows, x.cols) / b, down = x.rows / b;
  std::vector<int64_t> ends (down + 1);
  std::vector<int32_t> on (n);
  for (index_type i = 0; i <= down; i++)
    ends[i] = std::min (i, n);
  for (index_type i = 0; i < n; i++)
    on[i] = int32_t (i);
  const array start = to_device (x.device, GPUMM_I64, down + 1, ends.data ());
  const array index = to_device (x.device, GPUMM_I32, n, on.data ());
  const gpumm_matrix diagonal = pattern_of (x.cols / x.block_cols, down, start, index);
  const meeting both (x.device, diagonal, grid_of (x));
  x.values = plain (x.values);
  array of_blocks = new_array (x.device, x.values.type, dim_vector (b, both.count));
  gpumm_pick p = {};
  p.part = view (of_blocks);
  p.whole = view (x.values);
  std::fill_n (p.size, GPUMM_MAP_DIMS, 1);
  std::fill_n (p.whole_size, GPUMM_MAP_DIMS, 1);
  p.size[0] = p.whole_size[0] = b;
  p.size[1] = both.count;
  p.whole_size[1] = x.stored;
  p.part.stride[0] = 1;
  p.part.stride[1] = b;
  p.whole.stride[0] = b + 1;
  p.whole.stride[1] = b * b;
  p.places[0].step = 1;
  p.places[1].buffer = both.from_b.buffer.get ();
  p.places[1].vector = static_cast<const int64_t *> (both.from_b.values ());
  if (both.count > 0)
    need (gpumm_pick_entries (&p));
  array y = put_among_zeros (of_blocks, both.from_a, n);
  y.size = dim_vector (b * n, 1);
  y.conjugated = x.conjugated;
  return y;
}

} // namespace gpumm

// device_sparse_functions.cc - functions and parts of sparse matrices on a device.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_sparse_parts.h"

#include <algorithm>

namespace gpumm {

// ---- functions ----------------------------------------------------------------------------------

sparse mapped (const function &f, sparse x) {
  if (x.conjugated)
    x = straight (x);
  sparse y = with_values (x, mapped (f, x.values));
  const bool may_drop = f.map != GPUMM_MAP_ABS && f.map != GPUMM_MAP_CONJ;
  y.may_store_zeros = x.may_store_zeros || may_drop;
  y.thinned = x.thinned || may_drop; // functions such as round and real
  return y;
}

sparse folded (gpumm_fold_op op, sparse x, int dim) {
  const bool orders = op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN;
  if (orders)
    drop_zeros (x);
  x = straight (dim == 1 ? transposed (x, false) : x);
  if (op == GPUMM_FOLD_ANY)
    x = as_truth (x);
  const index_type rows = dim == 1 ? x.cols : 1, cols = dim == 1 ? 1 : x.cols;
  sparse y = new_sparse (x.device, is_complex (x.values.type) ? GPUMM_Z : GPUMM_D, rows, cols,
                         x.cols); // also of columns whose fold is zero: a count would wait
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_FOLD;
  w.fold = op;
  w.a = stored_of (x);
  w.c = stored_of (y);
  run (w);
  if (op == GPUMM_FOLD_ANY)
    y.values = converted (y.values, GPUMM_B);
  y.may_store_zeros = y.thinned = true;
  return y;
}

// ---- parts --------------------------------------------------------------------------------------

static sparse matrix_with_diagonal (sparse x) {
  const index_type n = x.size ().numel ();
  const sparse down = straight (x.size () (1) == 1 ? x : transposed (x, false));
  const sparse across = straight (x.size () (1) == 1 ? transposed (x, false) : x);
  sparse y = down;
  y.rows = y.cols = n;
  y.start = across.start;
  y.twin = std::make_shared<sparse> ();
  return y;
}

sparse diagonal_of (sparse x, octave_idx_type k) {
  const dim_vector size = x.size ();
  const bool is_vector = size (0) == 1 || size (1) == 1;
  if (size.any_zero ())
    return none_like (x, dim_vector (0, 0));
  drop_zeros (x);
  if (is_vector)
    return matrix_with_diagonal (x);
  const index_type n = std::max<index_type> (
      k > 0 ? std::min (size (0), size (1) - k) : std::min (size (0) + k, size (1)), 0);
  x = straight (x);
  const marks m (x.device, x.stored);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_DIAGONAL;
  w.shift = k;
  w.a = stored_of (x);
  m.attach (w);
  run (w);
  const index_type stored = m.count ();
  sparse y = packed (x, m, stored);
  const int64_t ends[] = {0, stored};
  y.rows = n;
  y.cols = 1;
  y.start = to_device (x.device, GPUMM_I64, 2, ends);
  if (k < 0)
    y.index =
        applied (y.index, {step_of (GPUMM_MAP_ADD, GPUMM_MAP_CONSTANT, false, {double (k), 0})},
                 GPUMM_D, GPUMM_I32);
  ready (y.index);
  return y;
}

// Columns of x, which is straight.
static sparse columns_of (sparse x, const octave::idx_vector &which) {
  if (which.is_colon ())
    return x;
  const index_type count = which.length (x.cols);
  std::vector<int64_t> list (count);
  for (index_type j = 0; j < count; j++)
    list[j] = which (j);
  const array places = to_device (x.device, GPUMM_I64, count, list.data ());
  const array start = vector (x.device, GPUMM_I64, count + 1);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_LENGTHS;
  w.a = stored_of (x);
  w.which = view_of (places);
  w.c = pattern_of (x.rows, count, start, array ());
  run (w);
  sparse y = new_sparse (x.device, x.values.type, x.rows, count, read_one (start, count), &start);
  w.op = GPUMM_SPARSE_TAKE;
  w.c = stored_of (y);
  run (w);
  y.may_store_zeros = x.may_store_zeros;
  return y;
}

sparse part_of (sparse x, std::vector<octave::idx_vector> index) {
  const dim_vector size = x.size ();
  if (index.size () == 1) {
    const dim_vector shape = index[0].orig_dimensions ();
    if (index[0].is_scalar ()) {
      const index_type at = index[0](0);
      index = {octave::idx_vector (at % size (0)), octave::idx_vector (at / size (0))};
    } else if (size (1) == 1 && (size (0) != 1 || shape (0) != 1)) /* a number: as the index lies */
      index = {index[0], octave::idx_vector::colon};
    else
      index = {octave::idx_vector::colon, index[0]};
  }
  if (!index[1].is_colon ())
    x = columns_of (straight (x), index[1]);
  if (!index[0].is_colon () && !x.turned && is_long (x.rows, x.stored))
    return upload_sparse (
        download (x).index_op (ovl (octave_value (index[0]), octave_value::magic_colon_t)),
        x.device);
  if (!index[0].is_colon ())
    x = transposed (columns_of (straight (transposed (x, false)), index[0]), false);
  return x;
}

} // namespace gpumm

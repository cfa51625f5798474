// sparse.cc - memory, functions and parts of sparse matrices: see sparse.h.
//
// A function that may make zeros says so in may_store_zeros and does not look for them, because
// looking waits for the device. A function that needs a pattern as it is read, not as it is stored,
// takes straight () first.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "sparse.h"
#include "gpumm_elementwise.h"

#include <algorithm>

namespace gpumm {

// ---- memory -------------------------------------------------------------------------------------

sparse new_sparse (int device, gpumm_type type, int64_t rows, int64_t cols, int64_t stored,
                   const array *start) {
  sparse x;
  x.device = device;
  x.rows = rows;
  x.cols = cols;
  x.stored = stored;
  x.start = start ? *start : vector (device, GPUMM_I64, cols + 1);
  x.index = vector (device, GPUMM_I32, stored);
  x.values = vector (device, type, stored);
  x.twin = std::make_shared<sparse> ();
  return x;
}

sparse none_like (const sparse &x, const shape &size) {
  const array start = zeros (x.device, GPUMM_I64, shape (size (1) + 1, 1));
  return new_sparse (x.device, x.values.type, size (0), size (1), 0, &start);
}

sparse moved (const sparse &x, int device) {
  return moved_stored (x, device);
}

// ---- as stored ----------------------------------------------------------------------------------

gpumm_matrix stored_of (sparse &x) {
  return compressed_of (x);
}

marks marks_of (sparse &x) {
  return marks_of (x.device, stored_of (x));
}

sparse packed (sparse x, const marks &m, int64_t kept) {
  sparse y = new_sparse (x.device, x.values.type, x.rows, x.cols, kept);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_PACK;
  w.a = stored_of (x);
  m.attach (w);
  w.c = stored_of (y);
  run_sparse_work (w);
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  y.may_store_zeros = x.may_store_zeros;
  return y;
}

const sparse &drop_zeros (sparse &x) {
  without_zeros (x);
  x.thinned = false;
  return x;
}

sparse transposed (const sparse &x, bool conjugates) {
  return transposed_stored (x, conjugates);
}

sparse twin_of (sparse &x) {
  if (!x.twin || !x.twin->start.buffer) {
    sparse t = new_sparse (x.device, x.values.type, x.cols, x.rows, x.stored);
    gpumm_sparse_work w = {};
    w.op = GPUMM_SPARSE_TRANSPOSE;
    w.a = stored_of (x);
    w.c = stored_of (t);
    run_sparse_work (w);
    t.twin = nullptr; // the transpose of t is not kept
    if (!x.twin)
      return t;
    *x.twin = t;
  }
  return *x.twin;
}

// ---- full arrays --------------------------------------------------------------------------------

array values_of (sparse x) {
  drop_zeros (x);
  x = straight (x);
  return ready (x.values);
}

array full_of (sparse x) {
  ready (x.values);
  array y = zeros (x.device, x.values.type, shape (x.rows, x.cols));
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_SCATTER;
  w.a = stored_of (x);
  w.full = view_of (y);
  w.full.stride[0] = 1;
  w.full.stride[1] = x.rows;
  std::fill_n (w.full_size, GPUMM_MAP_DIMS, 1);
  w.full_size[0] = x.rows;
  w.full_size[1] = x.cols;
  if (x.stored > 0)
    run_sparse_work (w);
  y.size = x.size ();
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

sparse sparse_of (const array &given) {
  array x = plain (given);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_PACK;
  w.a.rows = x.size (0);
  w.a.cols = x.size (1);
  w.a.nzmax = x.numel ();
  set_values (w.a, x);
  const marks m = marks_of (x.device, w.a);
  m.attach (w);
  sparse y = new_sparse (x.device, x.type, x.size (0), x.size (1), m.count ());
  w.c = stored_of (y);
  run_sparse_work (w);
  return y;
}

// ---- functions ----------------------------------------------------------------------------------

sparse as_truth (sparse x) {
  if (x.values.type != GPUMM_B) {
    x.values = not_zero (x.values);
    x.conjugated = false;
    x.twin = nullptr;
  }
  return x;
}

sparse mapped (const function &f, sparse x, gpumm_type type) {
  if (x.conjugated)
    x = straight (x);
  sparse y = with_values (x, mapped (f, x.values, type));
  const bool may_drop = f.map != GPUMM_MAP_ABS && f.map != GPUMM_MAP_CONJ;
  y.may_store_zeros = x.may_store_zeros || may_drop;
  y.thinned = x.thinned || may_drop; // functions such as round and real
  return y;
}

sparse folded (gpumm_fold_op op, sparse x, int dim) {
  const bool is_truth = type_of_fold (op, GPUMM_D) == GPUMM_B;
  if (has_places (op))
    drop_zeros (x);
  x = straight (dim == 1 ? transposed (x, false) : x);
  if (is_truth)
    x = as_truth (x);
  const int64_t rows = dim == 1 ? x.cols : 1, cols = dim == 1 ? 1 : x.cols;
  sparse y = new_sparse (x.device, is_complex (x.values.type) ? GPUMM_Z : GPUMM_D, rows, cols,
                         x.cols); // also of columns whose fold is zero: a count would wait
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_FOLD;
  w.fold = op;
  w.a = stored_of (x);
  w.c = stored_of (y);
  run_sparse_work (w);
  if (is_truth)
    y.values = converted (y.values, GPUMM_B);
  y.may_store_zeros = y.thinned = true;
  return y;
}

// ---- parts --------------------------------------------------------------------------------------

sparse matrix_with_diagonal (sparse x) {
  drop_zeros (x);
  const int64_t n = x.size ().numel ();
  const sparse down = straight (x.size () (1) == 1 ? x : transposed (x, false));
  const sparse across = straight (x.size () (1) == 1 ? transposed (x, false) : x);
  sparse y = down;
  y.rows = y.cols = n;
  y.start = across.start;
  y.twin = std::make_shared<sparse> ();
  return y;
}

sparse diagonal_of (sparse x, int64_t k) {
  const shape size = x.size ();
  const int64_t n = std::max<int64_t> (
      k > 0 ? std::min (size (0), size (1) - k) : std::min (size (0) + k, size (1)), 0);
  drop_zeros (x);
  x = straight (x);
  const marks m (x.device, x.stored);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_DIAGONAL;
  w.shift = k;
  w.a = stored_of (x);
  m.attach (w);
  run_sparse_work (w);
  const int64_t stored = m.count ();
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

sparse columns_of (sparse x, const selection &which) {
  if (which.is_all ())
    return x;
  x = straight (x);
  const int64_t count = which.length (x.cols);
  std::vector<int64_t> list (count);
  for (int64_t j = 0; j < count; j++)
    list[j] = which (j);
  const array places = to_device (x.device, GPUMM_I64, count, list.data ());
  const array start = vector (x.device, GPUMM_I64, count + 1);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_LENGTHS;
  w.a = stored_of (x);
  w.which = view_of (places);
  w.c = pattern_of (x.rows, count, start, array ());
  run_sparse_work (w);
  sparse y = new_sparse (x.device, x.values.type, x.rows, count, read_one (start, count), &start);
  w.op = GPUMM_SPARSE_TAKE;
  w.c = stored_of (y);
  run_sparse_work (w);
  y.may_store_zeros = x.may_store_zeros;
  return y;
}

sparse rows_of (sparse x, const selection &which) {
  return which.is_all () ? x : transposed (columns_of (transposed (x, false), which), false);
}

} // namespace gpumm

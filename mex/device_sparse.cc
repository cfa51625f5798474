// device_sparse.cc - sparse matrices on a device: memory and storage.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_sparse_parts.h"

#include <algorithm>

#include <octave/ov-re-sparse.h>

namespace gpumm {

// ---- memory -------------------------------------------------------------------------------------

sparse new_sparse (int device, gpumm_type type, index_type rows, index_type cols, index_type stored,
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

template <typename M> static sparse uploaded (const M &m, gpumm_type type, int device) {
  sparse x;
  x.device = device;
  x.rows = m.rows ();
  x.cols = m.cols ();
  x.stored = m.nnz ();
  if (x.rows >= INT32_MAX || x.cols >= INT32_MAX)
    say_gather ("a sparse matrix on a device must have less than 2^31 - 1 rows and columns");
  const std::vector<int32_t> index (m.ridx (), m.ridx () + x.stored);
  x.start = to_device (device, GPUMM_I64, x.cols + 1, m.cidx ());
  x.index = to_device (device, GPUMM_I32, x.stored, index.data ());
  x.values = to_device (device, type, x.stored, m.data ());
  x.twin = std::make_shared<sparse> ();
  return x;
}

sparse none_like (const sparse &x, const dim_vector &size) {
  const array start = zeros (x.device, GPUMM_I64, dim_vector (size (1) + 1, 1));
  return new_sparse (x.device, x.values.type, size (0), size (1), 0, &start);
}

sparse upload_sparse (const octave_value &value, int device) {
  const octave_value x = value.issparse () ? value : by_octave ("sparse", ovl (value));
  if (x.islogical ())
    return uploaded (x.sparse_bool_matrix_value (), GPUMM_B, device);
  return x.iscomplex () ? uploaded (x.sparse_complex_matrix_value (), GPUMM_Z, device)
                        : uploaded (x.sparse_matrix_value (), GPUMM_D, device);
}

sparse moved (const sparse &x, int device) {
  return moved_stored (x, device);
}

template <typename M> static octave_value downloaded (const sparse &x, M m) {
  std::vector<int32_t> index (x.stored);
  to_host (x.start, m.cidx ());
  to_host (x.index, index.data ());
  to_host (x.values, m.data ());
  std::copy (index.begin (), index.end (), m.ridx ());
  return octave_value (m);
}

// ---- as stored ----------------------------------------------------------------------------------

marks marks_of (sparse &x) {
  return marks_of (x.device, stored_of (x));
}

sparse packed (sparse x, const marks &m, index_type kept) {
  sparse y = new_sparse (x.device, x.values.type, x.rows, x.cols, kept);
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_PACK;
  w.a = stored_of (x);
  m.attach (w);
  w.c = stored_of (y);
  run (w);
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

sparse transposed (sparse x, bool conjugates) {
  return transposed_stored (x, conjugates);
}

sparse twin_of (sparse &x) {
  if (!x.twin || !x.twin->start.buffer) {
    sparse t = new_sparse (x.device, x.values.type, x.cols, x.rows, x.stored);
    gpumm_sparse_work w = {};
    w.op = GPUMM_SPARSE_TRANSPOSE;
    w.a = stored_of (x);
    w.c = stored_of (t);
    run (w);
    t.twin = nullptr; // the transpose of t is not kept
    if (!x.twin)
      return t;
    *x.twin = t;
  }
  return *x.twin;
}

octave_value download (sparse x) {
  drop_zeros (x);
  x = straight (x);
  if (x.values.type == GPUMM_B)
    return downloaded (x, SparseBoolMatrix (x.rows, x.cols, x.stored));
  return x.values.type == GPUMM_Z ? downloaded (x, SparseComplexMatrix (x.rows, x.cols, x.stored))
                                  : downloaded (x, SparseMatrix (x.rows, x.cols, x.stored));
}

// ---- full arrays --------------------------------------------------------------------------------

array values_of (sparse x) {
  drop_zeros (x);
  x = straight (x);
  return ready (x.values);
}

array full_of (sparse x) {
  ready (x.values);
  array y = zeros (x.device, x.values.type, dim_vector (x.rows, x.cols));
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
    run (w);
  y.size = x.size ();
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

sparse sparse_of (const array &given) {
  array x = given;
  ready (x);
  if (x.size.ndims () > 2)
    error ("sparse: wrong type argument 'gpuArray with more than two dimensions'");
  if (x.type != GPUMM_B && x.type != GPUMM_D && x.type != GPUMM_Z) {
    by_octave ("sparse", ovl (sample (x.type, false, dim_vector (1, 2)))); // or Octave's error
    x = converted (x, is_complex (x.type) ? GPUMM_Z : GPUMM_D);
  }
  x = plain (x);
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
  run (w);
  return y;
}

} // namespace gpumm

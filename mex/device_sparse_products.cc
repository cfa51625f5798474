// device_sparse_products.cc - products of sparse matrices on a device, with each other and with
// full and diagonal ones.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_sparse_parts.h"

#include <algorithm>

#include <octave/lo-array-errwarn.h>

namespace gpumm {

// ---- products -----------------------------------------------------------------------------------

gpumm_matrix stored_of (sparse &x) {
  return compressed_of (x);
}

index_type lines_of_product (const sparse &, const sparse &b) {
  return b.size () (1);
}

sparse new_result (const gpumm_matrix &shape, const sparse &a, const array &start) {
  return new_sparse (a.device, shape.type, shape.rows, shape.cols, shape.nzmax, &start);
}

static bool is_thinned (const sparse &x) {
  return x.thinned || x.values.type == GPUMM_B; // for example a comparison
}

// Drops the zeros of a factor that may be mostly zeros, before the product counts them.
static void drop_zeros_of_thinned (sparse &a, sparse &b) {
  const bool is_same = same_stored (a, b);
  if (is_thinned (a)) {
    drop_zeros (a);
    b = is_same ? read_as (a, b) : b;
  }
  if (!is_same && is_thinned (b))
    drop_zeros (b);
}

sparse multiplied (sparse &a, sparse &b, const product_options &o) {
  if (a.size () (1) != b.size () (0))
    octave::err_nonconformant ("operator *", a.size (), b.size ());
  drop_zeros_of_thinned (a, b);
  if (a.turned && !b.turned && is_long (a.rows, a.stored + b.stored))
    return upload_sparse (product_on_host (a, b), a.device);
  return multiplied_stored (a, b, product_type (a.type (), b.type ()), o);
}

array multiplied_full (sparse &given, array d, bool left, const product_options &o) {
  const dim_vector a = left ? given.size () : d.size, b = left ? d.size : given.size ();
  if (d.size.ndims () > 2 || a (1) != b (0))
    octave::err_nonconformant ("operator *", a, b);
  sparse s = drop_zeros (given);
  const gpumm_type type = product_type (s.type (), d.type);
  if (is_single (type) && !is_single (s.type ()))
    s = in_type (s, is_complex (s.type ()) ? GPUMM_C : GPUMM_S);
  if (!is_float (d.type))
    d = converted (d, GPUMM_D);
  return multiplied_full_stored (s, d, left, left && !s.turned, type, o); // kernels take rows
}

sparse scaled (bool divides, sparse x, array factors, bool by_rows) {
  const gpumm_type s = x.values.type, t = factors.type, type = product_type (s, t);
  if (x.conjugated)
    x = straight (x);
  factors = plain (converted (factors, type));
  x.values = converted (x.values, type);
  ready (x.values);
  const array y = vector (x.device, type, x.stored);
  const int along = by_rows != x.turned ? 0 : 1; // dimension of the stored matrix
  gpumm_sparse_work w = {};
  w.op = GPUMM_SPARSE_SCALE;
  w.a = stored_of (x);
  w.c.nzmax = x.stored;
  set_values (w.c, y);
  w.full = view_of (factors);
  std::fill_n (w.full_size, GPUMM_MAP_DIMS, 1);
  std::fill_n (w.full.stride, GPUMM_MAP_DIMS, 0);
  w.full_size[along] = factors.numel ();
  w.full.stride[along] = 1;
  w.divides = divides;
  w.real_a = !is_complex (s);
  w.real_full = !is_complex (t);
  if (x.stored > 0)
    run (w);
  return with_values (x, y);
}

} // namespace gpumm

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

// A product with its operands, whose entries of C are counted.
struct counted_sparse {
  gpumm_csc_product p = {};
  sparse a, b;
  array start, zero;

  counted_sparse (sparse x, sparse y)
      : start (vector (x.device, GPUMM_I64, y.size () (1) + 1)),
        zero (vector (x.device, GPUMM_I32, 1)) {
    const gpumm_type s = x.values.type, t = y.values.type, type = product_type (s, t);
    a = in_type (straight (x), type);
    b = in_type (straight (y), type);
    p.a = csc_of (a);
    p.b = csc_of (b);
    p.c.rows = a.rows;
    p.c.cols = b.cols;
    p.c.start = view_of (start);
    p.real_a = type == GPUMM_Z && s != GPUMM_Z;
    p.real_b = type == GPUMM_Z && t != GPUMM_Z;
    p.zero = view_of (zero);
    need (gpumm_csc_count (&p));
  }
};

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

sparse multiplied (sparse &a, sparse &b) {
  if (a.size () (1) != b.size () (0))
    octave::err_nonconformant ("operator *", a.size (), b.size ());
  drop_zeros_of_thinned (a, b);
  if (a.turned && !b.turned && is_long (a.rows, a.stored + b.stored))
    return upload_sparse (product_on_host (a, b), a.device);
  for (;;) {
    read_back l;
    zero_flags<sparse> zeros (a, b, l);
    counted_sparse product (a, b);
    int64_t stored = 0;
    l.add (product.start, product.b.cols, 1, &stored);
    l.now ();
    if (!zeros.drops_nothing (a, b))
      continue; // again, without the dropped zeros
    gpumm_csc_product &p = product.p;
    sparse c =
        new_sparse (a.device, product.a.values.type, p.c.rows, p.c.cols, stored, &product.start);
    c.zero = product.zero;
    c.may_store_zeros = true;
    p.c = csc_of (c);
    need (gpumm_csc_multiply (&p));
    return c;
  }
}

array multiplied_full (sparse &given, array d, bool left) {
  const dim_vector a = left ? given.size () : d.size, b = left ? d.size : given.size ();
  if (d.size.ndims () > 2 || a (1) != b (0))
    octave::err_nonconformant ("operator *", a, b);
  sparse s = drop_zeros (given);
  const gpumm_type t = s.values.type, u = d.type, type = product_type (t, u);
  if (t != type)
    s = in_type (s, type);
  if (left && !s.turned) { // kernels need the left operand by rows
    ready (s.values);
    sparse turned = twin_of (s);
    turned.turned = true;
    turned.conjugated = s.conjugated;
    s = turned;
  }
  d = as_factor (converted (d, type));
  if (s.conjugated && !s.turned)
    s = straight (s);
  const bool is_zero = d.numel () == 0 || s.stored == 0;
  const array c = (is_zero ? zeros : new_array) (s.device, type, dim_vector (a (0), b (1)));
  gpumm_csc_full p = {};
  p.s = csc_of (s);
  p.op = op_of (s);
  p.left = left;
  p.real_s = type == GPUMM_Z && t != GPUMM_Z;
  p.real_d = type == GPUMM_Z && u != GPUMM_Z;
  p.d = matrix_of (d);
  p.c = matrix_of (c);
  p.d.buffer = d.buffer.get ();
  p.c.buffer = c.buffer.get ();
  if (c.numel () > 0 && !is_zero)
    need (gpumm_csc_multiply_full (&p));
  return c;
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
  w.a = csc_of (x);
  w.c.stored = x.stored;
  w.c.values = view_of (y);
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

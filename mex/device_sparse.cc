// device_sparse.cc - see device_sparse.h.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_sparse.h"

#include <algorithm>
#include <cmath>

#include <octave/lo-array-errwarn.h>
#include <octave/ov-re-sparse.h>

namespace gpumm {

// ---- the host -----------------------------------------------------------------------------------

template <typename M> static sparse uploaded (const M &m, gpumm_type type, int device) {
  sparse x;
  x.device = device;
  x.rows = m.rows ();
  x.cols = m.cols ();
  x.stored = m.nnz ();
  if (x.rows >= INT32_MAX || x.cols >= INT32_MAX)
    say_gather ("a sparse matrix on a device must have less than 2^31 - 1 rows and columns. Use "
                "gather (X)");
  const std::vector<int32_t> index (m.ridx (), m.ridx () + x.stored);
  x.start = to_device (device, GPUMM_I64, x.cols + 1, m.cidx ());
  x.index = to_device (device, GPUMM_I32, x.stored, index.data ());
  x.values = to_device (device, type, x.stored, m.data ());
  x.twin = std::make_shared<sparse> ();
  return x;
}

sparse upload_sparse (const octave_value &value, int device) {
  const octave_value x = value.issparse () ? value : by_octave ("sparse", ovl (value));
  if (x.islogical ())
    return uploaded (x.sparse_bool_matrix_value (), GPUMM_B, device);
  return x.iscomplex () ? uploaded (x.sparse_complex_matrix_value (), GPUMM_Z, device)
                        : uploaded (x.sparse_matrix_value (), GPUMM_D, device);
}

template <typename M> static octave_value downloaded (const sparse &x, M m) {
  std::vector<int32_t> index (x.stored);
  to_host (x.start, m.cidx ());
  to_host (x.index, index.data ());
  to_host (x.values, m.data ());
  std::copy (index.begin (), index.end (), m.ridx ());
  return octave_value (m);
}

octave_value download (sparse x) {
  drop_zeros (x);
  x = straight (x);
  if (x.values.type == GPUMM_B)
    return downloaded (x, SparseBoolMatrix (x.rows, x.cols, x.stored));
  return x.values.type == GPUMM_Z ? downloaded (x, SparseComplexMatrix (x.rows, x.cols, x.stored))
                                  : downloaded (x, SparseMatrix (x.rows, x.cols, x.stored));
}

sparse as_sparse (const array &given) {
  array x = given;
  ready (x);
  if (x.size.ndims () > 2)
    error ("sparse: wrong type argument 'gpuArray with more than two dimensions'");
  if (x.type != GPUMM_B && x.type != GPUMM_D && x.type != GPUMM_Z) {
    by_octave ("sparse", ovl (sample (x.type, false, dim_vector (1, 2)))); // or Octave's error
    x = as_type (x, is_complex (x.type) ? GPUMM_Z : GPUMM_D);
  }
  return sparse_of (x);
}

// ---- operators ----------------------------------------------------------------------------------

bool goes_along (const shape &v, const shape &size) {
  return v.ndims () == 2 && v != size && v.numel () != 1
         && ((v (0) == 1 && v (1) == size (1)) || (v (1) == 1 && v (0) == size (0)));
}

bool has_own_sizes (octave_value::binary_op op, const shape &a, const shape &b) {
  return compares (operation_of (op).map) && (a.numel () == 0 || b.numel () == 0);
}

bool takes_zeros (octave_value::binary_op op) {
  return op == octave_value::op_el_div || op == octave_value::op_el_ldiv
         || op == octave_value::op_el_pow;
}

// Octave 11 also multiplies zeros that are not stored, and divides them by numbers: 0 * Inf is NaN.
bool zeros_count (octave_value::binary_op op) {
  static const bool does =
      octave::binary_op (type_info (), octave_value::op_mul, octave_value (SparseMatrix (1, 2)),
                         octave_value (double (INFINITY)))
          .nnz ()
      > 0;
  return does && (op == octave_value::op_el_mul || op == octave_value::op_el_div);
}

static sparse sparse_operand (const any_operand &x) {
  return x.kind == storage::sparse ? x.s
         : x.is_diagonal           ? upload_sparse (x.on_host (), x.x.device)
                                   : as_sparse (as_array (x));
}

// The factors of a diagonal matrix, or of a sparse or full vector, as a column.
static array factors_of (const any_operand &x) {
  const array v =
      x.is_diagonal ? upload (x.on_host ().diag ().full_value (), x.x.device) : x.full ();
  return reshaped (v, shape (v.numel (), 1));
}

// S OP number or number OP S, for operations that leave zeros zero.
static sparse with_number (const operation &o, const any_operand &a, const any_operand &b) {
  const bool is_a = a.kind == storage::sparse, is_b = b.kind == storage::sparse,
             left = is_a && (!a.x.is_scalar () || !is_b);
  sparse x = left ? a.s : b.s;
  const any_operand &n = left ? b : a;
  operand number = n;
  if (n.kind == storage::sparse)
    number = operand (full_of (n.s));
  const gpumm_scalar value = number.number;
  if (!number.is_number || !std::isfinite (value.re) || !std::isfinite (value.im)
      || (o.map == GPUMM_MAP_DIV && value.re == 0 && value.im == 0)
      || (o.map == GPUMM_MAP_POW && value.im != 0))
    drop_zeros (x); // 0 * Inf, 0 / 0 and 0 ^ 1i are NaN
  if (is_logical (o.map)) {
    x = as_truth (x);
    number = operand (not_zero (as_array (number))); // NaN is true
  }
  if (x.conjugated)
    x = straight (x);
  const operand values = operand (x.values);
  return with_values (x, left ? elementwise (o, values, number) : elementwise (o, number, values));
}

// a OP b of all elements. As a truth value NaN is true in sparse matrices, and beside one, but an
// error in a full matrix beside a sparse number.
static array of_all (const operation &o, const any_operand &a, const any_operand &b) {
  const bool as_truths = is_logical (o.map)
                         && (a.x.is_scalar () == b.x.is_scalar ()
                             || !(a.kind == storage::sparse ? a : b).x.is_scalar ());
  const auto values = [&] (const any_operand &x) {
    const array y = x.full ();
    return operand (as_truths ? not_zero (y) : y);
  };
  return elementwise (o, values (a), values (b));
}

// The same where the result is sparse, though no operand but a number is, or one is full: a sparse
// number may be a zero that is not stored.
static sparse of_full (const operation &o, const any_operand &a, const any_operand &b) {
  return as_sparse (of_all (o, a, b));
}

// Elementwise operators with a sparse result.
static sparse elementwise_sparse (octave_value::binary_op op, const any_operand &a,
                                  const any_operand &b) {
  const operation &o = operation_of (op);
  const bool is_a = a.kind == storage::sparse, is_b = b.kind == storage::sparse,
             multiplies = op == octave_value::op_el_mul, divides = op == octave_value::op_el_div;
  if (a.x.is_scalar () != b.x.is_scalar ())
    return (a.x.is_scalar () ? is_b : is_a) ? with_number (o, a, b) : of_full (o, a, b);
  if (a.x.is_scalar () && !(is_a && is_b))
    return with_number (o, a, b);
  const shape &u = a.x.size, &v = b.x.size;
  if ((multiplies && goes_along (u, v)) || ((multiplies || divides) && goes_along (v, u))) {
    const bool left = goes_along (v, u) && is_a;
    const any_operand &f = left ? b : a;
    return scaled (divides, left ? a.s : b.s, factors_of (f), f.x.size (1) == 1);
  }
  if (!a.is_stored () || !b.is_stored ()) // a full operand: 0 times NaN or Inf is NaN
    return of_full (o, a, b);
  const bool meets = (multiplies && !zeros_count (op)) || op == octave_value::op_el_and;
  return combined (!meets, o.map, sparse_operand (a), sparse_operand (b));
}

// a * b. Zeros that the product drops are dropped from a and b, too.
static octave_value product (any_operand &a, any_operand &b, const product_options &o) {
  check_inner (a.x.size, b.x.size);
  if (b.is_diagonal && b.x.size (0) == b.x.size (1))
    return value_of (scaled (false, a.s, factors_of (b), false));
  if (a.is_diagonal && a.x.size (0) == a.x.size (1))
    return value_of (scaled (false, b.s, factors_of (a), true));
  if (!b.is_stored ())
    return value_of (multiplied_full (a.s, as_array (b), true, o));
  if (!a.is_stored ())
    return value_of (multiplied_full (b.s, as_array (a), false, o));
  a.s = sparse_operand (a);
  b.s = sparse_operand (b);
  drop_zeros_of_thinned (a.s, b.s);
  return value_of (has_long_lines (a.s, b.s)
                       ? upload_sparse (product_on_host (a.s, b.s), a.x.device)
                       : multiplied (a.s, b.s, o));
}

octave_value combined_sparse (octave_value::binary_op op, any_operand &a, any_operand &b,
                              bool is_sparse, const product_options &options) {
  const bool is_a = a.kind == storage::sparse, is_b = b.kind == storage::sparse,
             multiplies = op == octave_value::op_mul, takes = is_a && is_b && takes_zeros (op);
  op = reduced (op, a, b, a.x.is_scalar (), b.x.is_scalar ());
  if (op == octave_value::op_mul)
    return product (a, b, options);
  const operation &o = operation_of (op);
  if (has_own_sizes (op, a.x.size, b.x.size)) {
    const octave_value z = octave::binary_op (type_info (), op, a.on_host (), b.on_host ());
    return z.issparse () ? value_of (upload_sparse (z, a.x.device))
                         : value_of (upload (z, a.x.device));
  }
  const bool scales = (op == octave_value::op_el_mul || op == octave_value::op_el_div)
                      && (goes_along (b.x.size, a.x.size) || goes_along (a.x.size, b.x.size));
  if (is_sparse && a.x.is_scalar () && b.x.is_scalar ()
      && (takes || zeros_count (op) || compares (o.map) || o.map == GPUMM_MAP_POW
          || (op == octave_value::op_el_div && a.kind != storage::sparse)
          || (multiplies && is_a && is_b)))
    return value_of (of_full (o, a, b));
  return is_sparse || scales ? value_of (elementwise_sparse (op, a, b))
                             : value_of (of_all (o, a, b));
}

// ---- parts --------------------------------------------------------------------------------------

sparse part_of (sparse x, std::vector<octave::idx_vector> index) {
  const dim_vector size = dims_of (x.size ());
  if (index.size () == 1) {
    const dim_vector shape = index[0].orig_dimensions ();
    if (index[0].is_scalar ()) {
      const octave_idx_type at = index[0](0);
      index = {octave::idx_vector (at % size (0)), octave::idx_vector (at / size (0))};
    } else if (size (1) == 1 && (size (0) != 1 || shape (0) != 1)) /* a number: as the index lies */
      index = {index[0], octave::idx_vector::colon};
    else
      index = {octave::idx_vector::colon, index[0]};
  }
  x = columns_of (x, selected (index[1]));
  if (!index[0].is_colon () && !x.turned && is_long (x.rows, x.stored))
    return upload_sparse (
        download (x).index_op (ovl (octave_value (index[0]), octave_value::magic_colon_t)),
        x.device);
  return rows_of (x, selected (index[0]));
}

} // namespace gpumm

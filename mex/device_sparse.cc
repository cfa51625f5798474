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

static dim_vector size_of (const sparse_operand &x) {
  return x.is_sparse                ? dims_of (x.s.size ())
         : x.diagonal.is_defined () ? x.diagonal.dims ()
                                    : dims_of (x.other.x.size);
}

static bool is_scalar (const sparse_operand &x) {
  const dim_vector size = size_of (x);
  return size.ndims () == 2 && size (0) == 1 && size (1) == 1;
}

static array full_operand (const sparse_operand &x) {
  return x.is_sparse                ? full_of (x.s)
         : x.diagonal.is_defined () ? upload (x.diagonal.full_value (), x.s.device)
                                    : as_array (x.other);
}

// The operand as a value of the host.
static octave_value on_host (const sparse_operand &x) {
  return x.is_sparse                ? download (x.s)
         : x.diagonal.is_defined () ? x.diagonal
                                    : download (as_array (x.other));
}

bool goes_along (const dim_vector &v, const dim_vector &size) {
  return v.ndims () == 2 && v != size && v.numel () != 1
         && ((v (0) == 1 && v (1) == size (1)) || (v (1) == 1 && v (0) == size (0)));
}

bool has_own_sizes (octave_value::binary_op op, const dim_vector &a, const dim_vector &b) {
  return compares (operation_of (op).map) && (a.any_zero () || b.any_zero ());
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

static sparse sparse_operand_of (const sparse_operand &x, int device) {
  return x.is_sparse                ? x.s
         : x.diagonal.is_defined () ? upload_sparse (x.diagonal, device)
                                    : as_sparse (as_array (x.other));
}

// The factors of a diagonal matrix, or of a sparse or full vector, as a column.
static array factors_of (const sparse_operand &x, int device) {
  array v = x.diagonal.is_defined ()
                ? upload (octave_value (x.diagonal).diag ().full_value (), device)
                : full_operand (x);
  return reshaped (v, shape (v.numel (), 1));
}

// S OP number or number OP S, for operations that leave zeros zero.
static sparse with_number (const operation &o, const sparse_operand &a, const sparse_operand &b) {
  sparse x = a.is_sparse && !is_scalar (a) ? a.s : b.is_sparse ? b.s : a.s;
  const bool left = a.is_sparse && (!is_scalar (a) || !b.is_sparse || is_scalar (b));
  const sparse_operand &n = left ? b : a;
  operand number = n.other;
  if (n.is_sparse)
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
static array of_all (const operation &o, const sparse_operand &a, const sparse_operand &b) {
  const bool as_truths =
      is_logical (o.map) && (is_scalar (a) == is_scalar (b) || !is_scalar (a.is_sparse ? a : b));
  const auto values = [&] (const sparse_operand &x) {
    const array y = full_operand (x);
    return operand (as_truths ? not_zero (y) : y);
  };
  return elementwise (o, values (a), values (b));
}

// The same where the result is sparse, though no operand but a number is, or one is full: a sparse
// number may be a zero that is not stored.
static sparse of_full (const operation &o, const sparse_operand &a, const sparse_operand &b) {
  return as_sparse (of_all (o, a, b));
}

// Elementwise operators with a sparse result.
static sparse elementwise_sparse (octave_value::binary_op op, const sparse_operand &a,
                                  const sparse_operand &b) {
  const operation &o = operation_of (op);
  const int device = a.is_sparse ? a.s.device : b.s.device;
  const bool multiplies = op == octave_value::op_el_mul, divides = op == octave_value::op_el_div;
  if (is_scalar (a) != is_scalar (b))
    return (is_scalar (a) ? b : a).is_sparse ? with_number (o, a, b) : of_full (o, a, b);
  if (is_scalar (a) && !(a.is_sparse && b.is_sparse))
    return with_number (o, a, b);
  const dim_vector u = size_of (a), v = size_of (b);
  if ((multiplies && goes_along (u, v)) || ((multiplies || divides) && goes_along (v, u))) {
    const bool left = goes_along (v, u) && a.is_sparse;
    const sparse_operand &f = left ? b : a;
    return scaled (divides, left ? a.s : b.s, factors_of (f, device), size_of (f) (1) == 1);
  }
  const bool both =
      (a.is_sparse || a.diagonal.is_defined ()) && (b.is_sparse || b.diagonal.is_defined ());
  if (!both) // a full operand: 0 times NaN or Inf is NaN
    return of_full (o, a, b);
  const bool meets = (multiplies && !zeros_count (op)) || op == octave_value::op_el_and;
  return combined (!meets, o.map, sparse_operand_of (a, device), sparse_operand_of (b, device));
}

// a * b. Zeros that the product drops are dropped from a and b, too.
static bool product (sparse_operand &a, sparse_operand &b, const product_options &o, sparse &result,
                     array &full) {
  const int device = a.is_sparse ? a.s.device : b.s.device;
  const dim_vector u = size_of (a), v = size_of (b);
  if (u.ndims () > 2 || v.ndims () > 2 || u (1) != v (0))
    octave::err_nonconformant ("operator *", u, v);
  if (b.diagonal.is_defined () && v (0) == v (1))
    result = scaled (false, a.s, factors_of (b, device), false);
  else if (a.diagonal.is_defined () && u (0) == u (1))
    result = scaled (false, b.s, factors_of (a, device), true);
  else if ((a.is_sparse || a.diagonal.is_defined ()) && (b.is_sparse || b.diagonal.is_defined ())) {
    sparse x = sparse_operand_of (a, device), y = sparse_operand_of (b, device);
    drop_zeros_of_thinned (x, y);
    result = has_long_lines (x, y) ? upload_sparse (product_on_host (x, y), device)
                                   : multiplied (x, y, o);
    a.s = x;
    b.s = y;
  } else {
    full = a.is_sparse ? multiplied_full (a.s, as_array (b.other), true, o)
                       : multiplied_full (b.s, as_array (a.other), false, o);
    return false;
  }
  return true;
}

bool combined (octave_value::binary_op op, sparse_operand &a, sparse_operand &b, bool is_sparse,
               const product_options &options, sparse &result, array &full) {
  const bool multiplies = op == octave_value::op_mul,
             takes = a.is_sparse && b.is_sparse && takes_zeros (op);
  op = reduced (op, a, b, is_scalar (a), is_scalar (b));
  if (op == octave_value::op_mul)
    return product (a, b, options, result, full);
  const operation &o = operation_of (op);
  if (has_own_sizes (op, size_of (a), size_of (b))) {
    const octave_value z = octave::binary_op (type_info (), op, on_host (a), on_host (b));
    const int device = a.is_sparse ? a.s.device : b.s.device;
    if (z.issparse ())
      result = upload_sparse (z, device);
    else
      full = upload (z, device);
    return z.issparse ();
  }
  const bool scales =
      (op == octave_value::op_el_mul || op == octave_value::op_el_div)
      && (goes_along (size_of (b), size_of (a)) || goes_along (size_of (a), size_of (b)));
  if (is_sparse && is_scalar (a) && is_scalar (b)
      && (takes || zeros_count (op) || compares (o.map) || o.map == GPUMM_MAP_POW
          || (op == octave_value::op_el_div && !a.is_sparse)
          || (multiplies && a.is_sparse && b.is_sparse))) {
    result = of_full (o, a, b);
    return true;
  }
  if (is_sparse || scales) {
    result = elementwise_sparse (op, a, b);
    return true;
  }
  full = of_all (o, a, b);
  return false;
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

// device_sparse_operators.cc - operators of sparse matrices on a device, with Octave's rules.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_sparse_parts.h"

#include <cmath>

#include <octave/lo-array-errwarn.h>

namespace gpumm {

// ---- two patterns -------------------------------------------------------------------------------

bool same_pattern (const sparse &a, const sparse &b) {
  return a.start.buffer == b.start.buffer && a.index.buffer == b.index.buffer
         && a.turned == b.turned && a.rows == b.rows && a.cols == b.cols;
}

// May a stored value be zero? If a product computed the flag, waits for the product.
static bool has_zeros (const sparse &x) {
  int32_t is_there = 1;
  if (!x.may_store_zeros || x.stored == 0)
    return false;
  if (x.zero.buffer) {
    read_back l;
    l.add (x.zero, 0, 1, &is_there);
    l.now ();
  }
  return is_there != 0;
}

// Drops the entries that are zero in one of two matrices with the same pattern.
static void drop_zeros_of_both (sparse &a, sparse &b) {
  for (sparse *x : {&b, &a})
    if (has_zeros (*x)) {
      const marks m = marks_of (*x);
      const index_type kept = m.count ();
      if (kept == x->stored)
        continue;
      a = packed (a, m, kept); // the other matrix may still store zeros
      b = packed (b, m, kept);
      b.start = a.start;
      b.index = a.index;
      x->may_store_zeros = false;
    }
}

// The stored entries of x, and zero where the mask is 0.
static array masked (const array &x, const array &mask, gpumm_type type) {
  return pending_array (fused (GPUMM_MAP_MASK, operand (x), operand (mask), type), type, x.size,
                        x.device);
}

sparse as_truth (sparse x) {
  if (x.values.type != GPUMM_B) {
    x.values = not_zero (x.values);
    x.conjugated = false;
    x.twin = nullptr;
  }
  return x;
}

// f of the values of both, at the places in either matrix or in both.
static sparse joined (bool unites, const operation &o, sparse a, sparse b) {
  if (o.is_logical) {
    drop_zeros (a);
    drop_zeros (b);
    a = as_truth (a);
    b = as_truth (b);
  }
  if (a.conjugated || b.conjugated) {
    a = straight (a);
    b = straight (b);
  }
  const bool drops = o.map == GPUMM_MAP_MUL && !unites; // a stored zero times Inf would be NaN
  if (same_pattern (a, b) && drops && (a.values.type == GPUMM_B || b.values.type == GPUMM_B)) {
    const bool is_mask = b.values.type == GPUMM_B;
    const sparse &x = is_mask ? a : b;
    sparse c = with_values (x, masked (x.values, (is_mask ? b : a).values,
                                       product_type (a.values.type, b.values.type)));
    c.thinned = true;
    return c;
  }
  if (same_pattern (a, b)) {
    if (drops)
      drop_zeros_of_both (a, b);
    return with_values (a, entrywise (o, operand (a.values), operand (b.values)));
  }
  drop_zeros (a);
  drop_zeros (b);
  if (a.turned && b.turned) {
    a.turned = b.turned = false;
    return transposed (joined (unites, o, a, b), false);
  }
  a = straight (a);
  b = straight (b);
  const int device = a.device;
  const marks m (device, a.stored);
  gpumm_sparse_work w = matched (stored_of (a), stored_of (b), m);
  const index_type both = m.count ();
  const index_type stored = unites ? a.stored + b.stored - both : both;
  const array from_a = vector (device, GPUMM_I64, unites ? a.stored : stored),
              from_b = vector (device, GPUMM_I64, unites ? b.stored : stored);
  sparse c = new_sparse (device, GPUMM_B, a.rows, a.cols, stored);
  w.op = unites ? GPUMM_SPARSE_UNITE : GPUMM_SPARSE_MEET;
  w.c = stored_of (c);
  w.from_a = view_of (from_a);
  w.from_b = view_of (from_b);
  run (w);
  return with_values (c, entrywise (o, operand (picked (unites, a.values, from_a, stored)),
                                    operand (picked (unites, b.values, from_b, stored))));
}

// ---- operators ----------------------------------------------------------------------------------

static dim_vector size_of (const sparse_operand &x) {
  return x.is_sparse ? x.s.size () : x.diagonal.is_defined () ? x.diagonal.dims () : x.other.x.size;
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
         : x.other.is_number        ? x.other.value
                                    : download (as_array (x.other));
}

bool goes_along (const dim_vector &v, const dim_vector &size) {
  return v.ndims () == 2 && v != size && v.numel () != 1
         && ((v (0) == 1 && v (1) == size (1)) || (v (1) == 1 && v (0) == size (0)));
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

static sparse as_sparse (const sparse_operand &x, int device) {
  return x.is_sparse                ? x.s
         : x.diagonal.is_defined () ? upload_sparse (x.diagonal, device)
                                    : sparse_of (as_array (x.other));
}

// The factors of a diagonal matrix, or of a sparse or full vector, as a column.
static array factors_of (const sparse_operand &x, int device) {
  array v = x.diagonal.is_defined ()
                ? upload (octave_value (x.diagonal).diag ().full_value (), device)
                : full_operand (x);
  return reshaped (v, dim_vector (v.numel (), 1));
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
  if (o.is_logical) {
    x = as_truth (x);
    number = operand (not_zero (as_array (number))); // NaN is true
  }
  if (x.conjugated)
    x = straight (x);
  const operand values = operand (x.values);
  return with_values (x, left ? entrywise (o, values, number) : entrywise (o, number, values));
}

// a OP b where the result is sparse, though no operand but a number is, or one is full: a sparse
// number may be a zero that is not stored. As a truth value NaN is true in sparse matrices, and in
// what stands beside one, but an error in a number beside a full matrix.
static sparse of_full (const operation &o, const sparse_operand &a, const sparse_operand &b) {
  const bool are_alike = is_scalar (a) == is_scalar (b);
  const auto values = [&] (const sparse_operand &x) {
    const array y = full_operand (x);
    return operand (o.is_logical && are_alike ? not_zero (y) : y);
  };
  return sparse_of (entrywise (o, values (a), values (b)));
}

// Elementwise operators with a sparse result.
static sparse entrywise_sparse (octave_value::binary_op op, const sparse_operand &a,
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
  if (u != v)
    octave::err_nonconformant (o.name, u, v);
  const bool both =
      (a.is_sparse || a.diagonal.is_defined ()) && (b.is_sparse || b.diagonal.is_defined ());
  if (!both) // a full operand: 0 times NaN or Inf is NaN
    return of_full (o, a, b);
  const bool meets = (multiplies && !zeros_count (op)) || op == octave_value::op_el_and;
  return joined (!meets, o, as_sparse (a, device), as_sparse (b, device));
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
    sparse x = as_sparse (a, device), y = as_sparse (b, device);
    result = multiplied (x, y, o);
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
  if (operation_of (op).is_logical && (size_of (a).numel () == 0 || size_of (b).numel () == 0)) {
    // Octave's sizes for these follow no rule of other operators
    const octave_value z = octave::binary_op (type_info (), op, on_host (a), on_host (b));
    result = upload_sparse (z, a.is_sparse ? a.s.device : b.s.device);
    return true;
  }
  const bool scales =
      (op == octave_value::op_el_mul || op == octave_value::op_el_div)
      && (goes_along (size_of (b), size_of (a)) || goes_along (size_of (a), size_of (b)));
  const operation &o = operation_of (op);
  if (is_sparse && is_scalar (a) && is_scalar (b)
      && (takes || o.compares || o.map == GPUMM_MAP_POW
          || (op == octave_value::op_el_div && !a.is_sparse)
          || (multiplies && a.is_sparse && b.is_sparse))) {
    result = of_full (o, a, b);
    return true;
  }
  if (is_sparse || scales) {
    result = entrywise_sparse (op, a, b);
    return true;
  }
  if (!is_scalar (a) && !is_scalar (b)
      && size_of (a) != size_of (b)) // Octave's sparse matrices do not broadcast
    octave::err_nonconformant (o.name, size_of (a), size_of (b));
  full = entrywise (o, operand (full_operand (a)), operand (full_operand (b)));
  return false;
}

} // namespace gpumm

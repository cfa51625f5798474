// gpu_arithmetic.cc - named functions of gpuArrays that are made of operators on their parts:
// differences, gradients, products of all pairs of entries, complex numbers, polynomials.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include "gpu_functions.h"
#include "gpumm_elementwise.h"

#include <octave/parse.h>

using namespace gpumm;

static octave_value difference (const octave_value &x, const octave_value &y) {
  return binary (octave_value::op_sub, x, y);
}

static octave_value sum (const octave_value &x, const octave_value &y) {
  return binary (octave_value::op_add, x, y);
}

static octave_value product (const octave_value &x, const octave_value &y) {
  return binary (octave_value::op_mul, x, y);
}

static octave_value quotient (const octave_value &x, const octave_value &y) {
  return binary (octave_value::op_el_div, x, y);
}

// The length of x along a dimension.
static octave_idx_type length_along (const octave_value &x, int dim) {
  return dim < x.ndims () ? x.dims () (dim) : 1;
}

// As named_call::ask, for arguments of which all are arrays: none is gathered.
static void ask_of_arrays (const named_call &c) {
  octave_value_list list;
  for (octave_idx_type i = 0; i < c.args.length (); i++)
    list.append (small (c.args (i)));
  octave::feval (c.f.name, list, c.nargout);
}

// ---- differences --------------------------------------------------------------------------------

// Of neighbours along a dimension of n entries.
static octave_value differences (const octave_value &x, int dim, octave_idx_type n) {
  if (is_stored (x))
    return difference (along (x, dim, 1, n - 1), along (x, dim, 0, n - 1));
  const array a = array_of (x);
  gpumm_operation o = {};
  o.length = n - 1;
  return value_of (along_lanes ("diff", a, dim, a.type == GPUMM_B ? GPUMM_D : a.type, nullptr, o));
}

// (X, K, DIM): as Octave's of each class. Where K is not below the length, Octave goes on along the
// next dimension.
octave_value_list diff (named_call &c) {
  const octave_value_list rest = c.rest ();
  if (rest.length () > 0)
    c.ask ();
  const octave_value order = rest.length () > 0 && !rest (0).isempty () ? rest (0) : 1.0;
  const double k = is_number (order) ? order.double_value () : NAN;
  octave_idx_type n = length_along (c.x, c.dim);
  check_narrow (type_of (c.x));
  if (!(k >= 1 && k < double (n)))
    return c.octaves_there ();
  return c.there ([&] {
    octave_value y = c.x;
    for (const octave_idx_type last = n - octave_idx_type (k); n > last; n--)
      y = differences (y, c.dim, n);
    return y;
  });
}

// Entries first, first + 1, ... of the host's distances, a number or a column, to lie along a
// dimension.
static octave_value distances_at (const octave_value &distances, int dim, octave_idx_type first,
                                  octave_idx_type count) {
  if (distances.numel () == 1)
    return distances;
  dim_vector size = dim_vector::alloc (std::max (dim + 1, 2));
  for (int d = 0; d < size.ndims (); d++)
    size (d) = d == dim ? count : 1;
  return along (distances, 0, first, count).reshape (size);
}

// The distances of points: a number, or the differences of their places.
static octave_value distances_of (const octave_value &h) {
  if (h.numel () == 1)
    return product (h, 1.0);
  return by_octave ("diff", ovl (octave_value (h).index_op (ovl (octave_value::magic_colon_t))));
}

// Octave's gradient of x along a dimension, whose points have these distances.
static octave_value gradient_along (const octave_value &x, int dim, const octave_value &h) {
  const octave_idx_type n = length_along (x, dim);
  if (n == 1)
    return value_of (zeros (array_of (x).device, real_type (type_of (x)), shape_of (x.dims ())));
  const auto step = [&] (octave_idx_type i) { return distances_at (h, dim, i, 1); };
  const auto at = [&] (octave_idx_type i) { return along (x, dim, i, 1); };
  octave_value_list parts = ovl (dim + 1, quotient (difference (at (1), at (0)), step (0)));
  if (n > 2)
    parts.append (
        quotient (difference (along (x, dim, 2, n - 2), along (x, dim, 0, n - 2)),
                  sum (distances_at (h, dim, 0, n - 2), distances_at (h, dim, 1, n - 2))));
  parts.append (
      difference (quotient (at (n - 1), step (n - 2)), quotient (at (n - 2), step (n - 2))));
  return as_class (by_octave ("cat", parts), real_type (type_of (x)));
}

// [DX, DY, ...] = gradient (X, H), (X, HX, HY, ...): Octave's own makes arrays of the class of X,
// which is gpuArray, and of the distances.
octave_value_list gradient (named_call &c) {
  c.ask ();
  const octave_value_list spacing = c.rest ();
  check_narrow (type_of (c.x));
  const bool is_one = spacing.length () == 1 && spacing (0).numel () == 1;
  // Octave's error; integers, of which Octave rounds some; a size of 1 in an N-d array, with which
  // Octave's result has other sizes.
  bool is_octaves = spacing.length () == 1 && !is_one && c.nargout > 1;
  for (octave_idx_type i = 0; i < spacing.length (); i++)
    is_octaves = is_octaves || !spacing (i).isfloat ();
  for (int d = 0; d < c.x.ndims () && c.x.ndims () > 2; d++)
    is_octaves = is_octaves || c.x.dims () (d) == 1;
  if (is_octaves)
    return c.octaves_there ();
  return c.there ([&] {
    const bool is_column = c.x.ndims () == 2 && c.x.columns () == 1;
    const octave_value x = is_column ? c.x.reshape (dim_vector (1, c.x.rows ())) : c.x;
    octave_value_list results;
    for (int i = 0; i < std::min (c.nargout, x.ndims ()); i++) {
      const int dim = i < 2 ? 1 - i : i;
      const octave_value h = spacing.length () == 0 ? 1.0 : spacing (is_one ? 0 : i);
      if (h.numel () != 1 && h.numel () < length_along (x, dim))
        (void) c.octaves (); // its error
      results.append (gradient_along (x, dim, distances_of (h)));
    }
    if (is_column)
      results (0) = results (0).reshape (c.x.dims ());
    return results;
  });
}

// Octave's second derivative of x along a dimension of 3 points or more; at the ends it goes on
// straight.
static octave_value curvature_along (const octave_value &x, int dim, const octave_value &h) {
  const octave_idx_type n = length_along (x, dim);
  const octave_value before = distances_at (h, dim, 0, n - 2),
                     behind = distances_at (h, dim, 1, n - 2), middle = along (x, dim, 1, n - 2);
  const octave_value y =
      quotient (sum (quotient (difference (along (x, dim, 0, n - 2), middle), before),
                     quotient (difference (along (x, dim, 2, n - 2), middle), behind)),
                sum (before, behind));
  const octave_value d = as_class (y, GPUMM_D); // as Octave's own, of every class
  if (n == 3)
    return by_octave ("cat", ovl (dim + 1, d, d, d));
  const auto end = [&] (octave_idx_type outer, octave_idx_type inner, octave_idx_type near,
                        octave_idx_type far) {
    const octave_value e = distances_at (h, dim, outer, 1), g = distances_at (h, dim, inner, 1);
    return as_class (difference (product (quotient (sum (e, g), g), along (d, dim, near, 1)),
                                 product (quotient (e, g), along (d, dim, far, 1))),
                     GPUMM_D);
  };
  return by_octave ("cat", ovl (dim + 1, end (0, 1, 0, 1), d, end (n - 2, n - 3, n - 3, n - 4)));
}

// (X, H), (X, HX, HY, ...): Octave's own copies arrays of the distances to the device.
octave_value_list del2 (named_call &c) {
  c.ask ();
  const octave_value_list spacing = c.rest ();
  const int dims = c.x.ndims ();
  check_narrow (type_of (c.x));
  std::vector<octave_value> distances;
  const bool is_one = spacing.length () == 1 && spacing (0).numel () == 1;
  for (int d = 0; d < dims; d++) {
    const octave_idx_type i = is_one ? 0 : d < 2 ? 1 - d : d, n = c.x.dims () (d);
    const octave_value h = i < spacing.length () ? spacing (i) : 1.0;
    if (h.numel () != 1 && h.numel () != n)
      return c.octaves_there (); // its error
    distances.push_back (distances_of (h));
  }
  return c.there ([&] {
    octave_value y = value_of (zeros (c.device (), GPUMM_D, shape_of (c.x.dims ())));
    for (int d = 0; d < dims; d++)
      if (c.x.dims () (d) >= 3)
        y = sum (y, curvature_along (c.x, d, distances[std::size_t (d)]));
    return quotient (y, double (dims));
  });
}

// ---- products of all pairs ----------------------------------------------------------------------

// kron (a, b) of elements of this type. As in Octave, the zeros of a diagonal matrix of the host
// stay zeros beside NaN.
static array pairs (const octave_value &a, const octave_value &b, gpumm_type type, int device) {
  const auto spread = [&] (const octave_value &x, int first) {
    dim_vector size = dim_vector::alloc (4);
    for (int d = 0; d < 4; d++)
      size (d) = d % 2 == first ? x.dims () (d / 2) : 1;
    size.chop_trailing_singletons ();
    const array y = array_on (x, device);
    return operand (
        reshaped (as_type (y, is_complex (y.type) ? complex_type (type) : type), shape_of (size)));
  };
  array y = elementwise (operation_of (octave_value::op_el_mul), spread (a, 1), spread (b, 0));
  if (a.is_diag_matrix ()) {
    const octave_value ones = by_octave ("eye", ovl (a.rows (), a.columns ()));
    y = combined (GPUMM_MAP_MASK, operand (y), spread (ones.full_value (), 1), type);
  }
  return reshaped (y, shape (a.rows () * b.rows (), a.columns () * b.columns ()));
}

// (A, B, C, ...)
octave_value_list kron (named_call &c) {
  ask_of_arrays (c);
  for (octave_idx_type i = 0; i < c.args.length (); i++) {
    const octave_value &x = c.args (i);
    if (x.issparse () || is_in_blocks (x.get_rep ()))
      c.refuse ("beside a sparse matrix");
    if (x.ndims () > 2)
      c.refuse ("of more than 2 dimensions");
    check_narrow (type_of (x));
    if (x.isempty ())
      return c.octaves_there ();
  }
  return c.there ([&] {
    octave_value y = c.x;
    for (octave_idx_type i = 1; i < c.args.length (); i++) {
      const octave_value &b = c.args (i);
      const bool single = is_single (type_of (y)) || is_single (type_of (b));
      y = value_of (pairs (y, b, single ? GPUMM_S : GPUMM_D, c.device ()));
    }
    return y;
  });
}

// ---- complex numbers ----------------------------------------------------------------------------

// Numbers with these parts: entries of two rows, one after the other.
static octave_value of_parts (const octave_value &re, const octave_value &im, int device) {
  const dim_vector size = re.numel () == 1 ? im.dims () : re.dims ();
  const gpumm_type type = is_single (type_of (re)) || is_single (type_of (im)) ? GPUMM_S : GPUMM_D;
  const int64_t n = size.numel ();
  const auto row = [&] (const octave_value &part) {
    const octave_value full = part.full_value ();
    const array given = is_there (full)
                            ? array_on (full, device)
                            : as_array (operand_of (full, device)); // numbers: no upload
    const array x = as_type (given, type);
    return x.is_scalar () ? repeated (x, shape (1, n)) : reshaped (x, shape (1, n));
  };
  array z = joined ({row (re), row (im)}, 0, shape (2, n), device, type);
  z.type = complex_type (type);
  z.size = shape_of (size);
  octave_value y = value_of (z);
  dynamic_cast<gpu_full &> (*y.internal_rep ()).is_as_given = true; // complex without operations
  return y;
}

// (X), (RE, IM): complex, also where all imaginary parts are zero. Of RE and IM the real parts
// count.
octave_value_list complex (named_call &c) {
  ask_of_arrays (c);
  const bool is_one = c.args.length () == 1;
  if (is_one && c.x.iscomplex ())
    return ovl (c.x);
  if (is_one && c.x.issparse ())
    c.refuse ("of one sparse matrix");
  octave_value re = c.x, im = is_one ? octave_value (0.0) : c.args (1);
  for (octave_value *x : {&re, &im}) {
    check_narrow (type_of (*x));
    *x = x->iscomplex () ? x->real () : *x;
  }
  const bool fits = re.dims () == im.dims ()
                    || ((re.numel () == 1 || im.numel () == 1)
                        && !(re.issparse () && im.issparse ())); // whose sum is full
  if (!fits || re.isempty () || im.isempty ())
    return c.octaves_there ();
  return c.there ([&] {
    if (re.issparse () && im.issparse ())
      return sum (re, product (Complex (0, 1), im));
    return of_parts (re, im, c.device ());
  });
}

// ---- polynomials and powers of two --------------------------------------------------------------

// [Y, DY] = polyval (P, X, S, MU): Octave's own does not see that X is single where P is a constant
octave_value_list polyval (named_call &c) {
  octave_value_list args = c.args;
  const bool is_single = args (0).is_single_type () || args (1).is_single_type ();
  if (args (1).isnumeric ())
    args (1) = on_device (args (1), c.device ());
  octave_value_list y = builtin (c, args);
  for (octave_idx_type i = 0; i < y.length (); i++)
    if (y (i).is_defined ()) // Octave 9 leaves DY of an empty X
      y (i) = on_device (y (i), c.device ());
  if (is_single && y.length () > 0 && y (0).is_double_type ())
    y (0) = y (0).as_single ();
  return y;
}

// (X): the least n with abs (X) <= 2 ^ n, exactly, and 0 for 0
octave_value_list nextpow2 (named_call &c) {
  check_narrow (type_of (c.x));
  return c.there ([&] {
    const octave_value x = c.x.isfloat () ? c.x.abs () : c.x.abs ().as_double ();
    const octave_value is_zero = binary (octave_value::op_eq, x, 0.0);
    const octave_value z = sum (x, is_zero); // 1 for 0
    const array a = array_of (z);            // of which none is negative
    const octave_value log = value_of (applied (a, {step_of (GPUMM_MAP_LOG)}, a.type, a.type));
    octave_value n = quotient (log, std::log (2.0)).ceil (); // right, or 1 from it
    const auto power = [] (const octave_value &e) {
      return binary (octave_value::op_el_pow, 2.0, e);
    };
    n = sum (n, binary (octave_value::op_lt, power (n), z));
    const octave_value below = power (difference (n, 1.0));
    return difference (n, binary (octave_value::op_ge, below, z));
  });
}

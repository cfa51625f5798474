// gpu_reductions.cc - named functions of gpuArrays along a dimension: sums, extremes, norms, sorts.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "gpu_functions.h"

#include <octave/parse.h>

using namespace gpumm;

// ---- what they share ----------------------------------------------------------------------------

// X(:) of a full array
static octave_value column (const octave_value &x) {
  return x.reshape (dim_vector (x.numel (), 1));
}

// [Y, PLACES] of a gpuArray in any format.
static octave_value_list folded (gpumm_fold_op op, const octave_value &x, int dim,
                                 int nargout = 1) {
  return gpu_value_of (x.get_rep ())->fold (op, dim, nargout);
}

// As Octave sums them, integers and truth values are double.
static octave_value as_float (octave_value x) {
  if (!x.isfloat ())
    x = x.as_double ();
  return x;
}

// sum (X, DIM + 1). An elementwise X that only the caller has is computed in the same pass.
static octave_value sum_along (octave_value x, int dim) {
  return is_there (x) ? folded (GPUMM_FOLD_SUM, as_float (std::move (x)), dim) (0)
                      : by_octave ("sum", ovl (x, dim + 1));
}

// ---- sums and products --------------------------------------------------------------------------

// X in the class in which it is summed.
static octave_value summands (const named_call &c) {
  return c.word == "native" ? c.x : c.word == "double" ? c.x.as_double () : as_float (c.x);
}

octave_value_list sums (named_call &c) {
  return folded (c.f.op, summands (c), c.dim);
}

// Does Octave sum integers in their class in cumsum? Octave 11 does not.
static bool has_integer_scans () {
  static const bool has = by_octave ("cumsum", ovl (octave_int8 (1))).is_int8_type ();
  return has;
}

octave_value_list scans (named_call &c) {
  if (is_integer (type_of (c.x)) && has_integer_scans ())
    return c.octaves_there ();
  const octave_value x = summands (c);
  const gpumm_type type = type_of_fold (c.f.op, type_of (x));
  check_narrow (type);
  return c.there ([&] { return value_of (gpumm::scan (c.f.op, array_of (x), c.dim, type)); });
}

// Does Octave's mean avoid the overflow of its sum? Octave 11's does, where no mean is finite.
static bool averts_overflow () {
  static const bool averts =
      std::isfinite (by_octave ("mean", ovl (Matrix (1, 2, 1e308))).double_value ());
  return averts;
}

// sum (X, DIM + 1) / count. In double no sum of single numbers overflows; scaled by a power of two
// of at least count, no sum of double ones.
static octave_value mean_along (const octave_value &x, int dim, double count) {
  const auto mean_of = [&] (const octave_value &z, double divisor) {
    return binary (octave_value::op_div, sum_along (z, dim), divisor);
  };
  const gpumm_type type = type_of (x);
  if (!averts_overflow () || !is_float (type))
    return mean_of (x, count);
  if (is_single (type))
    return as_class (mean_of (x.as_double (), count), type);
  const octave_value y = mean_of (x, count);
  if (any_of (y.full_value ().isfinite ()))
    return y;
  const double scale = std::exp2 (std::ceil (std::log2 (count)));
  return mean_of (binary (octave_value::op_div, x, scale), count / scale);
}

octave_value_list mean (named_call &c) {
  const double count = c.dim < c.x.ndims () ? double (c.x.dims () (c.dim)) : 1;
  return ovl (mean_along (c.x, c.dim, count));
}

octave_value_list sumsq (named_call &c) {
  if (c.x.islogical () && c.word == "native") // Octave 11: are all true?
    return folded (GPUMM_FOLD_ALL, c.x, c.dim);
  const octave_value x = c.word == "double" ? c.x.as_double () : as_float (c.x);
  const auto squares = [] (const octave_value &y) {
    return binary (octave_value::op_el_mul, y, y);
  };
  if (!is_stored (x))
    return folded (GPUMM_FOLD_SUMSQ, x, c.dim);
  if (!x.iscomplex ())
    return folded (GPUMM_FOLD_SUM, squares (x), c.dim);
  return folded (GPUMM_FOLD_SUM,
                 binary (octave_value::op_add, squares (x.real ()), squares (x.imag ())), c.dim);
}

// (X, Y), (X, Y, DIM): conjugates X
octave_value_list dot (named_call &c) {
  octave_value x = c.x, y = c.args (1);
  if (!x.isnumeric () || !y.isnumeric ())
    error ("dot: X and Y must be numeric");
  if (x.isempty () || y.isempty ())
    return c.octaves_there ();
  const auto is_vector = [] (const dim_vector &size) {
    return size.ndims () == 2 && (size (0) == 1 || size (1) == 1);
  };
  const bool has_dim = c.args.length () == 3;
  if (!has_dim && is_vector (x.dims ()) && is_vector (y.dims ()))
    for (octave_value *z : {&x, &y})
      if (z->columns () != 1)
        *z = z->index_op (ovl (octave_value::magic_colon_t));
  if (x.dims () != y.dims ())
    error ("dot: sizes of X and Y must match");
  const int dim = has_dim ? c.dim : x.dims ().first_non_singleton ();
  if (x.iscomplex () || y.iscomplex ()) { // then Octave takes integers as double
    x = as_float (x).conj ();
    y = as_float (y);
  }
  return ovl (sum_along (binary (octave_value::op_el_mul, x, y), dim).full_value ());
}

// ---- extremes -----------------------------------------------------------------------------------

// max (X, Y) or min (X, Y), where one is on the device
static octave_value extreme_of_two (const named_function &f, const octave_value &x,
                                    const octave_value &y) {
  auto both = operands_of (x.get_rep (), y.get_rep ());
  operand &a = both.first, &b = both.second;
  check_sizes (f.name, a.x.size, b.x.size);
  const auto key = std::make_tuple (f.name, a.x.type, b.x.type, a.x.is_scalar (), b.x.is_scalar ());
  const gpumm_type type = asked_once (key, [&] {
    return by_octave (f.name, ovl (sample (a.x.type, a.x.is_scalar (), dim_vector (1, 2)),
                                   sample (b.x.type, b.x.is_scalar (), dim_vector (1, 2))));
  });
  if (!is_float (type)) // converted for the comparison as Octave converts
    for (operand *o : {&a, &b}) {
      o->x = plain (converted (as_array (*o), type));
      o->is_number = false;
    }
  return value_of (combined (f.op == GPUMM_FOLD_MAX ? GPUMM_MAP_MAX : GPUMM_MAP_MIN, a, b, type));
}

// Octave 11 compares angles, too.
static bool compares_angles () {
  static const bool compares =
      by_octave ("max", ovl (Complex (3, -4), 5.0)).complex_value () != Complex (3, -4);
  return compares;
}

static octave_value_list of_two (named_call &c) {
  octave_value x = c.x, y = c.args (1);
  if (x.isempty () || y.isempty ())
    return c.octaves_there ();
  const auto has_numbers = [] (const octave_value &z) { return z.isnumeric () || z.islogical (); };
  if (c.nargout > 1 || !has_numbers (x) || !has_numbers (y)) {
    c.ask ();
    c.refuse ("with these arguments");
  }
  if ((x.iscomplex () || y.iscomplex ()) && compares_angles ()) {
    for (octave_value *z : {&x, &y}) // complex, also where all imaginary parts are zero
      *z = z->iscomplex () ? by_octave ("complex", ovl (on_host (*z))) : on_host (*z);
    return ovl (on_device (by_octave (c.f.name, ovl (x, y)), c.device ()));
  }
  need_full (c.f.name, c.args);
  for (octave_value *z : {&x, &y}) {
    *z = is_there (*z) ? *z : plain_array (*z);
    check_narrow (type_of (*z));
  }
  return c.there ([&] { return extreme_of_two (c.f, x, y); });
}

// NaN + Inf i is the larger where a number is before it: then Octave decides.
static bool has_infinite_nan (const octave_value &x) {
  return x.iscomplex () && any_of (binary (octave_value::op_el_and, x.isnan (), x.isinf ()));
}

// max and min: (X), (X, [], DIM), (X, Y), [m, i] = max (X, ...)
octave_value_list extreme (named_call &c) {
  if (c.args.length () == 2)
    return of_two (c);
  if (c.args.length () == 3 && !c.args (1).isempty ()) {
    c.ask ();
    c.refuse ("with these arguments");
  }
  if (!is_there (c.x))
    return c.octaves ();
  if (c.x.isempty ())
    return c.octaves_there ();
  octave_value_list y = folded (c.f.op, c.x, c.dim, c.nargout);
  if (has_infinite_nan (y (0)))
    return c.octaves_there ();
  if (c.x.islogical () && !y (0).islogical ())
    y (0) = binary (octave_value::op_ne, y (0), 0.0);
  return y;
}

// cummax and cummin: (X), (X, DIM), [w, i] = cummax (X, ...)
octave_value_list running_extremes (named_call &c) {
  check_narrow (type_of (c.x));
  const octave_value_list y = c.there ([&] {
    array index;
    const array x = array_of (c.x),
                w = scan (c.f.op, x, c.dim, x.type, c.nargout > 1 ? &index : nullptr);
    return c.nargout > 1 ? ovl (value_of (w), value_of (index)) : ovl (value_of (w));
  });
  return has_infinite_nan (y (0)) ? c.octaves_there () : y;
}

// ---- sorts --------------------------------------------------------------------------------------

// (X), (X, DIM), (X, MODE), (X, DIM, MODE), [s, i] = sort (X, ...)
octave_value_list sort (named_call &c) {
  if (c.dim >= c.x.ndims ()) { // refused with two results; a DIM at which Octave does not crash
    c.args (1) = double (c.x.ndims () + 1);
    c.ask ();
  }
  return c.there ([&] {
    array index;
    const array s =
        sorted (array_of (c.x), c.dim, c.word == "descend", c.nargout > 1 ? &index : nullptr);
    return c.nargout > 1 ? ovl (value_of (s), value_of (index)) : ovl (value_of (s));
  });
}

// Entries first, first + 1, ... of each lane along a dimension.
static octave_value along (const octave_value &x, int dim, octave_idx_type first,
                           octave_idx_type count) {
  octave_value_list index;
  for (int d = 0; d < std::max (x.ndims (), dim + 1); d++)
    index.append (d == dim ? octave_value (octave::idx_vector (first, first + count))
                           : octave_value (octave_value::magic_colon_t));
  return octave_value (x).index_op (index);
}

// 0 where x is a number, NaN where it is NaN. Does not wait.
static octave_value nan_of (const octave_value &x) {
  return binary (octave_value::op_el_div, 0.0, binary (octave_value::op_sub, 1.0, x.isnan ()));
}

// (X), (X, DIM), (X, ..., CLASS): the middle of sorted X, or the mean of both. Versions of Octave
// differ in the mean: only that of columns of floating-point numbers is (a + b) / 2 in all.
octave_value_list median (named_call &c) {
  if (c.x.iscomplex ())
    c.ask ();
  const bool has_nan = c.x.isfloat ();
  const octave_idx_type n = c.dim < c.x.ndims () ? c.x.dims () (c.dim) : 1, k = (n - 1) / 2;
  return c.there ([&] {
    const octave_value x = value_of (sorted (array_of (c.x), c.dim, false));
    octave_value y = along (x, c.dim, k, 1);
    if (n % 2 == 0 && has_nan && x.numel () > n)
      y = binary (octave_value::op_div,
                  binary (octave_value::op_add, y, along (x, c.dim, k + 1, 1)), 2.0);
    else if (n % 2 == 0) {
      octave_value_list list = ovl (on_host (along (x, c.dim, k, 2)), c.dim + 1);
      if (!c.word.empty ())
        list.append (octave_value (c.word));
      y = on_device (by_octave (c.f.name, list), c.device ());
    }
    return has_nan ? binary (octave_value::op_add, y, nan_of (along (x, c.dim, n - 1, 1))) : y;
  });
}

// ---- norms --------------------------------------------------------------------------------------

// The largest of the values, NaN if x has one, as in Octave 11. (For a matrix, Octave 9 and earlier
// skip most NaN.) abs (NaN + Inf i) is Inf: the sum with 0 / 0 or 0 / 1 does not wait to see which.
static octave_value largest (const octave_value &values, const octave_value &x) {
  const octave_value y =
      folded (GPUMM_FOLD_LARGEST, values, values.dims ().first_non_singleton ()) (0);
  if (!x.iscomplex ())
    return y;
  const octave_value has_nan = folded (GPUMM_FOLD_ANY, column (x).isnan (), 0) (0);
  const octave_value nan =
      binary (octave_value::op_el_div, 0.0, binary (octave_value::op_sub, 1.0, has_nan));
  return binary (octave_value::op_add, y, nan);
}

// p is NaN for "fro".
static octave_value norm_of (const named_call &c, double p) {
  const octave_value &x = c.x;
  const octave_value entries = is_stored (x) ? stored (x).values () : x;
  const bool is_vector = x.rows () == 1 || x.columns () == 1;
  if (p != 1 && p != INFINITY && !std::isnan (p)
      && !(is_vector && (p == 2 || (p == -INFINITY && !is_stored (x)))))
    c.refuse (x.issparse ()   ? "of a sparse matrix with this P"
              : is_stored (x) ? "of a blocksparse with this P"
              : p == 2        ? "of a matrix with P = 2"
                              : "with this P");
  if (entries.isempty ())
    return on_device (as_class (octave_value (0.0), real_type (type_of (x))), device_for_new ());
  if (std::isnan (p) || p == 2)
    return folded (GPUMM_FOLD_NORM, column (entries), 0) (0);
  if (p == 1 || !is_vector) {
    const octave_value sums = sum_along (x.abs (), p == INFINITY || x.rows () == 1).full_value ();
    return largest (sums, p == 1 && !is_stored (x) ? sums : entries);
  }
  if (p == INFINITY)
    return largest (entries.abs (), entries);
  const auto negated = [] (const octave_value &y) {
    return octave::unary_op (type_info (), octave_value::op_uminus, y);
  };
  return negated (largest (negated (x.abs ()), x));
}

// (X), (X, P): P is 1, 2, Inf or "fro" for vectors, also -Inf, and 1, Inf or "fro" for matrices.
octave_value_list norm (named_call &c) {
  const octave_value_list rest = c.rest ();
  const octave_value p = rest.length () > 0 ? rest (0) : octave_value (2.0);
  const std::string text = p.is_string () && p.rows () == 1 ? p.string_value () : "";
  const bool is_fro = text == "fro", is_inf = text == "inf" || text == "Inf";
  const bool has_p = is_fro || is_inf || is_number (p);
  if (c.x.ndims () > 2 || rest.length () > 1 || !has_p) {
    c.ask ();
    c.refuse ("with these arguments");
  }
  const double number = is_fro ? NAN : is_inf ? INFINITY : p.double_value ();
  if (!is_fro && std::isnan (number))
    c.refuse ("with P = NaN");
  return ovl (norm_of (c, number));
}

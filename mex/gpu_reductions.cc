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

// The same along the dimension of the call, and of a stored matrix along both.
static octave_value_list folded_of (const named_call &c, gpumm_fold_op op, const octave_value &x,
                                    int nargout = 1) {
  if (c.both)
    return folded (op, folded (op, x, c.dim) (0), 1);
  return folded (op, x, c.dim, nargout);
}

// sum (X, DIM + 1). An elementwise X that only the caller has is computed in the same pass.
static octave_value sum_along (octave_value x, int dim) {
  return is_there (x) ? folded (GPUMM_FOLD_SUM, as_float (std::move (x)), dim) (0)
                      : by_octave ("sum", ovl (x, dim + 1));
}

static octave_value negation (const octave_value &x) {
  return octave::unary_op (type_info (), octave_value::op_not, x);
}

// ---- NaN ----------------------------------------------------------------------------------------

// NaN where this is true, else 0. Does not wait.
static octave_value nan_where (const octave_value &truth) {
  return binary (octave_value::op_el_div, 0.0, binary (octave_value::op_sub, 1.0, truth));
}

// x with 0 where this is true, of the size of x.
static octave_value zero_where (const octave_value &truth, const octave_value &x) {
  if (device_for_new () == NO_DEVICE) {
    octave_value y = on_host (x);
    y.assign (octave_value::op_asn_eq, "(", {ovl (on_host (truth))}, octave_value (0.0));
    return on_device (y, NO_DEVICE);
  }
  const array a = array_of (x);
  return value_of (combined (GPUMM_MAP_MASK, operand (a), operand (array_of (negation (truth))),
                             real_type (a.type)));
}

// x with this number in the place of NaN, if the call leaves NaN out.
static octave_value without_nan (const named_call &c, octave_value x, double number = 0) {
  if (!c.nan_differs || !x.isfloat ())
    return x;
  const octave_value is_nan = x.isnan (), y = zero_where (is_nan, x);
  return number == 0 ? y
                     : binary (octave_value::op_add, y, as_class (is_nan, real_type (type_of (x))));
}

// How many elements of X are summed: a number, or an array if the call leaves NaN out.
static octave_value count_of (const named_call &c) {
  if (c.nan_differs && c.x.isfloat ())
    return sum_along (negation (c.x.isnan ()), c.dim);
  return c.both                 ? double (c.x.dims ().numel ())
         : c.dim < c.x.ndims () ? double (c.x.dims () (c.dim))
                                : 1.0;
}

// ---- sums and products --------------------------------------------------------------------------

// X in the class in which it is summed.
static octave_value summands (const named_call &c) {
  return c.word == "native" ? c.x : c.word == "double" ? c.x.as_double () : as_float (c.x);
}

octave_value_list sums (named_call &c) {
  const gpumm_fold_op op = gpumm_fold_op (c.f.op);
  return folded_of (c, op, without_nan (c, summands (c), op == GPUMM_FOLD_PROD));
}

// Does Octave sum integers in their class in cumsum? Octave 11 does not.
static bool has_integer_scans () {
  static const bool has = by_octave ("cumsum", ovl (octave_int8 (1))).is_int8_type ();
  return has;
}

octave_value_list scans (named_call &c) {
  if (is_integer (type_of (c.x)) && has_integer_scans ())
    return c.octaves_there ();
  const octave_value x = without_nan (c, summands (c), c.f.op == GPUMM_FOLD_PROD);
  const gpumm_type type = type_of_fold (c.f.op, type_of (x));
  check_narrow (type);
  if (c.nan_differs)
    c.args (0) = without_nan (c, c.x, c.f.op == GPUMM_FOLD_PROD);
  return c.there ([&] { return value_of (gpumm::scan (c.f.op, array_of (x), c.dim, type)); });
}

// Does Octave's mean avoid the overflow of its sum? Octave 11's does, where no mean is finite.
static bool averts_overflow () {
  static const bool averts =
      std::isfinite (by_octave ("mean", ovl (Matrix (1, 2, 1e308))).double_value ());
  return averts;
}

// The mean of x, of n elements, of which these count. In double no sum of single numbers overflows;
// scaled by a power of two of at least n, no sum of double ones.
static octave_value mean_along (const named_call &c, const octave_value &x, double n,
                                const octave_value &count) {
  const auto mean_of = [&] (const octave_value &z, const octave_value &divisor) {
    const octave_value y = sum_along (z, c.dim);
    return binary (octave_value::op_el_div, c.both ? sum_along (y, 1) : y, divisor);
  };
  const gpumm_type type = type_of (x);
  if (!averts_overflow () || !is_float (type))
    return mean_of (x, count);
  if (is_single (type))
    return as_class (mean_of (x.as_double (), count), type);
  const octave_value y = mean_of (x, count);
  if (any_of (y.full_value ().isfinite ()))
    return y;
  const double scale = std::exp2 (std::ceil (std::log2 (n)));
  return mean_of (binary (octave_value::op_div, x, scale),
                  binary (octave_value::op_div, count, scale));
}

octave_value_list mean (named_call &c) {
  const octave_value count = count_of (c);
  const double n = is_there (count) ? double (c.x.dims ().numel ()) : count.double_value ();
  return ovl (mean_along (c, without_nan (c, c.x), n, count));
}

octave_value_list sumsq (named_call &c) {
  if (c.x.islogical () && c.word == "native") // Octave 11: are all true?
    return folded (GPUMM_FOLD_ALL, c.x, c.dim);
  const octave_value x = without_nan (c, c.word == "double" ? c.x.as_double () : as_float (c.x));
  const auto squares = [] (const octave_value &y) {
    return binary (octave_value::op_el_mul, y, y);
  };
  if (!is_stored (x))
    return folded (GPUMM_FOLD_SUMSQ, x, c.dim);
  if (!x.iscomplex ())
    return folded_of (c, GPUMM_FOLD_SUM, squares (x));
  return folded_of (c, GPUMM_FOLD_SUM,
                    binary (octave_value::op_add, squares (x.real ()), squares (x.imag ())));
}

// Octave's own, which is of operations that gpuArrays have, but for the words that not every Octave
// takes: [v, m] = var (X, W, DIMS, NAN). With one number a lane has the variance 0.
octave_value_list variance (named_call &c) {
  if (!c.given)
    return builtin (c, c.args);
  const octave_value w = c.args.length () > 1 ? on_host (c.args (1)) : octave_value (Matrix ());
  if (is_stored (c.x))
    c.refuse_stored ();
  if (w.numel () > 1)
    c.refuse ("with weights and these arguments");
  named_call one = c; // the mean is not of every Octave
  one.nargout = 1;
  one.ask ();
  const double weight = w.isempty () ? 0 : w.double_value ();
  const octave_value x = as_float (c.x), count = count_of (c);
  const octave_value m =
      binary (octave_value::op_el_div, sum_along (without_nan (c, x), c.dim), count);
  octave_value d = binary (octave_value::op_sub, x, m);
  if (c.nan_differs)
    d = zero_where (x.isnan (), d);
  const octave_value is_one = binary (octave_value::op_eq, count, 1.0);
  const octave_value divisor =
      binary (octave_value::op_add, binary (octave_value::op_sub, count, 1 - weight),
              binary (octave_value::op_mul, is_one, 1 - weight));
  octave_value v =
      binary (octave_value::op_el_div, folded (GPUMM_FOLD_SUMSQ, d, c.dim) (0), divisor);
  if (c.nan_differs)
    v = binary (octave_value::op_add, v, nan_where (binary (octave_value::op_eq, count, 0.0)));
  return c.nargout > 1 ? ovl (v, m) : ovl (v);
}

// any and all
octave_value_list truth (named_call &c) {
  const bool is_all = c.f.op == GPUMM_FOLD_ALL;
  const octave_value y = is_all ? c.x.all (c.dim) : c.x.any (c.dim);
  return ovl (c.both ? y.any (1) : y);
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

// Octave 11 compares angles, too.
static bool compares_angles () {
  static const bool compares =
      by_octave ("max", ovl (Complex (3, -4), 5.0)).complex_value () != Complex (3, -4);
  return compares;
}

// (X, Y), where one is on the device
static octave_value_list extreme_of_two (named_call &c) {
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
    octave_value_list list = c.args; // with the words that this Octave has
    for (octave_idx_type i = 2; c.given && i < c.given->length (); i++)
      list.append ((*c.given) (i));
    list (0) = x;
    list (1) = y;
    return ovl (on_device (by_octave (c.f.name, list), c.device ()));
  }
  if (c.given && (is_stored (x) || is_stored (y)))
    c.refuse_stored ();
  need_full (c.f.name, c.args);
  for (octave_value *z : {&x, &y}) {
    *z = is_there (*z) ? *z : plain_array (*z);
    check_narrow (type_of (*z));
  }
  const gpumm_map_op op = c.f.op == GPUMM_FOLD_MAX ? GPUMM_MAP_MAX : GPUMM_MAP_MIN;
  octave_value m = c.there ([&] { return of_two (c.f, op, x, y); }) (0);
  for (const octave_value *z : {&x, &y})
    if (c.nan_differs && z->isfloat () && m.isfloat ())
      m = binary (octave_value::op_add, m, nan_where (z->isnan ()));
  return ovl (m);
}

// NaN + Inf i is the larger where a number is before it: then Octave decides.
static bool has_infinite_nan (const octave_value &x) {
  return x.iscomplex () && any_of (binary (octave_value::op_el_and, x.isnan (), x.isinf ()));
}

// [m, i] along a dimension. Where NaN is included, it is found first.
static octave_value_list extremes_of (const named_call &c, gpumm_fold_op op, int nargout = 1) {
  octave_value_list y = folded_of (c, op, c.x, nargout);
  if (has_infinite_nan (y (0))) {
    y = octave::feval (name_of_fold (op), ovl (on_host (c.x), Matrix (), c.dim + 1), nargout);
    for (octave_idx_type i = 0; i < y.length (); i++)
      y (i) = on_device (y (i), c.device ());
  }
  if (c.x.islogical () && !y (0).islogical ())
    y (0) = binary (octave_value::op_ne, y (0), 0.0);
  if (!c.nan_differs || !c.x.isfloat ())
    return y;
  const octave_value is_nan = c.x.isnan (), has_nan = is_nan.any (c.dim);
  y (0) = binary (octave_value::op_add, y (0), nan_where (has_nan));
  if (nargout > 1) {
    const octave_value first = folded (GPUMM_FOLD_MAX, is_nan.as_double (), c.dim, 2) (1);
    y (1) = binary (
        octave_value::op_add, y (1),
        binary (octave_value::op_el_mul, has_nan, binary (octave_value::op_sub, first, y (1))));
  }
  return y;
}

// Octave's error, or that for what a device does not compute, of range and bounds.
static void check_extremes (const named_call &c) {
  if (c.x.islogical ())
    c.ask ();
  if (is_stored (c.x) && (c.dim > 1 || c.x.iscomplex ()))
    c.refuse (c.dim > 1 ? "of a sparse matrix along this DIM" : "of a sparse matrix");
}

// max and min: (X), (X, [], DIM), (X, Y), [m, i] = max (X, ...)
octave_value_list extreme (named_call &c) {
  if (c.args.length () == 2)
    return extreme_of_two (c);
  if (c.args.length () == 3 && !c.args (1).isempty ()) {
    c.ask ();
    c.refuse ("with these arguments");
  }
  if (!is_there (c.x))
    return c.octaves ();
  if (c.x.isempty ())
    return c.octaves_there ();
  return extremes_of (c, gpumm_fold_op (c.f.op), c.nargout);
}

// (X, DIMS, NAN): max (X) - min (X)
octave_value_list range (named_call &c) {
  check_extremes (c);
  return ovl (binary (octave_value::op_sub, extremes_of (c, GPUMM_FOLD_MAX) (0),
                      extremes_of (c, GPUMM_FOLD_MIN) (0)));
}

// [s, l] = (X, DIMS, NAN): min (X) and max (X)
octave_value_list bounds (named_call &c) {
  check_extremes (c);
  const octave_value s = extremes_of (c, GPUMM_FOLD_MIN) (0);
  return c.nargout > 1 ? ovl (s, extremes_of (c, GPUMM_FOLD_MAX) (0)) : ovl (s);
}

// What compute (X, INDEX) gives of the full X there, and the places that it finds if they are asked
// for.
template <typename F> static octave_value_list with_places (const named_call &c, const F &compute) {
  return c.there ([&] {
    array index;
    const array y = compute (array_of (c.x), c.nargout > 1 ? &index : nullptr);
    return c.nargout > 1 ? ovl (value_of (y), value_of (index)) : ovl (value_of (y));
  });
}

// cummax and cummin: (X), (X, DIM), [w, i] = cummax (X, ...)
octave_value_list running_extremes (named_call &c) {
  if (c.args.length () > 2) { // words of Octave 11
    c.ask ();
    c.refuse ("with these arguments");
  }
  check_narrow (type_of (c.x));
  const octave_value_list y = with_places (
      c, [&] (const array &x, array *index) { return scan (c.f.op, x, c.dim, x.type, index); });
  return has_infinite_nan (y (0)) ? c.octaves_there () : y;
}

// ---- sorts --------------------------------------------------------------------------------------

// (X), (X, DIM), (X, MODE), (X, DIM, MODE), [s, i] = sort (X, ...)
octave_value_list sort (named_call &c) {
  if (c.dim >= c.x.ndims ()) { // refused with two results; a DIM at which Octave does not crash
    c.args (1) = double (c.x.ndims () + 1);
    c.ask ();
  }
  return with_places (c, [&] (const array &x, array *index) {
    return sorted (x, c.dim, c.word == "descend", index);
  });
}

octave_value along (const octave_value &x, int dim, octave_idx_type first, octave_idx_type count) {
  dim_vector size = x.dims (), lanes (1, 1, 1);
  if (size.ndims () > 4 && dim < size.ndims ()) { // more indices than a device has
    for (int d = 0; d < size.ndims (); d++)
      lanes (d < dim ? 0 : d == dim ? 1 : 2) *= size (d);
    size (dim) = count;
    return along (x.reshape (lanes), 1, first, count).reshape (size);
  }
  octave_value_list index;
  for (int d = 0; d < std::max (x.ndims (), dim + 1); d++)
    index.append (d == dim ? octave_value (octave::idx_vector (first, first + count))
                           : octave_value (octave_value::magic_colon_t));
  return octave_value (x).index_op (index);
}

// The median of the numbers of each lane, which are sorted before NaN. Waits for their counts.
static octave_value median_of_numbers (const named_call &c) {
  const octave_value x =
      device_for_new () != NO_DEVICE
          ? value_of (sorted (array_of (c.x), c.dim, false))
          : on_device (by_octave ("sort", ovl (on_host (c.x), c.dim + 1)), NO_DEVICE);
  const NDArray count = on_host (count_of (c)).array_value ();
  const dim_vector size = c.x.dims ();
  octave_idx_type step = 1; // from one entry of a lane to the next
  for (int d = 0; d < c.dim; d++)
    step *= size (d);
  NDArray low (count.dims ()), high (count.dims ());
  for (octave_idx_type i = 0; i < count.numel (); i++) {
    const double first = double (i % step + i / step * step * size (c.dim) + 1),
                 n = std::max (count (i), 1.0);
    low (i) = first + double (step) * std::floor ((n - 1) / 2);
    high (i) = first + double (step) * std::floor (n / 2);
  }
  const auto half_of = [&] (const NDArray &places) {
    return binary (octave_value::op_div, octave_value (x).index_op (ovl (places)), 2.0);
  };
  return binary (octave_value::op_add, half_of (low), half_of (high)).reshape (count.dims ());
}

// (X), (X, DIM), (X, ..., CLASS): the middle of sorted X, or the mean of both. Versions of Octave
// differ in the mean: only that of columns of floating-point numbers is (a + b) / 2 in all.
octave_value_list median (named_call &c) {
  if (c.x.iscomplex ())
    c.ask ();
  const bool has_nan = c.x.isfloat ();
  if (c.nan_differs && has_nan)
    return c.dim < c.x.ndims () ? ovl (median_of_numbers (c)) : ovl (c.x);
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
    return has_nan
               ? binary (octave_value::op_add, y, nan_where (along (x, c.dim, n - 1, 1).isnan ()))
               : y;
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
  return binary (octave_value::op_add, y, nan_where (has_nan));
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

// Is a NaN the largest element for vecnorm? Octave 11 says so.
static bool heeds_nan () {
  static const bool heeds = [] {
    NDArray x (dim_vector (2, 1), 1.0);
    x (0) = NAN;
    return by_octave ("vecnorm", ovl (x, INFINITY)).isnan ().is_true ();
  }();
  return heeds;
}

// (X, P, DIM). Octave 11's own takes each vector into a cell.
octave_value_list vecnorm (named_call &c) {
  const octave_value_list rest = c.rest ();
  // its error; P may be Inf
  const octave_value of_small =
      by_octave (c.f.name, octave_value_list (rest).prepend (small (c.x)));
  const double p = rest.length () > 0 ? rest (0).double_value () : 2;
  const bool is_sparse = c.x.issparse ();
  if (is_sparse && (c.dim > 1 || !(p == 1 || p == 2 || std::isinf (p))))
    c.refuse (c.dim > 1 ? "of a sparse matrix along this DIM" : "of a sparse matrix with this P");
  check_narrow (type_of (c.x));
  const octave_value dim = c.dim + 1;
  return c.there ([&] () -> octave_value {
    if (p == 2 && !is_sparse)
      return folded (GPUMM_FOLD_NORM, as_float (c.x), c.dim) (0);
    const auto of_class = [&] (const octave_value &y) { // since Octave 11 full
      return of_small.issparse () ? y : y.full_value ();
    };
    if (p == 2)
      return of_class (by_octave ("sumsq", ovl (c.x, dim)).sqrt ());
    const octave_value x = c.x.abs ();
    if (p == 1)
      return of_class (by_octave ("sum", ovl (x, dim)));
    if (std::isinf (p))
      return of_class (heeds_nan () ? by_octave ("max", ovl (x, Matrix (), dim, "includenan"))
                                    : by_octave ("max", ovl (x, Matrix (), dim)));
    const octave_value sums = by_octave ("sum", ovl (binary (octave_value::op_el_pow, x, p), dim));
    return binary (octave_value::op_el_pow, sums, 1 / p);
  });
}

// gpu_reductions.cc - named functions of gpuArrays that reduce a dimension: sums, extremes, norms.
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

static bool orders (gpumm_fold_op op) {
  return op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN;
}

// Takes the texts off the arguments that follow x, which Octave accepts: the class of the result
// goes to *type, and "all" makes a column of x. All other texts are refused.
static void read_texts (const named_function &f, octave_value &x, octave_value_list &rest,
                        std::string *type) {
  octave_value_list numbers;
  for (octave_idx_type i = 0; i < rest.length (); i++) {
    std::string text = rest (i).is_string () ? rest (i).string_value () : "";
    std::transform (text.begin (), text.end (), text.begin (), ::tolower);
    if (!rest (i).is_string ())
      numbers.append (rest (i));
    else if (type && (text == "native" || text == "double" || text == "default"))
      *type = text;
    else if (text == "all" && !is_stored (x))
      x = column (x);
    else if (text != (orders (f.op) ? "omitnan" : "includenan")) // what holds without a text
      refuse (f, "(X, \"" + text + "\")");
  }
  rest = numbers;
}

// The dimension, from 0 on, along which F (X, REST...) works, and the class that it asks for: "",
// "native", "double" or "default". Octave's error if Octave takes no such arguments.
static int dimension_of (const named_function &f, octave_value &x, octave_value_list rest,
                         std::string *type = nullptr) {
  int dim = rest.length () == 1 ? plain_dimension (rest (0)) : -1;
  if (rest.length () == 0 || dim >= 0)
    return dim >= 0 ? dim : x.dims ().first_non_singleton ();
  rest = on_host (rest);
  for (octave_idx_type i = 1; i < rest.length (); i++)
    if (rest (i - 1).is_string () && !rest (i).is_string ()) // a pair, such as "Weights", W
      refuse (f, "with these arguments");
  octave::feval (f.name, octave_value_list (rest).prepend (like (x)), 1);
  read_texts (f, x, rest, type);
  if (rest.length () == 0)
    return x.dims ().first_non_singleton ();
  dim = plain_dimension (rest (0));
  // some functions of Octave take 0 for none; it rounds numbers, and takes the first of several
  const bool is_none = is_number (rest (0)) && rest (0).double_value () == 0;
  if (rest.length () > 1 || (dim < 0 && !is_none))
    refuse (f, "with these arguments");
  return is_none ? x.dims ().first_non_singleton () : dim;
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

// cumsum or cumprod
static octave_value scanned (const named_function &f, const octave_value &value, int dim) {
  need_full (f.name, ovl (value));
  const gpumm_type type = type_of_fold (f.op, type_of (value));
  check_narrow (type);
  const octave_value y = by_device (f, ovl (value, dim + 1), 1, [&] {
    return value_of (gpumm::scan (f.op, array_of (value), dim, type));
  }) (0);
  return as_class (y, type);
}

// Does Octave sum integers in their class in cumsum? Octave 11 does not.
static bool has_integer_scans () {
  static const bool has = by_octave ("cumsum", ovl (octave_int8 (1))).is_int8_type ();
  return has;
}

// (X), (X, DIM), with "native" or "double", of a function that reduces or that scans
static octave_value_list summed (const named_function &f, const octave_value_list &args,
                                 int nargout, bool is_scan) {
  octave_value x = args (0);
  const gpumm_type type = type_of (x);
  if (is_scan && is_integer (type) && has_integer_scans ())
    return by_host_there (f.name, args, nargout);
  std::string as;
  const int dim = dimension_of (f, x, rest_of (args), &as);
  const bool is_native = as == "native";
  if (is_native && type == GPUMM_B && !is_scan)
    return folded (f.op == GPUMM_FOLD_PROD ? GPUMM_FOLD_ALL : GPUMM_FOLD_ANY, x, dim);
  if (!is_native)
    x = as == "double" ? x.as_double () : as_float (x);
  octave_value y = is_scan ? scanned (f, x, dim) : folded (f.op, x, dim) (0);
  if (is_native)
    y = type == GPUMM_B ? binary (octave_value::op_ne, y, 0.0) : as_class (y, type);
  return ovl (y);
}

octave_value_list sums (const named_function &f, const octave_value_list &args, int nargout) {
  return summed (f, args, nargout, false);
}

octave_value_list scans (const named_function &f, const octave_value_list &args, int nargout) {
  return summed (f, args, nargout, true);
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

// (X), (X, DIM), with "default", "double" or "native"
octave_value_list mean (const named_function &f, const octave_value_list &args, int) {
  octave_value x = args (0);
  std::string as;
  const int dim = dimension_of (f, x, rest_of (args), &as);
  const double count = dim < x.ndims () ? double (x.dims () (dim)) : 1;
  const octave_value y = mean_along (x, dim, count);
  if (as.empty ())
    return ovl (y);
  const octave_value rule = by_octave (f.name, ovl (like (x), as));
  return ovl (as_class (y, type_of_class (rule.class_name ())));
}

// (X), (X, DIM), with "native" or "double"
octave_value_list sumsq (const named_function &f, const octave_value_list &args, int) {
  octave_value x = args (0);
  std::string as;
  const int dim = dimension_of (f, x, rest_of (args), &as);
  const octave_value given = x;
  x = as == "double" ? x.as_double () : as_float (x);
  const auto squares = [] (const octave_value &y) {
    return binary (octave_value::op_el_mul, y, y);
  };
  octave_value y;
  if (!is_stored (x))
    y = folded (GPUMM_FOLD_SUMSQ, x, dim) (0);
  else if (!x.iscomplex ())
    y = folded (GPUMM_FOLD_SUM, squares (x), dim) (0);
  else
    y = folded (GPUMM_FOLD_SUM,
                binary (octave_value::op_add, squares (x.real ()), squares (x.imag ())), dim) (0);
  if (as != "native")
    return ovl (y);
  // Octave 11: of truth values, are all true?
  return given.islogical () ? folded (GPUMM_FOLD_ALL, given, dim)
                            : ovl (as_class (y, type_of (given)));
}

// (X, Y), (X, Y, DIM): conjugates X
octave_value_list dot (const named_function &f, const octave_value_list &args, int nargout) {
  octave_value x = args (0), y = args (1);
  if (!x.isnumeric () || !y.isnumeric ())
    error ("dot: X and Y must be numeric");
  if (x.isempty () || y.isempty ())
    return by_host_there (f.name, args, nargout);
  const auto is_vector = [] (const dim_vector &size) {
    return size.ndims () == 2 && (size (0) == 1 || size (1) == 1);
  };
  if (args.length () == 2 && is_vector (x.dims ()) && is_vector (y.dims ()))
    for (octave_value *z : {&x, &y})
      if (z->columns () != 1)
        *z = z->index_op (ovl (octave_value::magic_colon_t));
  if (x.dims () != y.dims ())
    error ("dot: sizes of X and Y must match");
  int dim = x.dims ().first_non_singleton ();
  if (args.length () == 3) {
    dim = plain_dimension (args (2));
    if (dim < 0) {
      by_octave (f.name, ovl (1.0, 1.0, on_host (args (2)))); // its error
      refuse (f, "with this DIM");
    }
  }
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
  check_sizes (f.name, dims_of (a.x.size), dims_of (b.x.size));
  const auto key = std::make_tuple (f.op, a.x.type, b.x.type, a.x.is_scalar (), b.x.is_scalar ());
  gpumm_type type = asked_once (key, [&] {
    return by_octave (f.name, ovl (sample (a.x.type, a.x.is_scalar (), dim_vector (1, 2)),
                                   sample (b.x.type, b.x.is_scalar (), dim_vector (1, 2))));
  });
  if (is_complex (a.x.type) || is_complex (b.x.type))
    type = complex_type (type);
  if (!is_float (type)) // converted for the comparison as Octave converts
    for (operand *o : {&a, &b}) {
      o->x = plain (converted (as_array (*o), type));
      o->is_number = false;
    }
  const gpumm_map_op op = f.op == GPUMM_FOLD_MAX ? GPUMM_MAP_MAX : GPUMM_MAP_MIN;
  return value_of (pending_array (fused (op, a, b, domain_of (type)), type,
                                  common_size (a.x.size, b.x.size), a.x.device));
}

// Octave 11 compares angles, too.
static bool compares_angles () {
  static const bool compares =
      by_octave ("max", ovl (Complex (3, -4), 5.0)).complex_value () != Complex (3, -4);
  return compares;
}

static octave_value_list of_two (const named_function &f, const octave_value_list &args,
                                 int nargout) {
  octave_value x = args (0), y = args (1);
  if (x.isempty () || y.isempty ())
    return by_host_there (f.name, args, nargout);
  const auto has_numbers = [] (const octave_value &z) { return z.isnumeric () || z.islogical (); };
  if (nargout > 1 || !has_numbers (x) || !has_numbers (y)) {
    octave::feval (f.name, ovl (like (x), like (y)), nargout); // Octave's error
    refuse (f, "of these arguments");
  }
  if ((x.iscomplex () || y.iscomplex ()) && compares_angles ()) {
    for (octave_value *z : {&x, &y}) // complex, also where all imaginary parts are zero
      *z = z->iscomplex () ? by_octave ("complex", ovl (on_host (*z))) : on_host (*z);
    return ovl (on_device (by_octave (f.name, ovl (x, y)), device_of_call (args)));
  }
  need_full (f.name, ovl (x, y));
  for (octave_value *z : {&x, &y}) {
    *z = is_there (*z) ? *z : plain_array (*z);
    check_narrow (type_of (*z));
  }
  return by_device (f, ovl (x, y), nargout, [&] { return extreme_of_two (f, x, y); });
}

// The dimension of max (X, [], DIM), which may be "all".
static int dimension_of_extreme (const named_function &f, octave_value &x,
                                 const octave_value &dim) {
  const int plain = plain_dimension (dim);
  if (plain >= 0)
    return plain;
  octave_value_list rest = ovl (on_host (dim));
  by_octave (f.name, rest.prepend (Matrix ()).prepend (like (x))); // its error
  read_texts (f, x, rest, nullptr);
  if (rest.length () > 0)
    refuse (f, "with this DIM");
  return x.dims ().first_non_singleton ();
}

// max and min: (X), (X, [], DIM), (X, Y), [m, i] = max (X, ...)
octave_value_list extreme (const named_function &f, const octave_value_list &args, int nargout) {
  octave_value x = args (0);
  if (args.length () == 2)
    return of_two (f, args, nargout);
  if (args.length () > 3 || (args.length () == 3 && !args (1).isempty ())) {
    octave_value_list small (args);
    for (octave_idx_type i = 0; i < small.length (); i++)
      small (i) = like (small (i));
    octave::feval (f.name, small, 1); // Octave's error
    refuse (f, "with these arguments");
  }
  if (!is_there (x))
    return by_host (f.name, args, nargout);
  if (x.isempty ())
    return by_host_there (f.name, args, nargout);
  const int dim = args.length () == 3 ? dimension_of_extreme (f, x, args (2))
                                      : x.dims ().first_non_singleton ();
  octave_value_list y = folded (f.op, x, dim, nargout);
  // NaN + Inf i counts where a number is before it
  if (x.iscomplex () && any_of (binary (octave_value::op_el_and, y (0).isnan (), y (0).isinf ())))
    return by_host_there (f.name, args, nargout);
  if (x.islogical () && !y (0).islogical ())
    y (0) = binary (octave_value::op_ne, y (0), 0.0);
  return y;
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

// Of a matrix of which only some elements are stored; p is 1, 2, Inf, or NaN for "fro".
static octave_value norm_of_stored (const named_function &f, const octave_value &x, double p) {
  const octave_value values = stored (x).values ();
  const bool is_vector = x.rows () == 1 || x.columns () == 1;
  if (p != 1 && !std::isnan (p) && p != INFINITY && !(p == 2 && is_vector))
    refuse (f, "with this P of a sparse matrix or one in blocks");
  if (values.isempty ())
    return on_device (as_class (octave_value (0.0), real_type (type_of (x))), device_for_new ());
  if (std::isnan (p) || p == 2)
    return folded (GPUMM_FOLD_NORM, column (values), 0) (0);
  if (p == INFINITY && is_vector)
    return largest (values.abs (), values);
  const int dim = p == INFINITY || x.rows () == 1 ? 1 : 0;
  return largest (sum_along (x.abs (), dim).full_value (), values);
}

// Of a full matrix.
static octave_value norm_of_full (const named_function &f, const octave_value &x, double p) {
  const bool is_vector = x.rows () == 1 || x.columns () == 1;
  if (std::isnan (p) || (p == 2 && is_vector))
    return folded (GPUMM_FOLD_NORM, column (x), 0) (0);
  if (p == 1) {
    const octave_value sums = sum_along (x.abs (), x.rows () == 1);
    return largest (sums, sums);
  }
  if (p == INFINITY)
    return largest (is_vector ? x.abs () : sum_along (x.abs (), 1), x);
  if (p != -INFINITY || !is_vector)
    refuse (f, p == 2 ? "(X, 2) of a matrix" : "with this P");
  return octave::unary_op (
      type_info (), octave_value::op_uminus,
      largest (octave::unary_op (type_info (), octave_value::op_uminus, x.abs ()), x));
}

// (X), (X, P): P is 1, 2, Inf or "fro" for vectors, also -Inf, and 1, Inf or "fro" for matrices.
octave_value_list norm (const named_function &f, const octave_value_list &args, int) {
  const octave_value x = args (0);
  const octave_value_list rest = on_host (rest_of (args));
  const octave_value p = rest.length () > 0 ? rest (0) : octave_value (2.0);
  const std::string text = p.is_string () && p.rows () == 1 ? p.string_value () : "";
  const bool is_fro = text == "fro", is_inf = text == "inf" || text == "Inf";
  const bool has_p = is_fro || is_inf || is_number (p);
  if (!x.isfloat () || x.ndims () > 2 || rest.length () > 1 || !has_p) {
    const dim_vector size = x.ndims () > 2 ? dim_vector (1, 2, 2) : dim_vector (1, 2);
    const octave_value small = sample (type_of (x), false, size);
    octave::feval (f.name, octave_value_list (rest).prepend (small), 1); // Octave's error
    refuse (f, "with these arguments");
  }
  const double number = is_fro ? NAN : is_inf ? INFINITY : p.double_value ();
  if (!is_fro && std::isnan (number))
    refuse (f, "(X, NaN)");
  return ovl (is_stored (x) ? norm_of_stored (f, x, number) : norm_of_full (f, x, number));
}

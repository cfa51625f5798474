// gpu_shapes.cc - named functions of gpuArrays that repeat, join, cut and convert them.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "arrays/vectors.h"
#include "gpu_functions.h"

#include <octave/parse.h>

using namespace gpumm;

// Is X a sparse matrix or one in blocks, on the host or on a device?
static bool is_stored_anywhere (const octave_value &x) {
  return x.issparse () || is_in_blocks (x.get_rep ());
}

// ---- repmat -------------------------------------------------------------------------------------

bool get_sizes (const octave_value_list &args, dim_vector &sizes) {
  std::vector<double> list;
  if (args.length () == 0)
    return false;
  for (octave_idx_type i = 0; i < args.length (); i++)
    list.push_back (is_number (args (i)) ? args (i).double_value () : NAN);
  const octave_value &x = args (0);
  if (list.size () == 1 && x.isnumeric () && x.isreal () && x.ndims () == 2 && x.rows () == 1) {
    const NDArray row = x.array_value ();
    list.assign (row.data (), row.data () + row.numel ());
    list.resize (std::max<std::size_t> (list.size (), 2), row.isempty () ? NAN : row (0));
  }
  sizes = dim_vector::alloc (std::max<int> (int (list.size ()), 2));
  bool is_plain = list.size () > 1;
  for (std::size_t d = 0; d < list.size (); d++) {
    is_plain = is_plain && list[d] == std::trunc (list[d]) && std::isfinite (list[d]);
    if (is_plain && list[d] >= 0x1p63)
      throw std::bad_alloc ();
    sizes (int (d)) = is_plain ? octave_idx_type (std::max (list[d], 0.0)) : 0;
  }
  return is_plain;
}

// How often repmat with these arguments repeats each dimension of X.
static dim_vector times_of (const named_call &c) {
  const octave_value_list args = c.rest ();
  enum { MOST_REPEATED = 1 << 16 }; // elements that Octave makes for its rules
  dim_vector times;
  if (get_sizes (args, times) && !times.all_zero ()) // all below 0 are an error of Octave's
    return times;
  // Octave also repeats a number 1.5 times by 1, but not 1.5 times by 2, which would be 3 elements
  double count = 1;
  for (octave_idx_type i = 0; i < args.length (); i++) {
    const bool is_list = args (i).isnumeric () && args (i).isreal () && args (i).numel () < 99;
    const NDArray list = is_list ? args (i).array_value () : NDArray (dim_vector (1, 1), INFINITY);
    for (octave_idx_type j = 0; j < list.numel (); j++)
      count *= std::max (std::abs (list (j)), 1.0);
    if (args.length () == 1 && list.numel () == 1)
      count *= count;
  }
  if (c.x.numel () == 1 && count <= MOST_REPEATED)
    return by_octave (c.f.name, octave_value_list (args).prepend (octave_value (true))).dims ();
  // Octave reads them: how often does it repeat the rows and columns of an empty array?
  const auto repeated = [&] (octave_idx_type rows, octave_idx_type cols) {
    const octave_value empty = NDArray (dim_vector (rows, cols));
    return by_octave (c.f.name, octave_value_list (args).prepend (empty)).dims ();
  };
  times = repeated (1, 0);
  times (1) = repeated (0, 1) (1);
  return times;
}

// A matrix that is stored sparse or in blocks, by its indices.
static octave_value repeated_stored (const octave_value &x, const dim_vector &times) {
  octave_value_list index;
  for (int d = 0; d < times.ndims (); d++) {
    const octave_idx_type n = d < 2 ? x.dims () (d) : 1;
    RowVector places (n * times (d));
    for (octave_idx_type i = 0; i < places.numel (); i++)
      places (i) = double (i % n + 1);
    index.append (times (d) == 1 ? octave_value (octave_value::magic_colon_t)
                                 : octave_value (places));
  }
  octave_value y = octave_value (x).index_op (index);
  // as Octave repeats sparse logical matrices
  if (y.issparse () && y.islogical ()) {
    const octave_value one = SparseBoolMatrix (boolMatrix (1, 2, true));
    if (!by_octave ("repmat", ovl (one, 1.0, 1.0)).islogical ())
      y = y.as_double ();
  }
  return y;
}

// (X, M, N, ...)
octave_value_list repmat (named_call &c) {
  const dim_vector times = times_of (c);
  if (is_stored (c.x))
    return ovl (repeated_stored (c.x, times));
  return c.there ([&] { return value_of (repeated (array_of (c.x), shape_of (times))); });
}

// ---- cat ----------------------------------------------------------------------------------------

// Octave's error for the sizes of these arrays, if it has one; for sparse ones small arrays will
// do. Octave's cat crashes where DIM is NaN or far below 0.
static void check_sizes (octave_value_list arrays, const octave_value &dim, bool has_sparse) {
  const double n = is_number (dim) ? dim.double_value () : 0;
  if (!(n >= 0 && n < 100))
    return;
  for (octave_idx_type i = 0; i < arrays.length (); i++) {
    dim_vector size = arrays (i).dims ();
    for (int d = 0; has_sparse && d < size.ndims (); d++)
      size (d) = std::min<octave_idx_type> (size (d), 2);
    arrays (i) = boolNDArray (size, false);
  }
  if (has_sparse)
    arrays (0) = by_octave ("sparse", ovl (arrays (0)));
  by_octave ("cat", arrays.prepend (dim));
}

static octave_value_list joined_stored (const named_call &c, const octave_value &dim,
                                        const octave_value_list &arrays) {
  const double n = is_number (dim) ? dim.double_value () : 0;
  if (n == 1 || n == 2)
    return octave::feval (n == 1 ? "vertcat" : "horzcat", arrays, 1);
  bool has_sparse = false;
  for (octave_idx_type i = 0; i < arrays.length (); i++)
    has_sparse = has_sparse || arrays (i).issparse ();
  check_sizes (arrays, dim, has_sparse);
  c.refuse ("of a sparse matrix along this DIM");
}

// Arrays as parts of one of this size, with elements of this type, complex if one of them is.
static octave_value joined_full (const octave_value_list &arrays, int dim, const dim_vector &size,
                                 gpumm_type type) {
  std::vector<array> parts;
  int device = device_for_new ();
  for (octave_idx_type i = arrays.length (); i-- > 0;)
    if (is_there (arrays (i)))
      device = gpu_value_of (arrays (i).get_rep ())->device ();
  for (octave_idx_type i = 0; i < arrays.length (); i++) {
    const octave_value &x = arrays (i);
    if (x.isempty ())
      continue;
    parts.push_back (array_on (x, device));
    if (is_complex (parts.back ().type))
      type = complex_type (type);
  }
  for (array &x : parts)
    x = as_type (x, type);
  return value_of (joined (parts, dim, shape_of (size), device, type));
}

// (DIM, X, Y, ...)
octave_value_list cat (named_call &c) {
  const octave_value dim = on_host (c.x);
  const octave_value_list arrays = rest_of (c.args);
  bool any_stored = false, all_numbers = true;
  for (octave_idx_type i = 0; i < arrays.length (); i++) {
    const octave_value &x = arrays (i);
    any_stored = any_stored || is_stored_anywhere (x);
    all_numbers = all_numbers && (x.isnumeric () || x.islogical ());
  }
  if (arrays.length () == 0)
    return c.octaves ();
  if (dim.numel () != 1)
    c.refuse ("with this DIM");
  if (any_stored)
    return joined_stored (c, dim, arrays);
  const int along = plain_dimension (dim);
  bool fit = along >= 0 && along < 100;
  if (!all_numbers) // far from these Octave's cat crashes; -1 is its error
    return builtin (c, octave_value_list (arrays).prepend (fit ? dim : octave_value (-1.0)));
  dim_vector size = arrays (0).dims ();
  for (octave_idx_type i = 1; i < arrays.length () && fit; i++)
    fit = size.concat (arrays (i).dims (), along);
  if (!fit) {
    check_sizes (arrays, dim, false);
    c.refuse ("with this DIM");
  }
  if (size.any_zero ())
    return c.octaves_there ();
  gpumm_type type = type_of (arrays (0));
  for (octave_idx_type i = 1; i < arrays.length (); i++) // empty arrays count
    type = joined_type (type, type_of (arrays (i)));
  return c.there ([&] { return joined_full (arrays, along, size, type); });
}

// ---- triangles ----------------------------------------------------------------------------------

// (X), (X, K) of tril and triu. Octave's own copies a gpuArray column by column.
octave_value_list triangle (named_call &c) {
  const octave_value &x = c.x;
  const octave_value_list rest = c.rest ();
  bool has_text = false;
  for (octave_idx_type i = 0; i < rest.length (); i++) {
    has_text = has_text || rest (i).is_string ();
    if (!x.issparse () && rest (i).is_string () && rest (i).string_value () == "pack")
      c.refuse ("with \"pack\"");
  }
  if (is_stored (x) || has_text)
    return builtin (c, octave_value_list (rest).prepend (x));
  if (is_wide (type_of (x)))
    return c.octaves_there ();
  const double given = rest.length () == 1 && is_number (rest (0)) ? rest (0).double_value () : NAN;
  if (x.ndims () > 2 || (rest.length () > 0 && given != std::trunc (given)))
    c.ask ();
  if (x.ndims () > 2) // ask () leaves a K beyond an int out
    by_octave (c.f.name, ovl (small (x)));
  if (rest.length () > 0 && !(rest (0).isreal () && rest (0).numel () > 0))
    c.refuse ("with this K");
  const double k = rest.length () > 0 ? rest (0).array_value () (0) : 0; // as Octave reads a matrix
  return c.there ([&] {
    array a = array_of (x);
    return value_of (triangle_of (ready (a), std::string (c.f.name) == "triu", k));
  });
}

// ---- made on the device -------------------------------------------------------------------------

octave_value asked_for (const named_function &f, const octave_value_list &args,
                        const char *function) {
  try {
    return by_octave (function ? function : f.name, on_host (args));
  } catch (const octave::execution_exception &e) {
    if (!e.identifier ().empty ())
      throw;
    octave::interpreter::the_interpreter ()->recover_from_exception ();
    error_with_id (
        "gpumm:bad-value",
        "gpuArray.%s: sizes must be whole numbers, or a row of them, and a class must be "
        "a name. Write gpuArray.%s (2, 3, \"single\")",
        f.name, f.name);
  }
}

// One element of zeros (..., IN_CLASS), of ones and so on: Octave is asked once. Or its error.
static octave_value element_of (const named_function &f, const octave_value &in_class) {
  static std::map<std::pair<std::string, std::string>, octave_value> known;
  octave_value_list one_of = ovl (1.0, 1.0);
  if (in_class.is_defined ())
    one_of.append (in_class);
  if (in_class.is_defined () && in_class.rows () != 1)
    asked_for (f, one_of); // its error
  const auto key =
      std::make_pair (std::string (f.name), in_class.is_defined () ? in_class.string_value () : "");
  const auto found = known.find (key);
  if (found != known.end ())
    return found->second;
  return known[key] = asked_for (f, one_of);
}

// gpuArray.zeros (...), ones, true, Inf, eye and so on, with the arguments of Octave's functions
octave_value_list filled (named_call &c) {
  octave_value_list sizes = on_host (c.args);
  octave_value in_class;
  const octave_idx_type last = sizes.length () - 1;
  if (last >= 0 && sizes (last).is_string ()) {
    in_class = sizes (last);
    sizes.resize (last);
  }
  const bool is_eye = std::string (c.f.name) == "eye";
  const octave_value number = element_of (c.f, in_class);
  dim_vector size (1, 1);
  const bool has_sizes = sizes.length () == 0 || get_sizes (sizes, size);
  if (!has_sizes || is_wide (type_of_value (number))
      || (is_eye && (size.ndims () > 2 || size.any_zero ())))
    return ovl (on_device (asked_for (c.f, c.args), device_for_new ()));
  (void) size.safe_numel (); // Octave's error if no array can be so large
  size.chop_trailing_singletons ();
  return c.there ([&] {
    const operand one = operand_of (number, device_for_new ());
    array x = as_array (one);
    x.size = shape_of (size);
    if (is_eye) {
      const octave_idx_type step = size (0) + 1, count = std::min (size (0), size (1));
      x = zeros (x.device, x.type, x.size);
      gpumm::assign (x, {octave::idx_vector (0, count * step, step)}, as_array (one));
    }
    return value_of (x);
  });
}

// gpuArray.linspace (...) and others that Octave computes
octave_value_list made_by_octave (named_call &c) {
  return c.octaves_there ();
}

// ---- formats ------------------------------------------------------------------------------------

// (X): the sparse matrix with the entries of X; (M, N), (I, J, V, M, N): Octave's, of numbers there
octave_value_list sparse_from (named_call &c) {
  const octave_value &x = c.x;
  if (c.args.length () > 1) {
    for (octave_idx_type i = 0; i < c.args.length (); i++)
      if (is_there (c.args (i)) && c.args (i).numel () != 1)
        c.refuse ();
    return c.octaves ();
  }
  if (!is_there (x))
    return c.octaves ();
  if (x.issparse ())
    return ovl (x);
  if (!is_gpublocks (x.get_rep ()) && (x.ndims () > 2 || is_integer (type_of (x))))
    error_with_id ("gpumm:invalid",
                   "sparse: X must be a matrix of floats or truth values, not %s %s",
                   x.dims ().str ().c_str (), class_of (type_of (x)));
  return ovl (gpu_value_of (x.get_rep ())->as_sparse ());
}

// (X, B): the full matrix X on the device, cut into blocks of B x B or B(1) x B(2)
octave_value_list blocksparse_from (named_call &c) {
  const octave_value &x = c.x;
  const bool in_blocks = is_gpublocks (x.get_rep ());
  if (!is_there (x) || c.args.length () > 2)
    c.refuse ("with these arguments");
  if (c.args.length () == 1 && !in_blocks)
    c.ask ();
  if (c.args.length () == 1)
    return ovl (x);
  // [rows, columns] of a block, or blocksparse's error
  const octave_value b = on_host (c.args (1));
  if (x.ndims () > 2)
    c.ask ();
  const octave_value none =
      by_octave (c.f.name, ovl (double (x.rows ()), double (x.columns ()), b));
  const NDArray sizes = by_octave ("blocksize", ovl (none)).array_value ();
  const dim_vector block (octave_idx_type (sizes (0)), octave_idx_type (sizes (1)));
  if (in_blocks && stored (x).block_size () == block)
    return ovl (x);
  if (x.issparse ())
    c.refuse ("of a sparse matrix");
  const octave_value full = x.full_value ();
  if (device_for_new () == NO_DEVICE)
    return ovl (value_of (by_octave (c.f.name, ovl (on_host (full), b))));
  return ovl (value_of (blocks_of (array_of (full), shape_of (block))));
}

// ---- what Octave computes -----------------------------------------------------------------------

// [I, J, V] of the entries of a full array that are not zero, of at most `most`: the first ones, or
// the last.
static octave_value_list find_there (const named_call &c, double most, bool from_end) {
  const array x = array_of (c.x);
  const dim_vector size = c.x.dims ();
  array places = places_of (x);
  const int64_t all = places.numel (), count = most < double (all) ? int64_t (most) : all;
  places =
      part_of (places, {selection::range (from_end ? all - count : 0, from_end ? all : count)});
  if (size.ndims () == 2 && size (0) == 1)
    places.size = shape (1, count);
  const octave_value k = value_of (places);
  if (c.nargout < 2)
    return ovl (k);
  const double rows = double (size (0));
  const octave_value before =
      binary (octave_value::op_div, binary (octave_value::op_sub, k, 1.0), rows).floor ();
  octave_value_list found =
      ovl (binary (octave_value::op_sub, k, binary (octave_value::op_mul, before, rows)),
           binary (octave_value::op_add, before, 1.0));
  if (c.nargout > 2)
    found.append (value_of (indexed_there (x, places, places)));
  return found;
}

// (X, N, DIRECTION). Of a matrix that is stored Octave's own; for [I, J, V] of an integer it makes
// V double.
octave_value_list find (named_call &c) {
  const octave_value_list rest = c.rest ();
  if (!is_there (c.x) || is_stored (c.x))
    return builtin (c, c.args);
  if (c.x.numel () < 2 || rest.length () > 2 || c.nargout > 3)
    return c.octaves_there ();
  octave::feval (c.f.name, octave_value_list (rest).prepend (octave_value (1.0))); // its errors
  const double most = rest.length () > 0 ? rest (0).double_value () : INFINITY;
  const bool from_end = rest.length () > 1 && rest (1).string_value () == "last";
  return c.there ([&] { return find_there (c, most, from_end); });
}

// (...) of a number or an empty array
octave_value_list unique (named_call &c) {
  if (c.x.numel () > 1)
    c.refuse ();
  return c.octaves_there ();
}

// (F, X, ...): Octave's own takes each element or column by an index, which is slow on a device, so
// it gets the host's values. Arrays among the results, and in cells, are on the device again.
octave_value_list by_elements (named_call &c) {
  const int device = c.device ();
  const auto there = [device] (const octave_value &x) {
    return x.isnumeric () || x.islogical () ? on_device (x, device) : x;
  };
  octave_value_list results = c.octaves ();
  for (octave_idx_type i = 0; i < results.length (); i++)
    if (results (i).iscell ()) {
      Cell parts = results (i).cell_value ();
      for (octave_idx_type k = 0; k < parts.numel (); k++)
        parts (k) = there (parts (k));
      results (i) = parts;
    } else
      results (i) = there (results (i));
  return results;
}

// (BASE, LIMIT), (BASE, INCREMENT, LIMIT) of numbers: a range of the host
octave_value_list colon (named_call &c) {
  return c.octaves ();
}

// (F, A, B): Octave's own calls F for each column. Operators expand their operands themselves, so
// they are called once, on the device. As in Octave, their result is full, also for sparse
// matrices, unless both are in blocks; if one is logical, it is what Octave makes of small ones.
// Functions of Octave such as center and std call bsxfun.
octave_value_list bsxfun (named_call &c) {
  const octave_value_list &args = c.args;
  static const std::set<std::string> operators = {"plus", "minus", "times", "rdivide", "power",
                                                  "eq",   "ne",    "lt",    "le",      "gt",
                                                  "ge",   "max",   "min"};
  std::string name;
  if (args.length () == 3 && args (0).is_function_handle ())
    name = by_octave ("func2str", ovl (args (0))).string_value ();
  else if (args.length () == 3 && args (0).is_string () && args (0).rows () == 1)
    name = args (0).string_value ();
  if (operators.count (name) == 0)
    return by_elements (c);
  octave_value a = args (1), b = args (2);
  if (!(is_gpublocks (a.get_rep ()) && is_gpublocks (b.get_rep ())))
    for (octave_value *x : {&a, &b})
      if (!is_there (*x) || is_stored (*x))
        *x = by_octave ("full", ovl (*x));
  const octave_value y = by_octave (name.c_str (), ovl (a, b));
  if (!y.isempty () && (a.islogical () || b.islogical ())
      && (args (1).issparse () || args (2).issparse ())
      && by_octave (c.f.name, ovl (name, small (args (1)), small (args (2)))).issparse ())
    return ovl (by_octave ("sparse", ovl (y)));
  return ovl (y);
}

// What Octave's function makes of small truth values, in whose place x and y are expanded; or its
// error.
static octave_value expanded_sample (const named_function &f, const octave_value &x,
                                     const octave_value &y) {
  const int dims = std::max (x.ndims (), y.ndims ());
  dim_vector u = x.dims ().redim (dims), v = y.dims ().redim (dims);
  for (int d = 0; d < dims; d++) {
    const bool differ = u (d) != v (d) && u (d) > 1 && v (d) > 1;
    u (d) = std::min<octave_idx_type> (u (d), 2);
    v (d) = differ ? 3 : std::min<octave_idx_type> (v (d), 2);
  }
  const auto sample_of = [] (const octave_value &given, const dim_vector &size) {
    const octave_value z = boolNDArray (size, true);
    return given.issparse () ? by_octave ("sparse", ovl (z)) : z;
  };
  return by_octave (f.name, ovl (sample_of (x, u), sample_of (y, v)));
}

static octave_value xor_of (const named_function &f, octave_value x, octave_value y) {
  const bool expands = x.numel () != 1 && y.numel () != 1 && x.dims () != y.dims ();
  const bool is_sparse = expands && expanded_sample (f, x, y).issparse ();
  for (octave_value *z : {&x, &y}) {
    *z = by_octave ("logical",
                    ovl (*z)); // first: Octave 11 makes numbers of a text that is made full
    if (expands && (!is_there (*z) || is_stored (*z)))
      *z = by_octave ("full", ovl (*z));
  }
  const octave_value z = binary (octave_value::op_ne, x, y);
  return is_sparse ? by_octave ("sparse", ovl (z)) : z;
}

// (X, Y, ...): Octave's own gives one error for all that is refused where sizes differ
octave_value_list exclusive_or (named_call &c) {
  octave_value z = c.x;
  for (octave_idx_type i = 1; i < c.args.length (); i++)
    z = xor_of (c.f, z, c.args (i));
  return ovl (z);
}

// gpu_functions.cc - the named functions of gpuArrays, such as sum and norm: their table is in
// gpu_functions.h.
//
// Octave itself has most of them: its function is called with a small array of the same class, for
// its errors and its classes, and with the gathered array if that is empty.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <climits>
#include <cmath>
#include <unordered_map>

#include "gpu_functions.h"

#include <strings.h>

#include <octave/lo-array-errwarn.h>
#include <octave/parse.h>

using namespace gpumm;

// ---- what they share ----------------------------------------------------------------------------

octave_value_list on_host (octave_value_list list) {
  for (octave_idx_type i = 0; i < list.length (); i++)
    list (i) = on_host (list (i));
  return list;
}

octave_value_list by_host (const char *name, const octave_value_list &args, int nargout) {
  return octave::feval (name, on_host (args), nargout);
}

int device_of_call (const octave_value_list &args) {
  for (octave_idx_type i = 0; i < args.length (); i++)
    if (is_there (args (i)))
      return gpu_value_of (args (i).get_rep ())->device ();
  return device_for_new ();
}

octave_value_list by_host_there (const char *name, const octave_value_list &args, int nargout) {
  octave_value_list results = by_host (name, args, nargout);
  const int device = device_of_call (args);
  for (octave_idx_type i = 0; i < results.length (); i++)
    results (i) = on_device (results (i), device);
  return results;
}

octave_value like (octave_value x) {
  const gpu_value *g = gpu_value_of (x.get_rep ());
  if (g)
    return g->elements ();
  const bool is_array = x.isnumeric () || x.islogical (); // a text is an option
  if (!is_array || x.numel () <= 1)
    return x;
  return x.index_op (ovl (octave::idx_vector (0, 2))).reshape (dim_vector (1, 2));
}

[[noreturn]] void refuse (const named_function &f, const std::string &what) {
  say_gather ("%s %s is not available on a device. Use gather (X)", f.name, what.c_str ());
}

int plain_dimension (const octave_value &x) {
  const double n = is_number (x) ? on_host (x).double_value () : 0;
  return n >= 1 && n == std::trunc (n) ? int (std::min (n, double (INT_MAX))) - 1 : -1;
}

octave_value binary (octave_value::binary_op op, const octave_value &a, const octave_value &b) {
  return octave::binary_op (type_info (), op, a, b);
}

bool any_of (const octave_value &x) {
  return !x.isempty () && !octave::unary_op (type_info (), octave_value::op_not, x).is_true ();
}

array array_of (const octave_value &x) {
  array a;
  get_gpuarray (x.get_rep (), a);
  return a;
}

// ---- comparison -------------------------------------------------------------------------------

static bool equal (const named_function &f, octave_value x, octave_value y) {
  if (is_blocksparse (x.get_rep ()) || is_blocksparse (y.get_rep ())) {
    x = on_device (x, device_for_new ());
    y = on_device (y, device_for_new ());
  }
  const auto is_array = [] (const octave_value &z) {
    return z.isnumeric () || z.islogical () || z.is_string ();
  };
  if (!is_array (x) || !is_array (y) || x.dims () != y.dims ())
    return false;
  if (x.isempty ())
    return true;
  if (!is_there (x) && !is_there (y))
    return by_octave ("isequal", ovl (x, y)).bool_value ();
  if (is_gpublocks (x.get_rep ()) && is_gpublocks (y.get_rep ())
      && stored (x).block_size () == stored (y).block_size ()) {
    check_narrow (type_of (x));
    check_narrow (type_of (y));
    return by_device (f, ovl (x, y), 1, [&] { return blocks_equal (x, y); }) (0).is_true ();
  }
  if (x.issparse () && y.issparse ())
    return binary (octave_value::op_ne, x, y).nnz () == 0;
  for (octave_value *z : {&x, &y})
    *z = z->is_string () ? octave_value (z->array_value (true)) : z->full_value ();
  return binary (octave_value::op_eq, x, y).is_true ();
}

// (X, Y, ...): are sizes and values equal?  Classes do not matter.
octave_value_list isequal (const named_function &f, const octave_value_list &args, int) {
  bool yes = true;
  for (octave_idx_type i = 1; i < args.length () && yes; i++)
    yes = equal (f, args (i - 1), args (i));
  return ovl (yes);
}

// (X): X != 0. NaN is an error, as in Octave.
octave_value_list logical (const named_function &f, const octave_value_list &args, int) {
  const octave_value x = args (0);
  if (x.islogical ())
    return ovl (x);
  if (x.isfloat () && any_of ((is_stored (x) ? stored (x).values () : x).isnan ()))
    by_octave (f.name, ovl (NAN)); // its error
  return ovl (binary (octave_value::op_ne, x, 0.0));
}

octave_value_list isinteger (const named_function &, const octave_value_list &args, int) {
  return ovl (is_there (args (0)) && is_integer (type_of (args (0))));
}

// ---- products of pages -------------------------------------------------------------------------

static gpumm_op page_op_of (const octave_value &x, const char *name) {
  static const char *const ops[] = {"none", "transpose", "ctranspose"};
  if (x.is_string ())
    for (int op = 0; op < 3; op++)
      if (strcasecmp (x.string_value ().c_str (), ops[op]) == 0)
        return gpumm_op (op);
  error_with_id ("gpumm:bad-value",
                 "pagemtimes: %s must be \"none\", \"transpose\" or \"ctranspose\"", name);
}

// x with each page transposed.
static array turned_pages (const array &x, gpumm_op op) {
  if (op == GPUMM_NONE)
    return x;
  std::vector<int> order;
  for (int d = 0; d < x.size.ndims (); d++)
    order.push_back (d < 2 ? 1 - d : d);
  array y = permuted (x, order);
  y.conjugated = op == GPUMM_CTRANSPOSE && is_complex (x.type);
  return y;
}

static octave_value products_of_pages (const octave_value_list &args, gpumm_op op_x,
                                       gpumm_op op_y) {
  auto both = operands_of (args (0).get_rep (), args (2).get_rep ());
  const array x = as_array (both.first), y = as_array (both.second);
  // the CPU computes exact products of integers
  if (is_integer (x.type) || is_integer (y.type))
    return value_of (upload (
        by_octave ("pagemtimes", ovl (download (x), args (1), download (y), args (3))), x.device));
  const int dims = std::max (x.size.ndims (), y.size.ndims ());
  const dim_vector m = dims_of (x.size.redim (dims)), n = dims_of (y.size.redim (dims));
  const bool scales = (m (0) == 1 && m (1) == 1) || (n (0) == 1 && n (1) == 1);
  if (scales)
    return value_of (elementwise (operation_of (octave_value::op_el_mul),
                                  operand (turned_pages (x, op_x)),
                                  operand (turned_pages (y, op_y))));
  bool fits = m (op_x == GPUMM_NONE) == n (op_y != GPUMM_NONE);
  for (int d = 2; d < dims; d++)
    fits = fits && (m (d) == n (d) || m (d) == 1 || n (d) == 1);
  if (!fits) {
    dim_vector of_x = dims_of (x.size), of_y = dims_of (y.size);
    if (op_x != GPUMM_NONE)
      std::swap (of_x (0), of_x (1));
    if (op_y != GPUMM_NONE)
      std::swap (of_y (0), of_y (1));
    octave::err_nonconformant ("pagemtimes", of_x, of_y);
  }
  return value_of (multiplied_pages (x, op_x, y, op_y, product_type (x.type, y.type)));
}

// (X, Y), (X, TRANSPX, Y, TRANSPY)
octave_value_list pagemtimes (const named_function &f, const octave_value_list &args, int nargout) {
  if (args.length () == 3)
    octave::feval ("print_usage", ovl (f.name));
  need_full (f.name, args);
  octave_value_list all =
      args.length () == 2 ? ovl (args (0), "none", args (1), "none") : octave_value_list (args);
  const gpumm_op op_x = page_op_of (all (1), "transpX"), op_y = page_op_of (all (3), "transpY");
  for (const int i : {0, 2})
    if (!is_there (all (i)))
      all (i) = plain_array (all (i));
  return by_device (f, all, nargout, [&] { return products_of_pages (all, op_x, op_y); });
}

// ---- matrices in blocks -------------------------------------------------------------------------

static const gpu_stored &need_blocks (const named_function &f, const octave_value &x) {
  if (!is_gpublocks (x.get_rep ()))
    error_with_id ("gpumm:invalid", "%s: X must be a blocksparse, or a gpuArray of one", f.name);
  return stored (x);
}

// (X): [rows, columns] of a block
octave_value_list blocksize (const named_function &f, const octave_value_list &args, int) {
  return ovl (Matrix (need_blocks (f, args (0)).block_size ().as_array ()));
}

// (X): the number of blocks with a nonzero element
octave_value_list nnzb (const named_function &f, const octave_value_list &args, int) {
  return ovl (double (need_blocks (f, args (0)).block_count ()));
}

// (X, TOL): X without the blocks whose Frobenius norm is at most TOL
octave_value_list dropblocks (const named_function &f, const octave_value_list &args, int nargout) {
  const octave_value tol = on_host (args (1));
  if (!is_number (tol) || !(tol.double_value () >= 0))
    error_with_id ("gpumm:bad-value", "dropblocks: TOL must be a number of 0 or more");
  if (!is_there (args (0)))
    return by_host (f.name, args, nargout);
  need_blocks (f, args (0));
  return by_device (f, args, nargout,
                    [&] { return blocks_dropped (args (0), tol.double_value ()); });
}

// ---- to the device and back ---------------------------------------------------------------------

// (X, ...): each as a value of the host
octave_value_list gather (const named_function &f, const octave_value_list &args, int nargout) {
  if (nargout > args.length () || args.length () == 0)
    octave::feval ("print_usage", ovl (f.name));
  return on_host (args.slice (0, nargout));
}

// (X)
octave_value_list to_device (const named_function &f, const octave_value_list &args, int) {
  if (args.length () != 1)
    octave::feval ("print_usage", ovl (f.name));
  if (args (0).is_string ()) // which is numbers beside a gpuArray
    error_with_id ("gpumm:invalid",
                   "gpuArray: A must be a numeric or logical array, not of class char");
  return ovl (on_device (args (0), device_for_new ()));
}

// ---- the table ----------------------------------------------------------------------------------

static const named_function table[] = {
#define ROW(name, handler, ...) {#name, handler, __VA_ARGS__},
    GPU_FUNCTIONS (ROW)
#undef ROW
};

std::vector<std::string> function_names () {
  std::vector<std::string> names;
  for (const named_function &f : table)
    names.push_back (f.name);
  return names;
}

const named_function *find_function (const std::string &name) {
  static const std::unordered_map<std::string, const named_function *> rows = [] {
    std::unordered_map<std::string, const named_function *> all;
    for (const named_function &f : table)
      all[f.name] = &f;
    return all;
  }();
  const auto found = rows.find (name);
  return found == rows.end () ? nullptr : found->second;
}

octave_value_list call_function (const named_function &f, const octave_value_list &args,
                                 int nargout) {
  if (args.length () < f.least || args.length () > f.most)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", f.name);
  nargout = std::max (nargout, f.run == by_elements ? 0 : 1); // F may have no result
  if (f.of_others == BY_OCTAVE && !is_there (args (0)))
    return by_host (f.name, args, nargout);
  if (f.of_others == BY_OCTAVE && args (0).isempty ())
    return by_host_there (f.name, args, nargout);
  return f.run (f, args, nargout);
}

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
#include <tuple>
#include <unordered_map>

#include "gpu_words.h"

#include <strings.h>

#include <octave/lo-array-errwarn.h>
#include <octave/parse.h>

using namespace gpumm;

// ---- values -------------------------------------------------------------------------------------

octave_value_list on_host (octave_value_list list) {
  for (octave_idx_type i = 0; i < list.length (); i++)
    list (i) = on_host (list (i));
  return list;
}

octave_value small (const octave_value &x) {
  if (!x.isnumeric () && !x.islogical ())
    return x;
  dim_vector size = x.dims ();
  octave_value_list first;
  for (int d = 0; d < size.ndims (); d++) {
    size (d) = std::min<octave_idx_type> (size (d), 2);
    first.append (octave_value (octave::idx_vector (0, size (d))));
  }
  if (!is_there (x))
    return octave_value (x).index_op (first);
  const octave_value y = sample (type_of (x), x.numel () == 1, size);
  return x.issparse () ? by_octave ("sparse", ovl (y)) : y;
}

int plain_dimension (const octave_value &x) {
  const double n = is_number (x) ? on_host (x).double_value () : 0;
  return n >= 1 && n == std::trunc (n) ? int (std::min (n, double (INT_MAX))) - 1 : -1;
}

octave_value_list builtin (const named_call &c, octave_value_list args) {
  return octave::feval ("builtin", args.prepend (octave_value (c.f.name)), c.nargout);
}

octave_value binary (octave_value::binary_op op, const octave_value &a, const octave_value &b) {
  return octave::binary_op (type_info (), op, a, b);
}

bool any_of (const octave_value &x) {
  if (x.isempty ())
    return false;
  const gpu_value *g = gpu_value_of (x.get_rep ());
  if (g && g->device () != NO_DEVICE)
    return !octave::unary_op (type_info (), octave_value::op_not, x).is_true ();
  const octave_value column = on_host (x).reshape (dim_vector (x.numel (), 1));
  return column.any (0).is_true (); // Octave 11 warns of an array as a truth value
}

array array_of (const octave_value &x) {
  array a;
  get_gpuarray (x.get_rep (), a);
  return a;
}

// ---- calls --------------------------------------------------------------------------------------

int named_call::device () const {
  for (octave_idx_type i = 0; i < args.length (); i++)
    if (is_there (args (i)))
      return gpu_value_of (args (i).get_rep ())->device ();
  return device_for_new ();
}

octave_value_list named_call::octaves () const {
  return octave::feval (f.name, on_host (args), nargout);
}

octave_value_list named_call::octaves_there () const {
  octave_value_list results = octaves ();
  for (octave_idx_type i = 0; i < results.length (); i++)
    results (i) = on_device (results (i), device ());
  return results;
}

static void ask_octave (const named_call &c, const octave_value_list &args) {
  octave_value_list list;
  for (octave_idx_type i = 0; i < args.length (); i++) {
    list.append (small (i == 0 ? args (i) : on_host (args (i)))); // options keep their values
    // functions of Octave 7 crash at some numbers beyond those of an int
    if (i > 0 && is_number (list (i)) && std::abs (list (i).double_value ()) >= INT_MAX)
      return;
  }
  octave::feval (c.f.name, list, c.nargout);
}

void named_call::ask () const {
  ask_octave (*this, args);
}

void named_call::refuse (const std::string &what) const {
  if (given) // Octave 7 has not all words: what the error says to write must run
    ask_octave (*this, *given);
  gpumm::refuse (f.name, what);
}

void named_call::usage () const {
  octave::feval ("print_usage", ovl (f.name));
  error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", f.name);
}

// ---- comparison -------------------------------------------------------------------------------

static bool equal (octave_value x, octave_value y) {
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
    if (device_for_new () != NO_DEVICE)
      return blocks_equal (x, y);
    return by_octave ("isequal", on_host (ovl (x, y))).is_true ();
  }
  if (x.issparse () && y.issparse ())
    return binary (octave_value::op_ne, x, y).nnz () == 0;
  for (octave_value *z : {&x, &y})
    *z = z->is_string () ? octave_value (z->array_value (true)) : z->full_value ();
  return binary (octave_value::op_eq, x, y).is_true ();
}

// (X, Y, ...): are sizes and values equal?  Classes do not matter.
octave_value_list isequal (named_call &c) {
  bool yes = true;
  for (octave_idx_type i = 1; i < c.args.length () && yes; i++)
    yes = equal (c.args (i - 1), c.args (i));
  return ovl (yes);
}

// (X): X != 0. NaN is an error, as in Octave.
octave_value_list logical (named_call &c) {
  const octave_value &x = c.x;
  if (x.islogical ())
    return ovl (x);
  if (x.isfloat () && any_of ((is_stored (x) ? stored (x).values () : x).isnan ()))
    by_octave (c.f.name, ovl (NAN)); // its error
  return ovl (binary (octave_value::op_ne, x, 0.0));
}

octave_value_list isinteger (named_call &c) {
  return ovl (is_there (c.x) && is_integer (type_of (c.x)));
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
  shape u = x.size, v = y.size; // of op (X) and op (Y)
  if (op_x != GPUMM_NONE)
    std::swap (u (0), u (1));
  if (op_y != GPUMM_NONE)
    std::swap (v (0), v (1));
  if ((u (0) == 1 && u (1) == 1) || (v (0) == 1 && v (1) == 1))
    return value_of (elementwise (operation_of (octave_value::op_el_mul),
                                  operand (turned_pages (x, op_x)),
                                  operand (turned_pages (y, op_y))));
  if (u (1) != v (0) || !can_broadcast (u, v, 2))
    octave::err_nonconformant ("pagemtimes", dims_of (u), dims_of (v));
  return value_of (multiplied_pages (x, op_x, y, op_y, product_type (x.type, y.type)));
}

// (X, Y), (X, TRANSPX, Y, TRANSPY)
octave_value_list pagemtimes (named_call &c) {
  if (c.args.length () == 3)
    c.usage ();
  octave_value_list all =
      c.args.length () == 2 ? ovl (c.x, "none", c.args (1), "none") : octave_value_list (c.args);
  const gpumm_op op_x = page_op_of (all (1), "transpX"), op_y = page_op_of (all (3), "transpY");
  for (const int i : {0, 2})
    if (!is_there (all (i)))
      all (i) = plain_array (all (i));
  return c.there ([&] { return products_of_pages (all, op_x, op_y); });
}

// ---- matrices in blocks -------------------------------------------------------------------------

static const gpu_stored &need_blocks (const named_call &c) {
  if (!is_gpublocks (c.x.get_rep ()))
    error_with_id ("gpumm:invalid", "%s: X must be a blocksparse, or a gpuArray of one", c.f.name);
  return stored (c.x);
}

// (X): [rows, columns] of a block
octave_value_list blocksize (named_call &c) {
  return ovl (Matrix (need_blocks (c).block_size ().as_array ()));
}

// (X): the number of blocks with a nonzero element
octave_value_list nnzb (named_call &c) {
  return ovl (double (need_blocks (c).block_count ()));
}

// (X, TOL): X without the blocks whose Frobenius norm is at most TOL
octave_value_list dropblocks (named_call &c) {
  const octave_value tol = on_host (c.args (1));
  if (!is_number (tol) || !(tol.double_value () >= 0))
    error_with_id ("gpumm:bad-value", "dropblocks: TOL must be a number of 0 or more");
  if (!is_there (c.x))
    return c.octaves ();
  need_blocks (c);
  return c.there ([&] { return blocks_dropped (c.x, tol.double_value ()); });
}

// ---- functions of two numbers -------------------------------------------------------------------

// The class that Octave's f gives for arrays of these types, or numbers of them; or its error.
static gpumm_type type_of_two (const named_function &f, const array &a, const array &b) {
  const auto key = std::make_tuple (f.name, a.type, b.type, a.is_scalar (), b.is_scalar ());
  return asked_once (key, [&] {
    return by_octave (f.name, ovl (sample (a.type, a.is_scalar (), dim_vector (1, 2)),
                                   sample (b.type, b.is_scalar (), dim_vector (1, 2))));
  });
}

octave_value of_two (const named_function &f, gpumm_map_op op, const octave_value &x,
                     const octave_value &y) {
  auto both = operands_of (x.get_rep (), y.get_rep ());
  operand &a = both.first, &b = both.second;
  const gpumm_type type = type_of_two (f, a.x, b.x);
  if (op >= GPUMM_MAP_OF_TWO && (x.iscomplex () || y.iscomplex ())) // a row is of real numbers
    return of_two (f, op, x.iscomplex () ? x.abs () : x, y.iscomplex () ? y.abs () : y);
  check_sizes (f.name, a.x.size, b.x.size);
  if (!is_float (type)) // Octave converts to an integer class before it computes
    for (operand *o : {&a, &b}) {
      o->x = plain (converted (as_array (*o), type));
      o->is_number = false;
    }
  return value_of (combined (op, a, b, type));
}

// (X, Y), or (X, Y, Z, ...) from the left
octave_value_list of_two_numbers (named_call &c) {
  octave_value_list list = c.args;
  bool is_empty = false;
  for (octave_idx_type i = 0; i < list.length (); i++) {
    if (!list (i).isnumeric () && !list (i).islogical ()) {
      c.ask ();
      c.refuse ("with these arguments");
    }
    is_empty = is_empty || list (i).isempty ();
  }
  if (is_empty)
    return c.octaves_there ();
  for (octave_idx_type i = 0; i < list.length (); i++) {
    if (!is_there (list (i)))
      list (i) = plain_array (list (i));
    check_narrow (type_of (list (i)));
  }
  return c.there ([&] {
    octave_value y = list (0);
    for (octave_idx_type i = 1; i < list.length (); i++)
      y = of_two (c.f, gpumm_map_op (c.f.op), y, list (i));
    return y;
  });
}

// ---- to the device and back ---------------------------------------------------------------------

// (X, ...): each as a value of the host
octave_value_list gather (named_call &c) {
  if (c.nargout > c.args.length () || c.args.length () == 0)
    c.usage ();
  return on_host (c.args.slice (0, c.nargout));
}

// (X)
octave_value_list to_device (named_call &c) {
  if (c.args.length () != 1)
    c.usage ();
  if (c.x.is_string ()) // which is numbers beside a gpuArray
    error_with_id ("gpumm:invalid",
                   "gpuArray: A must be a numeric or logical array, not of class char");
  return ovl (on_device (c.x, device_for_new ()));
}

// ---- the dispatcher -----------------------------------------------------------------------------

static const std::vector<named_function> &table () {
  static const std::vector<named_function> all = [] {
    std::vector<named_function> rows = {
#define ROW(name, file, arguments, formats, rule, handler, ...)                                    \
  {#name, file, arguments, formats, rule, handler, __VA_ARGS__},
        GPU_FUNCTIONS (ROW)
#undef ROW
    };
    for (const function_of_two &f : functions_of_two ())
      rows.push_back ({f.name, ONE, f.arguments, "f", COMPUTED, of_two_numbers, f.map});
    return rows;
  }();
  return all;
}

std::vector<std::string> function_names () {
  std::vector<std::string> names;
  for (const named_function &f : table ())
    names.push_back (f.name);
  return names;
}

struct function_row {
  const named_function *f;
  declared arguments;
};

const function_row *find_function (const std::string &name) {
  static const std::unordered_map<std::string, function_row> rows = [] {
    std::unordered_map<std::string, function_row> all;
    for (const named_function &f : table ())
      all[f.name] = {&f, read_row (f)};
    return all;
  }();
  const auto found = rows.find (name);
  return found == rows.end () ? nullptr : &found->second;
}

// Is the first element of a number or an array within the range of int?
static bool begins_with_int (const octave_value &x) {
  const octave_value first = on_host (x).full_value ().index_op (ovl (1.0));
  return std::abs (first.double_value (true)) < INT_MAX;
}

// y in the class that Octave's function gives for the class of X and for CLASS.
static octave_value in_class_of_octave (const named_call &c, const octave_value &y) {
  const gpumm_type given = type_of (c.args (0));
  const gpumm_type type = asked_once (std::make_tuple (c.f.name, given, c.word), [&] {
    octave_value_list list = ovl (sample (given, false, dim_vector (1, 2)));
    if (!c.word.empty ())
      list.append (octave_value (c.word));
    return octave::feval (c.f.name, list, 1) (0);
  });
  return real_type (type_of (y)) == type ? y : as_class (y, type);
}

octave_value_list call_function (const function_row &row, const octave_value_list &args,
                                 int nargout) {
  const named_function &f = *row.f;
  const declared &d = row.arguments;
  if (args.length () < d.least || args.length () > d.most)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", f.name);
  nargout = std::max (nargout, f.run == by_elements ? 0 : 1); // F may have no result
  named_call c = {f, args, nargout, args.length () > 0 ? args (0) : octave_value ()};
  for (octave_idx_type i = std::max<octave_idx_type> (d.dim, 1); d.is_int_dim && i < args.length ();
       i++)
    if (args (i).isnumeric () && !args (i).isempty () && !begins_with_int (args (i)))
      error_with_id ("gpumm:bad-value", "%s: DIM must be a valid dimension", f.name);
  if (d.has_elements && !is_there (c.x))
    return c.octaves ();
  read_words (c, d, args);
  if (d.has_elements && c.x.isempty ())
    return c.octaves_there ();
  if (d.is_float && !c.x.isfloat ()) {
    c.ask ();
    c.refuse ("of this class");
  }
  if (d.dim >= 0)
    read_dimension (c, d);
  for (octave_idx_type i = 0; i < args.length (); i++)
    if (is_there (args (i)) && !d.takes[int (gpu_value_of (args (i).get_rep ())->kind ())]) {
      if (c.given)
        c.refuse_stored ();
      need_full (f.name, args);
    }
  octave_value_list results = f.run (c);
  if (f.rule == AS_OCTAVE)
    results (0) = in_class_of_octave (c, results (0));
  return results;
}

// Octave's error, if its function has not the words among these arguments. mode has dimensions in
// lists since Octave 11.
static void ask_for_words (const std::string &name, const octave_value_list &args, int nargout) {
  bool has_word = name == "mode" && args.length () > 1;
  octave_value_list list;
  for (octave_idx_type i = 0; i < args.length (); i++) {
    has_word = has_word || is_word (args (i));
    list.append (small (args (i)));
  }
  if (has_word)
    octave::feval (name, on_host (list), nargout);
}

octave_value_list of_numbers (const std::string &name, const octave_value_list &args, int nargout) {
  for (octave_idx_type i = 0; i < args.length (); i++)
    if (is_there (args (i)) && args (i).numel () != 1) {
      ask_for_words (name, args, nargout);
      refuse_call (name, args);
    }
  return octave::feval (name, on_host (args), nargout);
}

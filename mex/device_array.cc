// device_array.cc - see device_array.h.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_array.h"
#include "allocate.h"
#include "arrays/vectors.h"
#include "gpumm_elementwise.h"
#include "gpumm_folds.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include <octave/lo-array-errwarn.h>
#include <octave/ov-complex.h>
#include <octave/ov-flt-complex.h>
#include <octave/parse.h>
#include <octave/quit.h>

namespace gpumm {

// ---- errors -------------------------------------------------------------------------------------

void raise_in_octave (const failure &f) {
  if (f.status == GPUMM_CANCELLED)
    octave_quit (); // throws the interrupt that cancelled it
  if (f.is_limit)
    say_gather ("%s", f.what ());
  error_with_id ((std::string ("gpumm:") + gpumm_status_name (f.status)).c_str (), "gpuArray: %s",
                 f.what ());
}

// ---- sizes and indices --------------------------------------------------------------------------

shape shape_of (const dim_vector &size) {
  shape s = shape ().redim (size.ndims ());
  for (int d = 0; d < size.ndims (); d++)
    s (d) = size (d);
  return s;
}

dim_vector dims_of (const shape &size) {
  dim_vector s = dim_vector::alloc (size.ndims ());
  for (int d = 0; d < size.ndims (); d++)
    s (d) = size (d);
  return s;
}

selection selected (const octave::idx_vector &index) {
  if (index.is_colon ())
    return selection ();
  const octave_idx_type count = index.length (0);
  if (count <= 1 || index.is_range ())
    return selection (count > 0 ? index (0) : 0, count, index.increment ());
  std::vector<int64_t> list (std::size_t (count), 0);
  index.copy_data (list.data ());
  return selection (list);
}

std::vector<selection> selected (const std::vector<octave::idx_vector> &index) {
  std::vector<selection> all;
  for (const octave::idx_vector &i : index)
    all.push_back (selected (i));
  return all;
}

std::vector<octave::idx_vector> indices_of (const octave_value_list &given, int dims) {
  std::vector<octave::idx_vector> index;
  for (octave_idx_type d = 0; d < given.length (); d++)
    try {
      index.push_back (given (d).index_vector ());
    } catch (octave::index_exception &e) {
      e.set_pos_if_unset (int (given.length ()), int (d) + 1);
      throw;
    }
  // the indices 1 and : behind the last dimension have no effect
  const auto says_nothing = [] (const octave::idx_vector &i) {
    return i.is_colon () || (i.is_scalar () && i (0) == 0);
  };
  while (int (index.size ()) > dims && says_nothing (index.back ()))
    index.pop_back ();
  return index;
}

void check_range (const std::vector<octave::idx_vector> &index, const dim_vector &size) {
  const int count = int (index.size ());
  const dim_vector seen = count < 2 ? dim_vector (size.numel (), 1) : size.redim (count);
  for (int d = 0; d < count; d++)
    if (index[d].extent (seen (d)) > seen (d))
      octave::err_index_out_of_range (count, d + 1, index[d].extent (seen (d)), seen (d), size);
}

// ---- types --------------------------------------------------------------------------------------

void check_narrow (gpumm_type type) {
  if (is_wide (type))
    say_gather ("arithmetic with int64 and uint64 is not available on a device. Use gather (X)");
}

const char *class_of (gpumm_type type) {
  return type == GPUMM_B ? "logical" : gpumm_type_name (real_type (type));
}

gpumm_type type_of_class (const std::string &name) {
  for (const gpumm_type type : {GPUMM_D, GPUMM_S, GPUMM_B, GPUMM_I8, GPUMM_I16, GPUMM_I32,
                                GPUMM_I64, GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_U64})
    if (name == class_of (type))
      return type;
  return GPUMM_TYPES;
}

gpumm_type type_of_value (const octave_value &x) {
  const gpumm_type real = x.islogical ()        ? GPUMM_B
                          : x.is_single_type () ? GPUMM_S
                          : x.is_int8_type ()   ? GPUMM_I8
                          : x.is_int16_type ()  ? GPUMM_I16
                          : x.is_int32_type ()  ? GPUMM_I32
                          : x.is_int64_type ()  ? GPUMM_I64
                          : x.is_uint8_type ()  ? GPUMM_U8
                          : x.is_uint16_type () ? GPUMM_U16
                          : x.is_uint32_type () ? GPUMM_U32
                          : x.is_uint64_type () ? GPUMM_U64
                                                : GPUMM_D;
  return x.iscomplex () ? complex_type (real) : real;
}

octave_value sample (gpumm_type type, bool is_scalar, const dim_vector &given) {
  static octave_value (octave_value::*const in_class[]) ()
      const = {&octave_value::as_single, &octave_value::as_double, &octave_value::as_single,
               &octave_value::as_double, &octave_value::as_int8,   &octave_value::as_int16,
               &octave_value::as_int32,  &octave_value::as_int64,  &octave_value::as_uint8,
               &octave_value::as_uint16, &octave_value::as_uint32, &octave_value::as_uint64};
  const dim_vector size = is_scalar ? dim_vector (1, 1) : given;
  if (type == GPUMM_B)
    return octave_value (boolNDArray (size, true));
  const octave_value x = is_complex (type) // with an imaginary part, or Octave makes it real
                             ? octave_value (ComplexNDArray (size, Complex (0, 1)))
                             : octave_value (NDArray (size, 1));
  return (x.*in_class[type]) ();
}

// ---- the host -----------------------------------------------------------------------------------

octave::type_info &type_info () {
  return octave::interpreter::the_interpreter ()->get_type_info ();
}

octave_value by_octave (const char *function, const octave_value_list &arguments) {
  return octave::feval (function, arguments, 1) (0);
}

octave_value as_class (const octave_value &x, gpumm_type type) {
  return x.class_name () == class_of (type) ? x : by_octave (class_of (type), ovl (x));
}

int selected_device = NO_DEVICE;

int device_for_new () {
  static bool asked = false;
  if (!asked) {
    const char *why, *wanted = getenv ("GPUMM_GPUARRAY");
    if (wanted && strcmp (wanted, "host-device") == 0)
      selected_device = HOST_DEVICE;
    else if (wanted && *wanted)
      error_with_id ("gpumm:bad-value",
                     "gpuArray: the environment variable GPUMM_GPUARRAY is \"%s\"; it must be "
                     "host-device",
                     wanted);
    else if (gpumm_device_count (&why) > 0)
      selected_device = 0;
    asked = true;
  }
  return selected_device;
}

octave_value plain_array (const octave_value &value) {
  if (value.class_name () == "blocksparse")
    say_gather (
        "this operation does not take a blocksparse with a gpuArray. Use full (S) or gather (X)");
  const octave_value x = value.is_string () ? octave_value (value.array_value (true)) : value;
  if (type_of_class (x.class_name ()) == GPUMM_TYPES || !(x.isnumeric () || x.islogical ()))
    error_with_id ("gpumm:invalid",
                   "gpuArray: A must be a numeric or logical array, not of class %s",
                   value.class_name ().c_str ());
  if (x.issparse ())
    say_gather ("this operation does not take a sparse matrix with a gpuArray. Use full (S) or "
                "gather (X)");
  // full_value makes a complex array real whose imaginary parts are zero
  return x.iscomplex () && !x.is_diag_matrix () ? x : x.full_value ();
}

array upload (const octave_value &value, int device) {
  const octave_value x = plain_array (value);
  const array y = new_array (device, type_of_value (x), shape_of (x.dims ()));
  from_host (x.mex_get_data (), y);
  return y;
}

octave_value download (array x, bool stays_complex) {
  ready (x);
  const octave_value y = allocated (column_of (x)).reshape (dims_of (x.size));
  to_host (x, const_cast<void *> (y.mex_get_data ()));
  if (stays_complex && x.numel () != 1)
    return y;
  if (stays_complex)
    return octave_value (x.type == GPUMM_Z
                             ? (octave_base_value *) new octave_complex (y.complex_value ())
                             : new octave_float_complex (y.float_complex_value ()));
  return x.type == GPUMM_Z   ? octave_value (y.complex_array_value ())
         : x.type == GPUMM_C ? octave_value (y.float_complex_array_value ())
                             : y;
}

gpumm_scalar scalar_of (const octave_value &x) {
  const Complex z = x.iscomplex () ? x.complex_value () : Complex (x.double_value (), 0);
  return {z.real (), z.imag ()};
}

operand operand_of (const octave_value &x, int device) {
  const bool has_class = x.is_string () || type_of_class (x.class_name ()) != GPUMM_TYPES;
  if (x.numel () != 1 || x.issparse () || !has_class)
    return operand (upload (x, device));
  const octave_value number = x.is_string () ? octave_value (x.double_value (true)) : x;
  // The constant of a step counts as real if its imaginary part is 0.
  if (number.iscomplex () && number.complex_value ().imag () == 0)
    return operand (upload (number, device));
  gpumm_type type = type_of_class (number.class_name ());
  if (is_wide (type)) // a program would take it for a double
    return operand (upload (number, device));
  if (number.iscomplex ())
    type = complex_type (type);
  return number_operand (scalar_of (number), type, device);
}

array as_type (const array &x, gpumm_type type) {
  if (x.type == type || !(is_wide (x.type) || is_wide (type)))
    return converted (x, type);
  // Octave converts, to real numbers
  const array y = upload (as_class (download (x), type), x.device);
  return y.type == type ? y : converted (y, type);
}

// ---- operators ----------------------------------------------------------------------------------

static const operation operations[] = {{octave_value::op_add, GPUMM_MAP_ADD, "operator +"},
                                       {octave_value::op_sub, GPUMM_MAP_SUB, "operator -"},
                                       {octave_value::op_el_mul, GPUMM_MAP_MUL, "product"},
                                       {octave_value::op_el_div, GPUMM_MAP_DIV, "quotient"},
                                       {octave_value::op_el_pow, GPUMM_MAP_POW, "operator .^"},
                                       {octave_value::op_lt, GPUMM_MAP_LT, "mx_el_lt"},
                                       {octave_value::op_le, GPUMM_MAP_LE, "mx_el_le"},
                                       {octave_value::op_eq, GPUMM_MAP_EQ, "mx_el_eq"},
                                       {octave_value::op_ne, GPUMM_MAP_NE, "mx_el_ne"},
                                       {octave_value::op_ge, GPUMM_MAP_GE, "mx_el_ge"},
                                       {octave_value::op_gt, GPUMM_MAP_GT, "mx_el_gt"},
                                       {octave_value::op_el_and, GPUMM_MAP_AND, "mx_el_and"},
                                       {octave_value::op_el_or, GPUMM_MAP_OR, "mx_el_or"}};

const operation &operation_of (octave_value::binary_op op) {
  return *std::find_if (std::begin (operations), std::end (operations),
                        [op] (const operation &o) { return o.op == op; });
}

// The real type of x OP y, or Octave's error.
static gpumm_type result_type (octave_value::binary_op op, const array &x, const array &y) {
  const auto key = std::make_tuple (op, x.type, y.type, x.is_scalar (), y.is_scalar ());
  return asked_once (key, [&] {
    const dim_vector size = op == octave_value::op_mul    ? dim_vector (2, 2)
                            : op == octave_value::op_ldiv ? dim_vector (1, 0) // never singular
                            : op == octave_value::op_div  ? dim_vector (0, 1)
                                                          : dim_vector (1, 2);
    return octave::binary_op (type_info (), op, sample (x.type, x.is_scalar (), size),
                              sample (y.type, y.is_scalar (), size));
  });
}

void check_sizes (const char *name, const shape &a, const shape &b) {
  if (!can_broadcast (a, b))
    octave::err_nonconformant (name, dims_of (a), dims_of (b));
}

void check_inner (const shape &a, const shape &b) {
  if (a.ndims () > 2 || b.ndims () > 2 || a (1) != b (0))
    octave::err_nonconformant ("operator *", dims_of (a), dims_of (b));
}

void check_nan (const operand &o) {
  if (has_nan (o))
    octave::err_nan_to_logical_conversion ();
}

gpumm_type checked_type (const operation &o, const array &a, const array &b) {
  check_sizes (o.name, a.size, b.size);
  const gpumm_type real = result_type (o.op, a, b);
  check_narrow (a.type);
  check_narrow (b.type);
  if (o.map == GPUMM_MAP_POW && !is_float (real) && is_integer (a.type) && is_integer (b.type))
    say_gather ("X .^ Y of two integer arrays is not available on a device. Use gather (X)");
  return real;
}

array elementwise (const operation &o, const operand &a, const operand &b) {
  const array &x = a.x, &y = b.x;
  const gpumm_type real = checked_type (o, x, y);
  // If one of two numbers is complex or an integer, Octave treats NaN as true.
  const auto is_plain = [] (gpumm_type type) {
    return type == GPUMM_B || (is_float (type) && !is_complex (type));
  };
  if (is_logical (o.map)
      && !(x.is_scalar () && y.is_scalar () && !(is_plain (x.type) && is_plain (y.type)))) {
    check_nan (a);
    check_nan (b);
  }
  return combined (o.map, a, b, real);
}

array multiplied (const array &a, const array &b, const product_options &o) {
  check_inner (a.size, b.size);
  (void) result_type (octave_value::op_mul, a, b); // or Octave's error
  return multiplied (a, b, product_type (a.type, b.type), o);
}

gpumm_type divided_type (octave_value::binary_op op, const array &a, const array &b) {
  const gpumm_type real = result_type (op, a, b);
  if (op == octave_value::op_ldiv && a.size (0) != b.size (0))
    octave::err_nonconformant ("operator \\", dims_of (a.size), dims_of (b.size));
  if (op == octave_value::op_div && a.size (1) != b.size (1))
    octave::err_nonconformant ("operator /", dims_of (a.size), dims_of (b.size));
  return is_complex (a.type) || is_complex (b.type) ? complex_type (real) : real;
}

gpumm_type joined_type (gpumm_type x, gpumm_type y) {
  const gpumm_type type = asked_once (std::make_pair (x, y), [&] {
    const dim_vector size (1, 2);
    return by_octave ("horzcat", ovl (sample (x, false, size), sample (y, false, size)));
  });
  return is_complex (x) || is_complex (y) ? complex_type (type) : type;
}

// ---- functions ----------------------------------------------------------------------------------

// In the order of functions ().
static const octave_base_value::unary_mapper_t mappers[] = {
#define ROW(NAME, name, mapper, ...) octave_base_value::umap_##mapper,
    GPUMM_ELEMENTWISE (ROW)
#undef ROW
};

const function *device_function (octave_base_value::unary_mapper_t mapper) {
  for (std::size_t i = 0; i < functions ().size (); i++)
    if (mappers[i] == mapper)
      return &functions ()[i];
  return nullptr;
}

octave_base_value::unary_mapper_t mapper_of (const function &f) {
  return mappers[&f - functions ().data ()];
}

gpumm_type mapped_type (const function &f, gpumm_type type) {
  return asked_once (std::make_pair (f.map, type), [&] {
    return sample (type, false, dim_vector (1, 2)).get_rep ().map (mapper_of (f));
  });
}

// ---- parts --------------------------------------------------------------------------------------

// The size of X(INDEX), of count elements: the rule of Octave's Array<T>::index.
static shape size_of_indexed (const array &x, dim_vector index, octave_idx_type count) {
  const dim_vector size = dims_of (x.size);
  if (x.numel () != 1 && size.is_nd_vector () && count != 1 && index.is_nd_vector ())
    index = size.make_nd_vector (count);
  index.chop_trailing_singletons ();
  return shape_of (index);
}

array indexed (const array &x, const std::vector<octave::idx_vector> &index) {
  check_range (index, dims_of (x.size));
  array y = seen_part_of (x, selected (index));
  if (index.size () == 1 && !index[0].is_colon ())
    y.size = size_of_indexed (x, index[0].orig_dimensions (), index[0].length (x.numel ()));
  return y;
}

static Array<octave::idx_vector> array_of_indices (const std::vector<octave::idx_vector> &index) {
  Array<octave::idx_vector> a (dim_vector (int (index.size ()), 1));
  for (std::size_t d = 0; d < index.size (); d++)
    a.xelem (int (d)) = index[d];
  return a;
}

array without (const array &x, const std::vector<octave::idx_vector> &index) {
  boolNDArray rules (dims_of (x.size), false); // Octave's rules and errors
  rules.delete_elements (array_of_indices (index));
  const shape size = shape_of (rules.dims ());
  if (rules.numel () == x.numel ())
    return reshaped (x, size);
  const int given = int (index.size ()), dims = given == 1 ? 1 : std::max (given, x.size.ndims ());
  const shape whole = seen_by (x, dims);
  std::vector<selection> rest;
  bool found = false;
  for (int d = 0; d < dims; d++) { // the array's own dimensions, even if there are fewer indices
    const bool all = found || d >= given || index[d].is_colon_equiv (whole (d));
    rest.push_back (all ? selection () : selected (index[d].complement (whole (d))));
    found = found || !all;
  }
  return found ? reshaped (part_of (x, rest), size) : new_array (x.device, x.type, size);
}

// Is a place named twice? Then the last value must win, but threads write in any order. (A mask
// names none twice, and reading a place of it takes a pass over it unless the place before was read
// last.)
static bool has_duplicates (const octave::idx_vector &index) {
  if (index.is_colon () || index.is_range () || index.is_scalar ()
      || index.idx_class () == octave::idx_vector::class_mask)
    return false;
  const octave_idx_type count = index.length (0);
  if (index.extent (0) / 64 > count) { // bits for all places would take more memory than the places
    std::vector<octave_idx_type> places;
    for (octave_idx_type i = 0; i < count; i++)
      places.push_back (index (i));
    std::sort (places.begin (), places.end ());
    return std::adjacent_find (places.begin (), places.end ()) != places.end ();
  }
  std::vector<bool> seen (index.extent (0), false);
  for (octave_idx_type i = 0; i < count; i++) {
    if (seen[index (i)])
      return true;
    seen[index (i)] = true;
  }
  return false;
}

// An array of so few elements that Octave's rules for the sizes of x are its rules, too.
static boolNDArray small_like (const array &x, octave_idx_type most) {
  dim_vector size = dims_of (x.size);
  for (int d = 0; d < size.ndims (); d++)
    size (d) = std::min (size (d), most);
  return boolNDArray (size, false);
}

// The size of x after X(INDEX) = Y of the size `given`, or Octave's error. Octave applies its rules
// to few elements: an array as large as the result would take a byte of host memory an element.
static dim_vector assigned_size (const array &x, std::vector<octave::idx_vector> index,
                                 const dim_vector &given, bool matches) {
  const int dims = int (index.size ());
  const dim_vector size = dims_of (x.size);
  const bool any_colon = std::any_of (index.begin (), index.end (),
                                      [] (const octave::idx_vector &i) { return i.is_colon (); });
  if (dims == 0 || (size.all_zero () && any_colon)) { // as large as Y
    boolNDArray rules (size, false);
    rules.assign (array_of_indices (index), boolNDArray (given), false);
    return rules.dims ();
  }
  const shape whole = seen_by (x, dims);
  if (!matches) { // the lengths decide, and are in the error
    for (int d = 0; d < dims; d++)
      index[std::size_t (d)] = octave::idx_vector (0, index[std::size_t (d)].length (whole (d)));
    small_like (x, 1).assign (array_of_indices (index), boolNDArray (given), false);
    return size;
  }
  boolNDArray rules = small_like (x, 2); // grows by one where x grows
  const dim_vector small = rules.dims ();
  const shape seen = dims == 1 ? shape (rules.numel (), 1) : shape_of (small).redim (dims);
  std::vector<octave::idx_vector> places = index;
  for (int d = 0; d < dims; d++) {
    const octave::idx_vector &i = index[std::size_t (d)];
    if (i.length (whole (d)) == 0)
      places[std::size_t (d)] = octave::idx_vector (0, 0);
    else if (!i.is_colon ())
      places[std::size_t (d)] =
          octave::idx_vector (i.extent (whole (d)) > whole (d) ? seen (d) : 0);
  }
  rules.assign (array_of_indices (places), boolNDArray (dim_vector (1, 1), true), false);
  dim_vector to = rules.dims ();
  if (dims == 1) {
    const octave_idx_type count = index[0].extent (whole (0));
    return to == small ? size : to (0) > 1 ? dim_vector (count, 1) : dim_vector (1, count);
  }
  to.resize (std::max (int (to.ndims ()), dims), 1); // Octave leaves ones at the end out
  for (int d = 0; d < to.ndims (); d++) {
    const octave_idx_type before = d < size.ndims () ? size (d) : 1;
    const bool stays = d < small.ndims () && to (d) == small (d);
    if (to (d) > 0) // a 0 x 0 array takes the length of an empty index, too
      to (d) = stays ? before : index[std::size_t (d)].extent (before);
  }
  return to;
}

// The type of x after a part of it became y.
static gpumm_type assigned_type (const array &x, const array &y) {
  const gpumm_type type = asked_once (std::make_pair (x.type, y.type), [&] {
    octave_value a = sample (x.type, false, dim_vector (1, 2));
    a.assign (octave_value::op_asn_eq, "(", {ovl (1.0)}, sample (y.type, true, dim_vector ()));
    return a;
  });
  return is_complex (x.type) || is_complex (y.type) ? complex_type (type) : type;
}

// x of this type, in a buffer that can be written.
static array writable (const array &x, gpumm_type type) {
  return plain (x.type == type ? own_copy (x) : as_type (x, type));
}

void assign (array &x, const std::vector<octave::idx_vector> &index, array y) {
  if (!y.is_scalar () && std::any_of (index.begin (), index.end (), has_duplicates)) {
    octave_value host = download (x);
    octave_value_list places;
    for (const octave::idx_vector &i : index)
      places.append (octave_value (i));
    host.assign (octave_value::op_asn_eq, "(", {places}, download (y));
    x = upload (host, x.device);
    return;
  }
  const gpumm_type type = assigned_type (x, y);
  const int dims = int (index.size ());
  shape whole = seen_by (x, std::max (dims, 1));
  const dim_vector given_size = dims_of (y.size);
  bool grows = dims == 0 || dims_of (x.size).all_zero ();
  for (int d = 0; d < dims; d++)
    grows = grows || index[d].extent (whole (d)) > whole (d);
  const std::vector<selection> chosen = selected (index);
  const shape part = size_of_part (chosen, whole);
  dim_vector without_ones = dims_of (part), given = given_size;
  without_ones.chop_all_singletons ();
  given.chop_all_singletons ();
  const bool matches =
      y.is_scalar () || without_ones == given || (dims == 1 && y.numel () == part.numel ());
  if (type == GPUMM_B)
    check_nan (operand (y));
  y = plain (as_type (y, type));
  array changed;           // replaces x at the end, so a failure leaves x unchanged
  if (grows || !matches) { // Octave's rules and errors
    const shape to = shape_of (assigned_size (x, index, given_size, matches));
    (void) to.checked_numel (); // or no memory is so large
    changed = dims == 1 && x.numel () > 0 ? reshaped (x, x.size.redim (2)) : x;
    changed = plain (as_type (enlarged (changed, to), type));
    whole = seen_by (changed, dims);
  } else
    changed = writable (x, type);
  const shape size = size_of_part (chosen, whole);
  if (size.numel () > 0)
    pick (true, y, size, changed, whole, chosen);
  x = changed;
}

// ---- indices on a device ------------------------------------------------------------------------

// Is a number no place among so many?
static array is_no_place (const array &k, int64_t numel) {
  const auto compared = [&k] (gpumm_map_op op, double bound) {
    return combined (op, operand (k), number_operand ({bound, 0}, GPUMM_D, k.device));
  };
  const array whole = applied (k, {step_of (GPUMM_MAP_FIX)}, GPUMM_D, GPUMM_D);
  const array is_outside = combined (GPUMM_MAP_OR, operand (compared (GPUMM_MAP_LT, 1)),
                                     operand (compared (GPUMM_MAP_GT, double (numel))));
  return combined (GPUMM_MAP_OR, operand (is_outside),
                   operand (combined (GPUMM_MAP_NE, operand (k), operand (whole))));
}

std::optional<array> places_there (const array &index, const array &x) {
  const bool is_mask = index.type == GPUMM_B;
  if (index.numel () < 2 || is_complex (index.type) || is_wide (index.type)
      || (is_mask && index.numel () > x.numel ()))
    return std::nullopt;
  if (is_mask)
    return places_of (moved (index, x.device));
  array k = moved (converted (index, GPUMM_D), x.device);
  k = plain (k);
  if (holds (GPUMM_FOLD_ANY, is_no_place (k, x.numel ())))
    return std::nullopt;
  return reshaped (k, shape (k.numel (), 1));
}

array indexed_there (const array &x, const array &index, const array &places) {
  const dim_vector size = dims_of (index.size);
  const octave_idx_type count = places.numel ();
  array y = picked (false, x, places, count);
  y.size = size_of_indexed (x, index.type == GPUMM_B ? size.make_nd_vector (count) : size, count);
  return y;
}

array without_there (const array &x, const array &mask) {
  const operand no = number_operand ({0, 0}, GPUMM_D, mask.device);
  const array rest = combined (GPUMM_MAP_EQ, operand (mask), no);
  return indexed_there (x, rest, places_of (moved (rest, x.device)));
}

void assign_there (array &x, const array &places, const array &y) {
  const gpumm_type type = assigned_type (x, y);
  if (type == GPUMM_B)
    check_nan (operand (y));
  const array values = plain (as_type (y, type)), changed = writable (x, type);
  put_at (places, values, changed);
  x = changed;
}

} // namespace gpumm

// device_array.h - arrays on a device for Octave: values from and to the host, and Octave's rules,
// for what engine/arrays computes.
//
// Without a GPU there are none: a gpuArray is then a value that Octave holds (gpu_held.cc). For
// tests, GPUMM_GPUARRAY=host-device in the environment makes the engine's host device replace the
// GPU.
//
// Octave itself gives the rules: an operation on small arrays of the same classes returns the class
// of the result, or raises Octave's error. For assignments that change the size, an array of bools
// of the same size is assigned to.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_ARRAY_H
#define GPUMM_DEVICE_ARRAY_H

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <octave/oct.h>

#include <octave/interpreter.h>
#include <octave/ov-base.h>
#include <octave/ov-typeinfo.h>

#include "arrays/array.h"
#include "refusal.h"

namespace gpumm {

// ---- errors -------------------------------------------------------------------------------------

// Raises Octave's error for a failure of the engine, or the interrupt that cancelled it. It is the
// handler of failures of arrays.
[[noreturn]] void raise_in_octave (const failure &f);

// ---- sizes and indices --------------------------------------------------------------------------

shape shape_of (const dim_vector &size);
dim_vector dims_of (const shape &size);

// What an index selects of a dimension of n.
selection selected (const octave::idx_vector &index);
std::vector<selection> selected (const std::vector<octave::idx_vector> &index);

// The indices as Octave reads them, for an array with this number of dimensions; Octave's error for
// an invalid index.
std::vector<octave::idx_vector> indices_of (const octave_value_list &given, int dims);

// Octave's error if an index is larger than a matrix or array of this size.
void check_range (const std::vector<octave::idx_vector> &index, const dim_vector &size);

// ---- types --------------------------------------------------------------------------------------

// An error for int64 and uint64.
void check_narrow (gpumm_type type);

// Octave's class for a type, and the real type for a class: GPUMM_TYPES if there is none.
const char *class_of (gpumm_type type);
gpumm_type type_of_class (const std::string &name);

// The type of the elements of an array of the host, stored in any way.
gpumm_type type_of_value (const octave_value &x);

// A small array of the host with the class and the kind of a larger one: Octave applies its rules
// to it.
octave_value sample (gpumm_type type, bool is_scalar, const dim_vector &size);

// The real type of what Octave answers to ask (), which depends on the key alone: it is asked once.
// Each function that asks has its own type F, and so its own answers.
template <typename K, typename F> gpumm_type asked_once (const K &key, const F &ask) {
  static std::map<K, gpumm_type> known;
  const auto found = known.find (key);
  if (found != known.end ())
    return found->second;
  return known[key] = type_of_class (ask ().class_name ());
}

// ---- the host -----------------------------------------------------------------------------------

octave::type_info &type_info ();
octave_value by_octave (const char *function, const octave_value_list &arguments);

// x in the class with this type.
octave_value as_class (const octave_value &x, gpumm_type type);

// The device for new arrays.
extern int selected_device;
int device_for_new ();

// A value of the host as a full array with numbers for entries, not a range, say, or the error.
octave_value plain_array (const octave_value &value);

// To a device and back.
array upload (const octave_value &value, int device);
octave_value download (array x, bool stays_complex = false);

// An operand of the host: numbers become parts of programs, arrays go to the device.
operand operand_of (const octave_value &x, int device);
gpumm_scalar scalar_of (const octave_value &x);

// x converted to another type, by the rules of Octave's double (), int8 () and so on.
array as_type (const array &x, gpumm_type type);

// ---- operators ----------------------------------------------------------------------------------

struct operation {
  octave_value::binary_op op;
  gpumm_map_op map;
  const char *name; // in Octave's errors
};

const operation &operation_of (octave_value::binary_op op);

// The elementwise operator that computes a OP b, if there is one: left division becomes division
// with a and b swapped. * of matrices stays, and ^ if a device computes powers of them. O: an
// operand.
template <typename O>
octave_value::binary_op reduced (octave_value::binary_op op, O &a, O &b, bool a_is_number,
                                 bool b_is_number, bool has_powers = false) {
  const bool divides = op == octave_value::op_div || op == octave_value::op_ldiv;
  if (divides && !(op == octave_value::op_div ? b_is_number : a_is_number))
    say_gather ("division by a matrix is not available on a device where one of the two is sparse "
                "or in blocks. Use gather (X)");
  switch (op) {
  case octave_value::op_mul:
    return a_is_number || b_is_number ? octave_value::op_el_mul : op;
  case octave_value::op_pow:
    if (a_is_number && b_is_number)
      return octave_value::op_el_pow;
    if (!has_powers)
      say_gather (
          "X ^ P of a matrix is not available on a device. Write X * X, or use gather (X) ^ P");
    return op;
  case octave_value::op_ldiv:
  case octave_value::op_el_ldiv:
    std::swap (a, b);
    return octave_value::op_el_div;
  case octave_value::op_div:
    return octave_value::op_el_div;
  default:
    return op;
  }
}

// Octave's error, which contains the name, if these sizes do not fit; unless a * b has sizes that
// fit.
void check_sizes (const char *name, const shape &a, const shape &b);
void check_inner (const shape &a, const shape &b);

// Raises Octave's error if a NaN would become a truth value. Waits.
void check_nan (const operand &o);

// The real type of the result of a OP b, or the error for what Octave or a device does not compute.
// Reads only types and sizes.
gpumm_type checked_type (const operation &o, const array &a, const array &b);

// a OP b, by the rules of Octave.
array elementwise (const operation &o, const operand &a, const operand &b);

// The product by the rules of `*`.
array multiplied (const array &a, const array &b, const product_options &o);

// The type of a \ b or a / b, where the divisor is a matrix, or Octave's error.
gpumm_type divided_type (octave_value::binary_op op, const array &a, const array &b);

// The type of [x, y].
gpumm_type joined_type (gpumm_type x, gpumm_type y);

// ---- functions ----------------------------------------------------------------------------------

// The elementwise function that Octave's mapper is, or null; its mapper, and the real type of its
// results.
const function *device_function (octave_base_value::unary_mapper_t mapper);
octave_base_value::unary_mapper_t mapper_of (const function &f);
gpumm_type mapped_type (const function &f, gpumm_type type);

// ---- parts --------------------------------------------------------------------------------------

// X(index), which may stay in X's buffer; X(index) = []; X(index) = y, which writes x's buffer if
// nobody else holds it.
array indexed (const array &x, const std::vector<octave::idx_vector> &index);
array without (const array &x, const std::vector<octave::idx_vector> &index);
void assign (array &x, const std::vector<octave::idx_vector> &index, array y);

// The same for one index that lies on a device, a mask or numbers: at the places that it selects of
// x. There are none where Octave has to look, as for an index that is out of range. Waits.
std::optional<array> places_there (const array &index, const array &x);
array indexed_there (const array &x, const array &index, const array &places);
array without_there (const array &x, const array &mask);
void assign_there (array &x, const array &places, const array &y);

} // namespace gpumm

#endif

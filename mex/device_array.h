// device_array.h - full arrays on a device: their operations, with Octave's rules.
//
// An array is a buffer of the engine, or a program of elementwise operations that has not run yet.
// An operator appends to the program of an operand that nobody else holds, so G + 2 * H .* K is
// computed in one pass. ready () runs the program.
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
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <octave/oct.h>

#include <octave/interpreter.h>
#include <octave/ov-base.h>
#include <octave/ov-typeinfo.h>

#include "gpumm_arrays.h"

namespace gpumm {

// Warns if one of Octave's solvers is calling: it takes any error of a preconditioner for a
// singular matrix, and returns a flag.
void warn_in_solver ();

template <typename... T> [[noreturn]] void say_gather (const char *format, T... values) {
  warn_in_solver ();
  error_with_id ("gpumm:gpuArray:gather", (std::string ("gpuArray: ") + format).c_str (),
                 values...);
}

inline bool is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

inline bool is_single (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

inline bool is_float (gpumm_type type) {
  return type <= GPUMM_Z;
}

inline bool is_integer (gpumm_type type) {
  return !is_float (type) && type != GPUMM_B;
}

inline bool is_wide (gpumm_type type) {
  return type == GPUMM_I64 || type == GPUMM_U64;
}

inline gpumm_type real_type (gpumm_type type) {
  return type == GPUMM_C ? GPUMM_S : type == GPUMM_Z ? GPUMM_D : type;
}

inline gpumm_type complex_type (gpumm_type type) {
  return type == GPUMM_S ? GPUMM_C : type == GPUMM_D ? GPUMM_Z : type;
}

enum {
  NO_DEVICE = -1,
  HOST_DEVICE = -2
}; // of several host devices HOST_DEVICE - k has the index k

struct program;

// What the rules of an operation ask of an array.
struct form {
  gpumm_type type = GPUMM_D;
  dim_vector size = dim_vector (0, 0);

  octave_idx_type numel () const {
    return size.numel ();
  }
  bool is_scalar () const {
    return size.ndims () == 2 && size (0) == 1 && size (1) == 1;
  }
};

struct array : form {
  std::shared_ptr<gpumm_buffer> buffer;   // none while a program is pending
  int64_t offset = 0;                     // the first entry's place in the buffer
  bool is_part = false;                   // of the columns that the buffer holds
  bool turned = false;                    // the buffer holds the transpose of this matrix
  bool conjugated = false;                // the buffer holds the conjugates
  std::shared_ptr<const program> pending; // the program to run
  int device = NO_DEVICE;                 // the index of a GPU, or HOST_DEVICE

  void *values () const {
    return static_cast<char *> (gpumm_buffer_address (buffer.get ()))
           + offset * int64_t (gpumm_type_bytes (type));
  }
  // Do both read the same memory, perhaps one of them transposed?
  bool is_with (const array &x) const {
    return buffer == x.buffer && offset == x.offset && type == x.type;
  }
};

// How entries are computed: gpumm_map without sizes and memory.
struct program {
  gpumm_type domain = GPUMM_D;
  std::vector<array> inputs; // have the size of the result, or are repeated to it
  std::vector<gpumm_map_step> steps;
  int depth = 0; // values on the stack, at most
};

extern int selected_device;

using distances = std::vector<int64_t>; // elements from one entry to the next, by dimension

// One operand of an operator.
struct operand {
  array x;
  bool is_number = false; // a number of the host, for which no array is made
  gpumm_scalar number = {};
  octave_value value; // the number

  operand () = default;
  explicit operand (const array &x) : x (x) {
  }
};

struct operation {
  octave_value::binary_op op;
  gpumm_map_op map;
  const char *name; // in Octave's errors
  bool compares, is_logical;
};

struct function {
  const char *name;
  octave_base_value::unary_mapper_t mapper;
  gpumm_map_op map;
  bool is_real;      // even of complex numbers
  bool leaves_reals; // complex of negative numbers
  bool keeps_zero;   // f (0) = 0
  int units;         // in the last place, by which it may differ from Octave's
};

// The elementwise functions, and the one that Octave's mapper is, or null.
const std::vector<function> &functions ();
const function *device_function (octave_base_value::unary_mapper_t mapper);

extern const char *const fold_names[GPUMM_FOLD_OPS];

// What gpumm's options ask of a product beside A * B.
struct product_options {
  gpumm_options engine = {};
  gpumm_type output = GPUMM_TYPES; // of integers; GPUMM_TYPES: theirs
  gpumm_report *report = NULL;     // filled, after a wait

  product_options () {
    engine.device = -1; // the operands decide
  }
};

// Raises Octave's error for a failure of the engine, or the interrupt that cancelled it.
void need (gpumm_status status);

// ---- types --------------------------------------------------------------------------------------

// The type of a product of matrices of floating-point or logical entries.
inline gpumm_type product_type (gpumm_type a, gpumm_type b) {
  const gpumm_type real = is_single (a) || is_single (b) ? GPUMM_S : GPUMM_D;
  return is_complex (a) || is_complex (b) ? complex_type (real) : real;
}

// The type in which entries of a type are computed.
gpumm_type domain_of (gpumm_type type);

// An error for int64 and uint64.
void check_narrow (gpumm_type type);

// Octave's class for a type, and the real type for a class: GPUMM_TYPES if there is none.
const char *class_of (gpumm_type type);
gpumm_type type_of_class (const std::string &name);

// The type of the elements of an array of the host, stored in any way.
gpumm_type type_of_value (const octave_value &x);

// The type of a reduction of entries of a type, as in Octave.
gpumm_type type_of_fold (gpumm_fold_op op, gpumm_type type);

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

// ---- memory -------------------------------------------------------------------------------------

// The device for new arrays; the engine's index of a device.
int device_for_new ();
int engine_device (int device);

// An array with undefined entries, with zeros.
array new_array (int device, gpumm_type type, const dim_vector &size);
array zeros (int device, gpumm_type type, const dim_vector &size);

// A value of the host as a full array with numbers for entries, not a range, say, or the error.
octave_value plain_array (const octave_value &value);

// To a device and back.
array upload (const octave_value &value, int device);
octave_value download (array x, bool stays_complex = false);

// Copies all entries from and to host memory.
void from_host (const void *values, const array &x);
void to_host (array x, void *values);

// Can this process use the array's buffer? A forked child cannot use buffers of its parent.
bool is_usable (const array &x);

// x on that device: x itself if it is there, else a copy.
array moved (array x, int device);

// Strides of x for a result of this size, which has at least as many dimensions: 0 where x repeats.
distances strides_of (const array &x, const dim_vector &size);

gpumm_view view_of (const array &x, int64_t offset = 0);

// Sets the map's size and the strides of its views, with neighbouring dimensions joined where all
// views allow it. The last of the strides are the output's.
void lay_out (gpumm_map &m, const dim_vector &size, const std::vector<distances> &strides);

// ---- programs -----------------------------------------------------------------------------------

// Runs the pending program. Programs never hold pending inputs.
const array &ready (array &x);

program program_of (const array &x);
gpumm_map_step step_of (gpumm_map_op op, int source = 0, bool swapped = false,
                        gpumm_scalar constant = {});
array pending_array (const program &p, gpumm_type type, const dim_vector &size, int device);

// Writes all entries of output.
void run (const program &p, const array &output);

// The array stored by columns without gaps, neither transposed nor conjugated.
array plain (array x);

// x converted to another type, by the rules of Octave's double (), int8 () and so on.
array converted (array x, gpumm_type type);

// ---- operators and functions --------------------------------------------------------------------

octave::type_info &type_info ();

// An operand of the host: numbers become parts of programs, arrays go to the device.
operand operand_of (const octave_value &x, int device);
gpumm_scalar scalar_of (const octave_value &x);
array as_array (const operand &o);

// The elementwise operator that computes a OP b, if there is one: left division becomes division
// with a and b swapped. * of matrices stays, and ^ if a device computes powers of them. O: an
// operand.
template <typename O>
octave_value::binary_op reduced (octave_value::binary_op op, O &a, O &b, bool a_is_number,
                                 bool b_is_number, bool has_powers = false) {
  const bool divides = op == octave_value::op_div || op == octave_value::op_ldiv;
  if (divides && !(op == octave_value::op_div ? b_is_number : a_is_number))
    say_gather ("division by a matrix is not available on a device. Use gather (X)");
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

octave_value by_octave (const char *function, const octave_value_list &arguments);

// The size of a OP b, or Octave's error, which contains the name.
dim_vector common_size (const char *name, const dim_vector &a, const dim_vector &b);

// Raises Octave's error if a NaN would become a truth value. Waits.
void check_nan (const operand &o);

const operation &operation_of (octave_value::binary_op op);

// The real type of the result of a OP b, or the error for what Octave or a device does not compute.
gpumm_type checked_type (const operation &o, const form &a, const form &b);
array entrywise (const operation &o, operand a, operand b);

// a OP b as a program of this domain, fused with the programs of a and b if these fit.
program fused (gpumm_map_op op, operand a, operand b, gpumm_type domain);

array mapped (const function &f, array x);

// Appends steps to the program of x, of which the caller holds the only reference.
array applied (array x, const std::vector<gpumm_map_step> &steps, gpumm_type domain,
               gpumm_type type);

// Reduces dimension dim of x; index: also finds the places of max and min.
array fold (gpumm_fold_op op, array x, int dim, gpumm_type type, array *index = nullptr);

// x in the class with this type.
octave_value as_class (const octave_value &x, gpumm_type type);

// Is any entry of x true, or are all? Waits.
bool holds (gpumm_fold_op op, const array &x);

// ---- products -----------------------------------------------------------------------------------

// An operand of the engine, made by as_factor: it is conjugated only if it is turned, and the op
// says both.
template <typename M> gpumm_op op_of (const M &x) {
  return !x.turned ? GPUMM_NONE : x.conjugated ? GPUMM_CTRANSPOSE : GPUMM_TRANSPOSE;
}

array as_factor (array x);
gpumm_matrix matrix_of (const array &x);

// Octave's error unless a * b has sizes that fit.
void check_inner (const form &a, const form &b);

// The product by the rules of `*`; with elements of this type. Without a report it is queued, if
// its kernel allows that.
array multiplied (const array &a, const array &b);
array multiplied (const array &a, const array &b, gpumm_type type, const product_options &o);

// ---- parts --------------------------------------------------------------------------------------

array reshaped (array x, const dim_vector &size);

// The indices as Octave reads them, for an array with this number of dimensions; Octave's error for
// an invalid index.
std::vector<octave::idx_vector> indices_of (const octave_value_list &given, int dims);

// Reads or writes a part by indices into an array of this size.
void pick (bool put, const array &part, const dim_vector &part_size, const array &whole,
           const dim_vector &whole_size, const std::vector<octave::idx_vector> &index);

// X(index); X(index) = []; X(index) = y, which writes x's buffer if nobody else holds it.
array part_of (array x, const std::vector<octave::idx_vector> &index);
// The same; X(:,I:J) stays in X's buffer, until own () copies it.
array seen_part_of (const array &x, const std::vector<octave::idx_vector> &index);
array own (const array &x);
array without (const array &x, const std::vector<octave::idx_vector> &index);
void assign (array &x, const std::vector<octave::idx_vector> &index, array y);

// x enlarged to size by zeros.
array enlarged (const array &x, const dim_vector &size);

// The type of [x, y].
gpumm_type joined_type (gpumm_type x, gpumm_type y);

} // namespace gpumm

#endif

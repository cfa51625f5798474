// gpuarray.cc - the type of full arrays that stay on a device.
//
//   G = __gpuarray__ (A)                   A on the selected device
//   A = __gpuarray__ ("gather", G)         and back
//   ... = __gpuarray__ (WORD, ...)         what methods in @gpuArray ask for: see words, at the end
//
// A value is a buffer of the engine, or a program of entry by entry operations that is still to run:
// operators append to the program of an operand that nobody else holds, so that G + 2 * H .* K is
// computed in one pass. Assignment to a variable, and whatever needs the entries, runs it.
//
// Without a GPU a value holds an array of Octave's, and Octave computes. What has no form on a GPU is
// refused all the same, so that a script that runs on one machine runs on the other. With
// GPUMM_GPUARRAY=host-device in the environment the engine's host device takes the part of the GPU, for
// tests.
//
// The rules are Octave's own, by asking it: small arrays of the same classes say the class of a result,
// or raise Octave's error; for assignments that change the size, an array of bools of that size does.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "own_matrix.h"

#include <octave/lo-array-errwarn.h>
#include <octave/ov-null-mat.h>
#include <octave/parse.h>
#include <octave/quit.h>

#include "gpumm.h"
#include "info.h"

// ---- errors -------------------------------------------------------------------------------------

static void need (gpumm_status status) {
  if (status == GPUMM_CANCELLED)
    octave_quit (); // throws the interrupt that cancelled it
  if (status != GPUMM_OK)
    error_with_id ((std::string ("gpumm:") + gpumm_status_name (status)).c_str (), "gpuArray: %s",
                   gpumm_last_error ());
}

template <typename... T> [[noreturn]] static void say_gather (const char *format, T... values) {
  error_with_id ("gpumm:gpuArray:gather", (std::string ("gpuArray: ") + format).c_str (),
                 values...);
}

// ---- types --------------------------------------------------------------------------------------

static bool is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static bool is_single (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

static bool is_float (gpumm_type type) {
  return type <= GPUMM_Z;
}

static bool is_wide (gpumm_type type) {
  return type == GPUMM_I64 || type == GPUMM_U64;
}

static gpumm_type real_type (gpumm_type type) {
  return type == GPUMM_C ? GPUMM_S : type == GPUMM_Z ? GPUMM_D : type;
}

static gpumm_type complex_type (gpumm_type type) {
  return type == GPUMM_S ? GPUMM_C : type == GPUMM_D ? GPUMM_Z : type;
}

// In which entries of a type are computed.
static gpumm_type domain_of (gpumm_type type) {
  return is_float (type) ? type : GPUMM_D;
}

// Octave's names of classes, in the order of gpumm_type
static const char *class_of (gpumm_type type) {
  return type == GPUMM_B ? "logical" : gpumm_type_name (real_type (type));
}

static gpumm_type type_of_class (const std::string &name) {
  for (const gpumm_type type : {GPUMM_D, GPUMM_S, GPUMM_B, GPUMM_I8, GPUMM_I16, GPUMM_I32,
                                GPUMM_I64, GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_U64})
    if (name == class_of (type))
      return type;
  return GPUMM_TYPES;
}

// Calls f with an Octave array of the class with this type, of this size and undefined entries.
template <typename F>
static octave_value with_class (gpumm_type type, const dim_vector &size, const F &f) {
  switch (type) {
  case GPUMM_D:
    return f (NDArray (size));
  case GPUMM_S:
    return f (FloatNDArray (size));
  case GPUMM_Z:
    return f (ComplexNDArray (size));
  case GPUMM_C:
    return f (FloatComplexNDArray (size));
  case GPUMM_I8:
    return f (int8NDArray (size));
  case GPUMM_I16:
    return f (int16NDArray (size));
  case GPUMM_I32:
    return f (int32NDArray (size));
  case GPUMM_I64:
    return f (int64NDArray (size));
  case GPUMM_U8:
    return f (uint8NDArray (size));
  case GPUMM_U16:
    return f (uint16NDArray (size));
  case GPUMM_U32:
    return f (uint32NDArray (size));
  case GPUMM_U64:
    return f (uint64NDArray (size));
  default:
    return f (boolNDArray (size));
  }
}

template <typename T> static T one (T) {
  return T (1);
}

template <typename T> static std::complex<T> one (std::complex<T>) {
  return std::complex<T> (0, 1); // with an imaginary part, or Octave makes it real
}

// A small array of the host with the class and the kind of a larger one.
static octave_value sample (gpumm_type type, bool is_scalar, const dim_vector &size) {
  return with_class (type, is_scalar ? dim_vector (1, 1) : size, [] (auto x) {
    x.fill (one (x.elem (0)));
    return octave_value (x);
  });
}

// ---- arrays -------------------------------------------------------------------------------------

namespace {

enum { NO_DEVICE = -1, HOST_DEVICE = -2 };

struct program;

struct array {
  gpumm_type type = GPUMM_D;
  dim_vector size = dim_vector (0, 0);
  std::shared_ptr<gpumm_buffer> buffer;   // none while a program is to run
  bool turned = false;                    // the buffer holds the transpose of this matrix
  bool conjugated = false;                // it holds the conjugates
  std::shared_ptr<const program> pending; // what is to run
  int device = NO_DEVICE;                 // or the index of a GPU, or HOST_DEVICE
  octave_value host;                      // with NO_DEVICE: the entries

  octave_idx_type numel () const {
    return size.numel ();
  }
  bool is_scalar () const {
    return size.ndims () == 2 && size (0) == 1 && size (1) == 1;
  }
  void *values () const {
    return gpumm_buffer_address (buffer.get ());
  }
};

// How entries are computed: gpumm_map without sizes and memory.
struct program {
  gpumm_type domain = GPUMM_D;
  std::vector<array> inputs; // of the size of the result, or repeated to it
  std::vector<gpumm_map_step> steps;
  int depth = 0; // values that it needs on the stack
};

} // namespace

static int selected_device = NO_DEVICE;

static int device_for_new () {
  static bool asked = false;
  if (!asked) {
    const char *why, *wanted = getenv ("GPUMM_GPUARRAY");
    if (wanted && strcmp (wanted, "host-device") == 0)
      selected_device = HOST_DEVICE;
    else if (gpumm_device_count (&why) > 0)
      selected_device = 0;
    asked = true;
  }
  return selected_device;
}

// The engine's index of a device.
static int engine_device (int device) {
  return device == HOST_DEVICE ? int (GPUMM_HOST) : device;
}

static bool is_hosted (const array &x) {
  return x.device == NO_DEVICE;
}

static array hosted (const octave_value &value) {
  array x;
  x.host = value.full_value (); // of a range, say
  x.type = type_of_class (x.host.class_name ());
  if (x.host.iscomplex ())
    x.type = complex_type (x.type);
  x.size = x.host.dims ();
  return x;
}

static array new_array (int device, gpumm_type type, const dim_vector &size) {
  array x;
  x.type = type;
  x.size = size;
  x.device = device;
  gpumm_buffer *buffer = nullptr;
  const std::size_t bytes = std::size_t (size.safe_numel ()) * gpumm_type_bytes (type);
  need (gpumm_buffer_new (engine_device (device), std::max<std::size_t> (bytes, 1), &buffer));
  x.buffer = std::shared_ptr<gpumm_buffer> (buffer, gpumm_buffer_release);
  return x;
}

// ---- laying out ---------------------------------------------------------------------------------

using distances = std::vector<int64_t>; // elements from one entry to the next, by dimension

// Those of x where the result has this size: 0 where x repeats.
static distances strides_of (const array &x, const dim_vector &size) {
  distances stride (size.ndims (), 0);
  int64_t step = 1;
  for (int d = 0; d < x.size.ndims (); d++) {
    if (x.size (d) > 1)
      stride[d] = !x.turned ? step : d == 0 ? x.size (1) : 1;
    step *= x.size (d);
  }
  return stride;
}

static gpumm_view view_of (const array &x, int64_t offset = 0) {
  gpumm_view view = {};
  view.type = x.type;
  view.buffer = x.buffer.get ();
  view.values = static_cast<char *> (x.values ()) + offset * int64_t (gpumm_type_bytes (x.type));
  view.conjugated = x.conjugated;
  return view;
}

// Sets the map's size and the strides of its views, with neighbouring dimensions joined where all views
// allow it. The last of the strides are the output's.
static void lay_out (gpumm_map &m, const dim_vector &size, const std::vector<distances> &strides) {
  int last = -1;
  const auto view = [&] (std::size_t v) -> gpumm_view & {
    return v + 1 < strides.size () ? m.input[v] : m.output;
  };
  std::fill_n (m.size, GPUMM_MAP_DIMS, 1);
  for (int d = 0; d < size.ndims (); d++) {
    bool joins = last >= 0;
    for (std::size_t v = 0; v < strides.size (); v++)
      joins = joins && strides[v][d] == view (v).stride[last] * m.size[last];
    if (size (d) == 1)
      continue;
    if (!joins && ++last == GPUMM_MAP_DIMS)
      say_gather ("%s has more than %d dimensions that cannot be taken as one: gather the arrays",
                  size.str ().c_str (), int (GPUMM_MAP_DIMS));
    m.size[last] = joins ? m.size[last] * size (d) : size (d);
    for (std::size_t v = 0; v < strides.size () && !joins; v++)
      view (v).stride[last] = strides[v][d];
  }
}

// The program as a map to an array of this size; output's buffer may be missing.
static gpumm_map map_of (const program &p, const array &output) {
  gpumm_map m = {};
  m.domain = p.domain;
  m.inputs = int (p.inputs.size ());
  m.steps = int (p.steps.size ());
  std::copy (p.steps.begin (), p.steps.end (), m.step);
  std::vector<distances> strides;
  for (int i = 0; i < m.inputs; i++) {
    m.input[i] = view_of (p.inputs[i]);
    strides.push_back (strides_of (p.inputs[i], output.size));
  }
  m.output = view_of (output);
  strides.push_back (strides_of (output, output.size));
  lay_out (m, output.size, strides);
  return m;
}

static void run (const program &p, const array &output) {
  if (output.numel () == 0)
    return;
  const gpumm_map m = map_of (p, output);
  need (gpumm_map_entries (&m));
}

// ---- programs -----------------------------------------------------------------------------------

static array upload (const octave_value &value, int device);

// What a variable is before its entries are assigned.
static array empty_array () {
  return upload (octave_value (NDArray (dim_vector (0, 0))), device_for_new ());
}

// Runs what is pending. Programs never hold pending inputs.
static const array &ready (array &x) {
  if (x.pending) {
    array y = new_array (x.device, x.type, x.size);
    run (*x.pending, y);
    x = y;
  } else if (is_hosted (x) ? !x.host.is_defined () : !x.buffer)
    x = empty_array ();
  return x;
}

static program program_of (const array &x) {
  if (x.pending)
    return *x.pending;
  program p;
  p.domain = domain_of (x.type);
  p.inputs.push_back (x);
  return p;
}

static gpumm_map_step step_of (gpumm_map_op op, int source = 0, bool swapped = false,
                               gpumm_scalar constant = {}) {
  gpumm_map_step step = {};
  step.op = op;
  step.source = source;
  step.swapped = swapped;
  step.constant = constant;
  return step;
}

static array pending_array (const program &p, gpumm_type type, const dim_vector &size, int device) {
  array x;
  x.type = type;
  x.size = size;
  x.device = device;
  x.pending = std::make_shared<program> (p);
  return x;
}

// As stored by columns without gaps, entries as they are.
static array plain (array x) {
  ready (x);
  return x.turned || x.conjugated
             ? [&] {
                 array y = new_array (x.device, x.type, x.size);
                 run (program_of (x), y);
                 return y;
               }()
             : x;
}

// x with entries of another type, by the rules of Octave's double (), int8 () and so on.
static array converted (array x, gpumm_type type) {
  ready (x);
  if (x.type == type)
    return x;
  if (is_wide (x.type) || is_wide (type))
    say_gather ("int64 and uint64 arrays are not converted: %s (gather (X))", class_of (type));
  program p = program_of (x);
  if (is_complex (type) || (is_float (type) && !is_complex (x.type)))
    p.domain = type;
  return pending_array (p, type, x.size, x.device);
}

// The source of y in p's steps, or -3 if p has no room for one more input.
static int input_of (program &p, const array &y) {
  for (std::size_t i = 0; i < p.inputs.size (); i++) {
    const array &x = p.inputs[i];
    if (x.buffer == y.buffer && x.type == y.type && x.size == y.size && x.turned == y.turned
        && x.conjugated == y.conjugated)
      return int (i);
  }
  if (p.inputs.size () == GPUMM_MAP_INPUTS)
    return -3;
  p.inputs.push_back (y);
  return int (p.inputs.size ()) - 1;
}

// Does x have a program that can go on in this domain? Not where its result is rounded to another type.
static bool fits (const array &x, gpumm_type domain) {
  return x.pending && x.pending->domain == domain && (x.type == domain || x.type == GPUMM_B);
}

// ---- operands -----------------------------------------------------------------------------------

static array upload (const octave_value &value, int device) {
  octave_value x = value.is_string () ? octave_value (value.array_value ()) : value;
  if (x.issparse ())
    say_gather (
        "sparse matrices stay on the host: full (S) can be a gpuArray, or gather (X) to work "
        "there");
  x = x.full_value (); // of a range, say
  const gpumm_type real = type_of_class (x.class_name ());
  if (real == GPUMM_TYPES || !(x.isnumeric () || x.islogical ()))
    error_with_id ("gpumm:invalid", "gpuArray: there is no gpuArray of class %s",
                   value.class_name ().c_str ());
  if (device == NO_DEVICE)
    return hosted (x);
  const gpumm_type type = x.iscomplex () ? complex_type (real) : real;
  array y = new_array (device, type, x.dims ());
  if (y.numel () == 0)
    return y;
  gpumm_matrix from = {}, to;
  from.type = type == GPUMM_B ? GPUMM_U8 : type;
  from.rows = from.ld = y.numel ();
  from.cols = 1;
  to = from;
  from.values = const_cast<void *> (x.mex_get_data ());
  to.values = y.values ();
  to.buffer = y.buffer.get ();
  need (gpumm_copy (&from, &to));
  return y;
}

static octave_value download (array given) {
  if (is_hosted (ready (given)))
    return given.host;
  const array x = plain (given);
  return with_class (x.type, x.size, [&] (auto y) {
    gpumm_matrix from = {}, to;
    from.type = x.type == GPUMM_B ? GPUMM_U8 : x.type;
    from.rows = from.ld = x.numel ();
    from.cols = 1;
    to = from;
    from.values = x.values ();
    from.buffer = x.buffer.get ();
    to.values = y.fortran_vec ();
    if (x.numel () > 0)
      need (gpumm_copy (&from, &to));
    return octave_value (y);
  });
}

namespace {

// One operand of an operator.
struct operand {
  array x;
  bool is_number = false; // of the host: no array is made of it
  gpumm_scalar number = {};
  octave_value value; // the number
};

} // namespace

class octave_gpuarray;
static const octave_gpuarray *gpuarray_of (const octave_base_value &x);
static array array_of (const octave_gpuarray &x);

static operand operand_of (const octave_value &x, int device) {
  operand o;
  if (x.numel () != 1 || x.issparse () || !(x.isnumeric () || x.islogical () || x.is_string ())) {
    o.x = upload (x, device);
    return o;
  }
  const octave_value number = x.is_string () ? octave_value (x.double_value ()) : x;
  const Complex z = number.complex_value ();
  o.is_number = true;
  o.value = number;
  o.number = {z.real (), z.imag ()};
  o.x.type = type_of_class (number.class_name ());
  if (number.iscomplex ())
    o.x.type = complex_type (o.x.type);
  o.x.size = dim_vector (1, 1);
  o.x.device = device;
  return o;
}

// Both operands of an operator, of which at least one is a gpuArray.
static std::pair<operand, operand> operands_of (const octave_base_value &a,
                                                const octave_base_value &b) {
  const octave_gpuarray *x = gpuarray_of (a), *y = gpuarray_of (b);
  operand u, v;
  if (x)
    u.x = array_of (*x);
  if (y)
    v.x = array_of (*y);
  if (!x)
    u = operand_of (shared (a), v.x.device);
  if (!y)
    v = operand_of (shared (b), u.x.device);
  return {u, v};
}

// The array of an operand, a number too.
static array as_array (const operand &o) {
  if (!o.is_number)
    return o.x;
  if (is_hosted (o.x))
    return hosted (o.value);
  program p;
  p.domain = domain_of (o.x.type);
  p.steps.push_back (step_of (GPUMM_MAP_LOAD, GPUMM_MAP_CONSTANT, false, o.number));
  return pending_array (p, o.x.type, o.x.size, o.x.device);
}

// ---- Octave's rules -----------------------------------------------------------------------------

static octave::type_info &type_info () {
  return octave::interpreter::the_interpreter ()->get_type_info ();
}

static octave_value by_octave (octave_value::binary_op op, const operand &a, const operand &b) {
  return octave::binary_op (type_info (), op, download (as_array (a)), download (as_array (b)));
}

static octave_value by_octave (const char *function, const octave_value_list &arguments) {
  return octave::feval (function, arguments, 1) (0);
}

// The real type of x OP y, or Octave's error.
static gpumm_type result_type (octave_value::binary_op op, const array &x, const array &y) {
  static std::map<std::tuple<int, int, int, bool, bool>, gpumm_type> known;
  const auto key =
      std::make_tuple (int (op), int (x.type), int (y.type), x.is_scalar (), y.is_scalar ());
  const auto found = known.find (key);
  if (found != known.end ())
    return found->second;
  const dim_vector size = op == octave_value::op_mul ? dim_vector (2, 2) : dim_vector (1, 2);
  const octave_value z = octave::binary_op (type_info (), op, sample (x.type, x.is_scalar (), size),
                                            sample (y.type, y.is_scalar (), size));
  return known[key] = type_of_class (z.class_name ());
}

// The type of [x, y], or of x after x(1) = y, by what f does with samples.
template <typename F> static gpumm_type joint_type (gpumm_type x, gpumm_type y, const F &f) {
  const octave_value z = f (sample (x, false, dim_vector (1, 2)), sample (y, true, dim_vector ()));
  const gpumm_type type = type_of_class (z.class_name ());
  return is_complex (x) || is_complex (y) ? complex_type (type) : type;
}

static dim_vector common_size (const char *name, const dim_vector &a, const dim_vector &b) {
  dim_vector size = dim_vector::alloc (std::max (a.ndims (), b.ndims ()));
  for (int d = 0; d < size.ndims (); d++) {
    const octave_idx_type m = d < a.ndims () ? a (d) : 1, n = d < b.ndims () ? b (d) : 1;
    if (m != n && m != 1 && n != 1)
      octave::err_nonconformant (name, a, b);
    size (d) = m == 1 ? n : m;
  }
  return size;
}

// ---- folds --------------------------------------------------------------------------------------

// The dimension that Octave reduces if none is given, from 0.
static int first_dimension (const dim_vector &size) {
  return size.first_non_singleton ();
}

static const char *const fold_names[GPUMM_FOLD_OPS] = {"sum", "prod", "max", "min", "any", "all"};

// Reduces dimension dim of x; index: also where, of max and min.
static array fold (gpumm_fold_op op, array x, int dim, gpumm_type type, array *index = nullptr) {
  if (is_hosted (x)) {
    const bool extreme = op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN;
    const octave_value_list arguments =
        extreme ? ovl (download (x), Matrix (), dim + 1) : ovl (download (x), dim + 1);
    const octave_value_list found = octave::feval (fold_names[op], arguments, index ? 2 : 1);
    if (index)
      *index = hosted (found (1));
    return hosted (found (0));
  }
  if (!x.pending || !fits (x, x.pending->domain))
    ready (x);
  gpumm_fold f = {};
  f.op = op;
  f.inner = f.outer = 1;
  f.count = dim < x.size.ndims () ? x.size (dim) : 1;
  for (int d = 0; d < x.size.ndims (); d++)
    (d < dim ? f.inner : d > dim ? f.outer : f.count) *= d == dim ? 1 : x.size (d);
  dim_vector size = x.size;
  if (dim < size.ndims ())
    size (dim) = 1;
  const array y = new_array (x.device, type, size);
  array all = x; // gives the map its size; its own output is not used
  all.turned = false;
  f.map = map_of (program_of (x), all);
  f.output = view_of (y);
  if (index) {
    *index = new_array (x.device, GPUMM_D, size);
    f.index = view_of (*index);
  }
  need (gpumm_fold_entries (&f));
  return y;
}

// All entries as one column.
static array as_column (const array &x) {
  array y = x.pending ? x : plain (x);
  y.size = dim_vector (x.numel (), 1);
  return y;
}

static array reshaped (array x, const dim_vector &size) {
  if (is_hosted (ready (x)))
    return hosted (x.host.reshape (size));
  x = plain (x);
  x.size = size;
  return x;
}

static bool is_one (const array &x) {
  return download (x).bool_value ();
}

// Is the program's value nonzero anywhere? Waits.
static bool anywhere (const program &p, const array &like) {
  if (like.numel () == 0)
    return false;
  const array x = pending_array (p, GPUMM_B, like.size, like.device);
  gpumm_fold f = {};
  f.op = GPUMM_FOLD_ANY;
  f.inner = f.outer = 1;
  f.count = like.numel ();
  const array y = new_array (like.device, GPUMM_B, dim_vector (1, 1));
  array all = x;
  f.map = map_of (p, all);
  f.output = view_of (y);
  need (gpumm_fold_entries (&f));
  return is_one (y);
}

static void check_nan (const operand &o) {
  if (!is_float (o.x.type))
    return;
  bool found = o.is_number && (std::isnan (o.number.re) || std::isnan (o.number.im));
  if (!o.is_number) {
    array x = o.x;
    program p = program_of (ready (x));
    p.steps.push_back (step_of (GPUMM_MAP_ISNAN));
    found = anywhere (p, x);
  }
  if (found)
    octave::err_nan_to_logical_conversion ();
}

// ---- operators, entry by entry ------------------------------------------------------------------

// Appends op with operand y to p; false if there is no room.
static bool append (program &p, gpumm_map_op op, const operand &y, bool swapped) {
  const int source = y.is_number ? int (GPUMM_MAP_CONSTANT) : input_of (p, y.x);
  if (source == -3 || p.steps.size () == GPUMM_MAP_STEPS)
    return false;
  p.steps.push_back (step_of (op, source, swapped, y.number));
  return true;
}

// Appends: save what p computes, compute q, and combine both; false if there is no room.
static bool append (program &p, gpumm_map_op op, const program &q) {
  program r = p;
  if (q.depth > 1 || p.steps.size () + q.steps.size () + 2 > GPUMM_MAP_STEPS || q.inputs.empty ())
    return false;
  std::vector<int> sources;
  for (const array &x : q.inputs) {
    sources.push_back (input_of (r, x));
    if (sources.back () == -3)
      return false;
  }
  r.steps.push_back (step_of (GPUMM_MAP_PUSH, sources[0]));
  for (gpumm_map_step step : q.steps) {
    if (step.source >= 0 && step.op >= GPUMM_MAP_ADD)
      step.source = sources[step.source];
    else if (step.source >= 0 && step.op <= GPUMM_MAP_PUSH)
      step.source = sources[step.source];
    r.steps.push_back (step);
  }
  r.steps.push_back (step_of (op, GPUMM_MAP_POP, true));
  r.depth = std::max (p.depth, q.depth + 1);
  p = r;
  return true;
}

// a OP b as a program of this domain, fused with those of a and b where they have one and it fits.
static program fused (gpumm_map_op op, operand a, operand b, gpumm_type domain) {
  for (operand *o : {&a, &b})
    if (!o->is_number && !fits (o->x, domain))
      ready (o->x);
  for (;; ready (a.is_number || !a.x.pending ? b.x : a.x)) {
    program p;
    if (!a.is_number && b.is_number) {
      p = program_of (a.x);
      p.domain = domain;
      if (append (p, op, b, false))
        return p;
    } else if (a.is_number) {
      p = program_of (as_array (b));
      p.domain = domain;
      if (append (p, op, a, true))
        return p;
    } else if (!b.x.pending) {
      p = program_of (a.x);
      p.domain = domain;
      if (append (p, op, b, false))
        return p;
    } else if (!a.x.pending) {
      p = program_of (b.x);
      p.domain = domain;
      if (append (p, op, a, true))
        return p;
    } else {
      p = program_of (a.x);
      if (append (p, op, *b.x.pending))
        return p;
    }
  }
}

namespace {

struct operation {
  octave_value::binary_op op;
  gpumm_map_op map;
  const char *name; // in Octave's errors
  bool compares, is_logical;
};

} // namespace

static const operation operations[] = {
    {octave_value::op_add, GPUMM_MAP_ADD, "operator +", false, false},
    {octave_value::op_sub, GPUMM_MAP_SUB, "operator -", false, false},
    {octave_value::op_el_mul, GPUMM_MAP_MUL, "product", false, false},
    {octave_value::op_el_div, GPUMM_MAP_DIV, "quotient", false, false},
    {octave_value::op_el_pow, GPUMM_MAP_POW, "operator .^", false, false},
    {octave_value::op_lt, GPUMM_MAP_LT, "mx_el_lt", true, false},
    {octave_value::op_le, GPUMM_MAP_LE, "mx_el_le", true, false},
    {octave_value::op_eq, GPUMM_MAP_EQ, "mx_el_eq", true, false},
    {octave_value::op_ne, GPUMM_MAP_NE, "mx_el_ne", true, false},
    {octave_value::op_ge, GPUMM_MAP_GE, "mx_el_ge", true, false},
    {octave_value::op_gt, GPUMM_MAP_GT, "mx_el_gt", true, false},
    {octave_value::op_el_and, GPUMM_MAP_AND, "mx_el_and", true, true},
    {octave_value::op_el_or, GPUMM_MAP_OR, "mx_el_or", true, true}};

static const operation &operation_of (octave_value::binary_op op) {
  return *std::find_if (std::begin (operations), std::end (operations),
                        [op] (const operation &o) { return o.op == op; });
}

static bool is_whole (double x) {
  return x == std::round (x);
}

// Is x .^ y complex because a negative number meets a fraction? Waits where it must look.
static bool leaves_reals (const operand &x, const operand &y) {
  if ((x.is_number && x.number.re >= 0) || (y.is_number && is_whole (y.number.re)))
    return false;
  if (!is_float (x.x.type) || !is_float (y.x.type)) // integer results stay integers
    return false;
  operand zero;
  zero.is_number = true;
  const gpumm_type domain = is_single (x.x.type) && is_single (y.x.type) ? GPUMM_S : GPUMM_D;
  array a = as_array (x), b = as_array (y);
  operand u, v;
  program negative = program_of (ready (a));
  negative.domain = domain;
  append (negative, GPUMM_MAP_LT, zero, false);
  if (y.is_number)
    return anywhere (negative, a);
  program fraction = program_of (ready (b));
  fraction.domain = domain;
  fraction.steps.push_back (step_of (GPUMM_MAP_ROUND));
  v.x = b;
  append (fraction, GPUMM_MAP_NE, v, false);
  array like = a;
  like.size = common_size ("operator .^", a.size, b.size);
  append (negative, GPUMM_MAP_AND, fraction);
  return anywhere (negative, like);
}

static array entrywise (const operation &o, operand a, operand b) {
  const dim_vector size = common_size (o.name, a.x.size, b.x.size);
  const gpumm_type real = result_type (o.op, a.x, b.x), s = a.x.type, t = b.x.type;
  if (is_wide (s) || is_wide (t) || is_wide (real))
    say_gather ("int64 and uint64 arrays have no arithmetic on the device: gather (X)");
  bool is_complex_result = is_complex (s) || is_complex (t);
  gpumm_map_op op = o.map;
  if (op == GPUMM_MAP_POW && !is_float (real) && !is_float (s) && s != GPUMM_B && !is_float (t)
      && t != GPUMM_B)
    say_gather ("powers of integers with integers: gather the arrays");
  if (is_hosted (a.x))
    return hosted (by_octave (o.op, a, b));
  if (o.is_logical) {
    check_nan (a);
    check_nan (b);
  }
  if (op == GPUMM_MAP_POW) {
    is_complex_result = is_complex_result || leaves_reals (a, b);
    const double n = b.is_number && !is_complex (t) && is_float (real) ? b.number.re : 0;
    // as Octave computes these
    if (n == -1) {
      std::swap (a, b);
      a.number.re = 1;
      op = GPUMM_MAP_DIV;
    } else if (n == 2 || n == 3) {
      ready (a.x);
      program p = program_of (a.x);
      p.domain = domain_of (is_complex_result ? complex_type (real) : real);
      append (p, GPUMM_MAP_MUL, a, false);
      if (n == 3)
        append (p, GPUMM_MAP_MUL, a, false);
      return pending_array (p, p.domain, size, a.x.device);
    }
  }
  gpumm_type domain =
      o.compares ? (is_single (s) && is_single (t) ? GPUMM_S : GPUMM_D) : domain_of (real);
  if (is_complex_result)
    domain = complex_type (domain);
  const gpumm_type type = o.compares ? GPUMM_B : is_complex_result ? complex_type (real) : real;
  return pending_array (fused (op, a, b, domain), type, size, a.x.device);
}

// ---- functions, entry by entry ------------------------------------------------------------------

namespace {

struct function {
  octave_base_value::unary_mapper_t name;
  gpumm_map_op map;
  bool is_real; // even of complex numbers
};

} // namespace

static const function functions[] = {{octave_base_value::umap_abs, GPUMM_MAP_ABS, true},
                                     {octave_base_value::umap_sqrt, GPUMM_MAP_SQRT, false},
                                     {octave_base_value::umap_exp, GPUMM_MAP_EXP, false},
                                     {octave_base_value::umap_log, GPUMM_MAP_LOG, false},
                                     {octave_base_value::umap_tanh, GPUMM_MAP_TANH, false},
                                     {octave_base_value::umap_sin, GPUMM_MAP_SIN, false},
                                     {octave_base_value::umap_cos, GPUMM_MAP_COS, false},
                                     {octave_base_value::umap_signum, GPUMM_MAP_SIGN, false},
                                     {octave_base_value::umap_round, GPUMM_MAP_ROUND, false},
                                     {octave_base_value::umap_floor, GPUMM_MAP_FLOOR, false},
                                     {octave_base_value::umap_ceil, GPUMM_MAP_CEIL, false},
                                     {octave_base_value::umap_fix, GPUMM_MAP_FIX, false},
                                     {octave_base_value::umap_real, GPUMM_MAP_REAL, true},
                                     {octave_base_value::umap_imag, GPUMM_MAP_IMAG, true},
                                     {octave_base_value::umap_conj, GPUMM_MAP_CONJ, false},
                                     {octave_base_value::umap_isnan, GPUMM_MAP_ISNAN, true},
                                     {octave_base_value::umap_isinf, GPUMM_MAP_ISINF, true}};

// Appends steps to the program of x, of which the caller holds the only reference.
static array applied (array x, const std::vector<gpumm_map_step> &steps, gpumm_type domain,
                      gpumm_type type) {
  if (!fits (x, domain) || x.pending->steps.size () + steps.size () > GPUMM_MAP_STEPS)
    ready (x);
  program p = program_of (x);
  p.domain = domain;
  p.steps.insert (p.steps.end (), steps.begin (), steps.end ());
  return pending_array (p, type, x.size, x.device);
}

static array mapped (const function &f, array x) {
  if (is_wide (x.type))
    say_gather ("int64 and uint64 arrays have no arithmetic on the device: gather (X)");
  if (is_hosted (x))
    return hosted (download (x).get_rep ().map (f.name));
  const octave_value one_of = sample (x.type, false, dim_vector (1, 2)).get_rep ().map (f.name);
  gpumm_type type = type_of_class (one_of.class_name ());
  bool is_complex_result = is_complex (x.type) && !f.is_real;
  if (f.map == GPUMM_MAP_SQRT || f.map == GPUMM_MAP_LOG) {
    operand zero;
    zero.is_number = true;
    program p = program_of (ready (x));
    if (!is_complex (x.type) && append (p, GPUMM_MAP_LT, zero, false))
      is_complex_result = anywhere (p, x);
  }
  gpumm_type domain = is_float (type) ? type : domain_of (real_type (x.type));
  if (is_complex_result || is_complex (x.type))
    domain = complex_type (domain);
  if (is_complex_result)
    type = complex_type (type);
  return applied (x, {step_of (f.map)}, domain, type);
}

// ---- products -----------------------------------------------------------------------------------

static gpumm_matrix matrix_of (const array &x, gpumm_op op) {
  gpumm_matrix m = {};
  m.format = GPUMM_DENSE;
  m.type = x.type;
  m.op = op;
  m.rows = x.turned ? x.size (1) : x.size (0);
  m.cols = x.turned ? x.size (0) : x.size (1);
  m.ld = std::max<int64_t> (m.rows, 1);
  m.values = x.values ();
  m.buffer = x.device == HOST_DEVICE ? nullptr : x.buffer.get ();
  return m;
}

// The array as the engine takes operands: a transpose is an op.
static std::pair<array, gpumm_op> stored (array x) {
  ready (x);
  if (x.conjugated && !x.turned)
    x = plain (x);
  return {x, !x.turned ? GPUMM_NONE : x.conjugated ? GPUMM_CTRANSPOSE : GPUMM_TRANSPOSE};
}

namespace {

// What gpumm's options ask of a product beside A * B.
struct product_options {
  gpumm_scalar alpha = {1, 0}, beta = {0, 0};
  array c0;                    // if beta is not 0: of the result's type and size
  gpumm_options engine = {};   // with device -1, the operands decide
  gpumm_report *report = NULL; // filled, after a wait
};

} // namespace

static void check_inner (const array &a, const array &b) {
  if (a.size.ndims () > 2 || b.size.ndims () > 2 || a.size (1) != b.size (0))
    octave::err_nonconformant ("operator *", a.size, b.size);
}

// The product in elements of this type. Without a report it is queued, where its kernel lets it.
static array multiplied (const array &a, const array &b, gpumm_type type,
                         const product_options &o) {
  check_inner (a, b);
  const auto left = stored (converted (a, type)), right = stored (converted (b, type));
  const bool on_host = left.first.device == HOST_DEVICE, adds = o.beta.re != 0 || o.beta.im != 0;
  array c = new_array (left.first.device, type, dim_vector (a.size (0), b.size (1)));
  if (adds && !on_host) // the engine adds to what is in the result
    run (program_of (o.c0), c);
  if (on_host)
    need (gpumm_wait (GPUMM_HOST));
  gpumm_problem p = {};
  p.a = matrix_of (left.first, left.second);
  p.b = matrix_of (right.first, right.second);
  p.alpha = o.alpha;
  p.beta = o.beta;
  p.output = type;
  p.stays = !on_host;
  p.queues = !o.report;
  gpumm_matrix result = matrix_of (c, GPUMM_NONE);
  const gpumm_matrix c0 = on_host && adds ? matrix_of (o.c0, GPUMM_NONE) : result;
  if (adds)
    p.c0 = &c0;
  gpumm_job *job = nullptr;
  gpumm_status status = gpumm_open (&p, &o.engine, &job);
  if (!status)
    status = gpumm_run (job, &result);
  if (!status && o.report)
    *o.report = *gpumm_job_report (job);
  gpumm_close (job);
  need (status);
  return c;
}

static array multiplied (const array &a, const array &b) {
  check_inner (a, b);
  if (is_hosted (a))
    return hosted (
        octave::binary_op (type_info (), octave_value::op_mul, download (a), download (b)));
  gpumm_type type = result_type (octave_value::op_mul, a, b);
  if (is_complex (a.type) || is_complex (b.type))
    type = complex_type (type);
  product_options o;
  o.engine.device = -1;
  return multiplied (a, b, type, o);
}

// ---- parts --------------------------------------------------------------------------------------

// The places of an index along a dimension of n, from 0; `memory` keeps a vector of them.
static gpumm_places places_of (const octave::idx_vector &index, octave_idx_type n, int device,
                               std::vector<array> &memory) {
  gpumm_places p = {};
  const octave_idx_type count = index.length (n);
  if (count == 0)
    return p;
  p.first = index (0);
  p.step = index.increment ();
  if (count == 1 || index.is_colon () || index.is_range ())
    return p;
  const dim_vector size (count, 1);
  int64NDArray places (size);
  for (octave_idx_type i = 0; i < count; i++)
    places.xelem (i) = octave_int64 (index (i));
  memory.push_back (upload (octave_value (places), device));
  p.buffer = memory.back ().buffer.get ();
  p.vector = static_cast<const int64_t *> (memory.back ().values ());
  return p;
}

// The pick of part from whole, whose sizes by index are given.
static void pick (bool put, const array &part, const dim_vector &part_size, const array &whole,
                  const dim_vector &whole_size, const std::vector<octave::idx_vector> &index) {
  const int dims = int (index.size ());
  if (dims > GPUMM_MAP_DIMS)
    say_gather ("%d indices are more than %d: gather (X), or reshape it", dims,
                int (GPUMM_MAP_DIMS));
  std::vector<array> memory;
  gpumm_pick p = {};
  p.put = put;
  p.part = view_of (part);
  p.whole = view_of (whole);
  std::fill_n (p.size, GPUMM_MAP_DIMS, 1);
  std::fill_n (p.whole_size, GPUMM_MAP_DIMS, 1);
  const distances steps = strides_of (whole, whole_size);
  int64_t step = 1, whole_step = 1;
  for (int d = 0; d < dims; d++) {
    p.size[d] = part_size (d);
    p.whole_size[d] = whole_size (d);
    p.part.stride[d] = part.is_scalar () ? 0 : step;
    p.whole.stride[d] = whole.turned ? steps[d] : whole_step;
    step *= part_size (d);
    whole_step *= whole_size (d);
    p.places[d] = places_of (index[d], whole_size (d), whole.device, memory);
  }
  need (gpumm_pick_entries (&p));
}

// The indices as Octave takes them; its error for what is no index.
static std::vector<octave::idx_vector> indices_of (const octave_value_list &given) {
  std::vector<octave::idx_vector> index;
  for (octave_idx_type d = 0; d < given.length (); d++)
    try {
      index.push_back (given (d).index_vector ());
    } catch (octave::index_exception &e) {
      e.set_pos_if_unset (int (given.length ()), int (d) + 1);
      throw;
    }
  return index;
}

// The size of the parts that the indices take of an array, by dimension.
static dim_vector size_of_part (const std::vector<octave::idx_vector> &index,
                                const dim_vector &whole) {
  dim_vector size = dim_vector::alloc (std::max<int> (int (index.size ()), 2));
  size (1) = 1;
  for (std::size_t d = 0; d < index.size (); d++)
    size (int (d)) = index[d].length (whole (int (d)));
  return size;
}

static array part_of (array x, const std::vector<octave::idx_vector> &index) {
  const int dims = int (index.size ());
  ready (x);
  if (dims == 0)
    return x;
  dim_vector whole = dims == 1 ? dim_vector (x.numel (), 1) : x.size.redim (dims);
  for (int d = 0; d < dims; d++)
    if (index[d].extent (whole (d)) > whole (d))
      octave::err_index_out_of_range (dims, d + 1, index[d].extent (whole (d)), whole (d), x.size);
  if (dims == 1 || dims > 2)
    x = plain (x);
  const dim_vector size = size_of_part (index, whole);
  dim_vector shape = size;
  if (dims == 1 && !index[0].is_colon ()) { // the rule of Octave's Array<T>::index
    const octave_idx_type count = size (0);
    shape = index[0].orig_dimensions ();
    if (x.numel () != 1 && x.size.is_nd_vector () && count != 1 && shape.is_nd_vector ())
      shape = x.size.make_nd_vector (count);
  }
  shape.chop_trailing_singletons ();
  if (dims == 1 && index[0].is_colon ())
    return reshaped (x, shape);
  array y = new_array (x.device, x.type, shape);
  y.conjugated = x.conjugated; // as stored; what reads it conjugates
  if (y.numel () > 0)
    pick (false, y, size, x, whole, index);
  return y;
}

// x, of which nobody else holds the buffer.
static array own_copy (array x) {
  ready (x);
  if (x.buffer.use_count () == 2 && !x.turned && !x.conjugated) // the caller's and this one
    return x;
  array y = new_array (x.device, x.type, x.size);
  run (program_of (x), y);
  return y;
}

static array zeros (int device, gpumm_type type, const dim_vector &size) {
  array x = new_array (device, type, size);
  program p;
  p.domain = domain_of (type);
  if (is_wide (type)) { // only moved: eight zero bytes are a double
    array y = x;
    y.type = GPUMM_D;
    run (p, y);
  } else
    run (p, x);
  return x;
}

// x enlarged to size, with zeros.
static array enlarged (const array &x, const dim_vector &size) {
  const array y = zeros (x.device, x.type, size);
  if (x.numel () == 0)
    return y;
  const dim_vector part = x.size.redim (size.ndims ());
  std::vector<octave::idx_vector> index;
  for (int d = 0; d < size.ndims (); d++)
    index.push_back (octave::idx_vector (0, part (d)));
  pick (true, plain (x), part, y, size, index);
  return y;
}

static Array<octave::idx_vector> array_of_indices (const std::vector<octave::idx_vector> &index) {
  Array<octave::idx_vector> a (dim_vector (int (index.size ()), 1));
  for (std::size_t d = 0; d < index.size (); d++)
    a.xelem (int (d)) = index[d];
  return a;
}

// X(index) = []
static array without (const array &x, const std::vector<octave::idx_vector> &index) {
  boolNDArray rules (x.size, false); // Octave's rules and errors
  rules.delete_elements (array_of_indices (index));
  if (rules.numel () == x.numel ())
    return reshaped (x, rules.dims ());
  const int dims = int (index.size ());
  const dim_vector whole = dims == 1 ? dim_vector (x.numel (), 1) : x.size.redim (dims);
  std::vector<octave::idx_vector> rest;
  bool found = false;
  for (int d = 0; d < dims; d++) {
    const bool all = found || index[d].is_colon_equiv (whole (d));
    rest.push_back (all ? octave::idx_vector::colon : index[d].complement (whole (d)));
    found = found || !all;
  }
  return found ? reshaped (part_of (x, rest), rules.dims ())
               : new_array (x.device, x.type, rules.dims ());
}

// X(index) = y; x's buffer is written if nobody else holds it.
static void assign (array &x, const std::vector<octave::idx_vector> &index, array y) {
  const gpumm_type type = joint_type (x.type, y.type, [] (octave_value a, const octave_value &b) {
    a.assign (octave_value::op_asn_eq, "(", {ovl (1.0)}, b);
    return a;
  });
  const int dims = int (index.size ());
  dim_vector whole = dims == 1 ? dim_vector (x.numel (), 1) : x.size.redim (std::max (dims, 1));
  bool grows = dims == 0;
  for (int d = 0; d < dims; d++)
    grows = grows || index[d].extent (whole (d)) > whole (d);
  const dim_vector part = dims == 0 ? dim_vector () : size_of_part (index, whole);
  dim_vector without_ones = part, given = y.size;
  without_ones.chop_all_singletons ();
  given.chop_all_singletons ();
  const bool matches =
      y.is_scalar () || without_ones == given || (dims == 1 && y.numel () == part.numel ());
  if (grows || !matches) { // Octave's rules and errors
    boolNDArray rules (x.size, false);
    rules.assign (array_of_indices (index), boolNDArray (y.size, false), false);
    if (dims == 1 && x.numel () > 0)
      x = reshaped (x, x.size.redim (2));
    x = enlarged (x, rules.dims ());
    whole = dims == 1 ? dim_vector (x.numel (), 1) : x.size.redim (dims);
  }
  const dim_vector size = size_of_part (index, whole);
  y = plain (converted (y, type));
  if (x.type != type)
    x = plain (converted (x, type));
  array own = own_copy (x);
  x = own;
  if (size.numel () > 0)
    pick (true, y, size, x, whole, index);
}

// ---- the type -----------------------------------------------------------------------------------

// Entries that are shown; of larger arrays the kind is.
static const octave_idx_type MOST_SHOWN = 1000;

class octave_gpuarray : public own_matrix {
public:
  octave_gpuarray () = default;
  explicit octave_gpuarray (const array &x) : m (x) {
  }
  octave_gpuarray (const octave_gpuarray &x) : own_matrix (x), m (ready (x.m)) {
  }

  octave_base_value *clone () const {
    return new octave_gpuarray (*this);
  }
  octave_base_value *empty_clone () const {
    return new octave_gpuarray ();
  }

  // Called where the value goes to a variable: computed once, and on its way.
  void maybe_economize () {
    ready (m);
  }

  // The array for use in an expression: what others hold too is computed once, for all.
  array operand () const {
    if (references (this, 0) > 1)
      ready (m);
    return m;
  }

  octave_value whole () const {
    if (m.numel () != 1)
      say_gather ("this needs the entries of %s on the host: gather (X) brings them",
                  m.size.str ().c_str ());
    return download (m);
  }
  octave_value whole_sparse () const {
    return octave::feval ("sparse", ovl (whole ()), 1) (0);
  }
  const octave_value &elements () const {
    static octave_value samples[GPUMM_TYPES];
    octave_value &x = samples[m.type];
    if (!x.is_defined ())
      x = sample (m.type, false, dim_vector (1, 2));
    return x;
  }

  dim_vector dims () const {
    return m.size;
  }
  std::size_t byte_size () const {
    return std::size_t (m.numel ()) * gpumm_type_bytes (m.type);
  }
  octave_idx_type nnz () const {
    if (is_hosted (ready (m)))
      return m.host.nnz ();
    const boolNDArray x =
        download (applied (ready (m), {}, domain_of (m.type), GPUMM_B)).bool_array_value ();
    return x.nnz ();
  }
  bool isnumeric () const {
    return m.type != GPUMM_B;
  }
  bool islogical () const {
    return m.type == GPUMM_B;
  }
  bool is_bool_matrix () const {
    return false;
  }
  bool iscomplex () const {
    return is_complex (m.type);
  }
  bool isfloat () const {
    return is_float (m.type);
  }
  bool is_double_type () const {
    return m.type == GPUMM_D || m.type == GPUMM_Z;
  }
  bool is_single_type () const {
    return is_single (m.type);
  }
  bool is_instance_of (const std::string &name) const {
    return name == "gpuArray" || (name == "integer" && !isfloat () && !islogical ());
  }

  bool is_true () const;
  octave_value full_value () const {
    return octave_value (clone ());
  }
  octave_value squeeze () const {
    return reshape (m.size.squeeze ());
  }
  octave_value reshape (const dim_vector &size) const;
  octave_value permute (const Array<int> &order, bool inverse) const;
  octave_value resize (const dim_vector &size, bool fill) const;
  octave_value map (unary_mapper_t f) const;
  octave_value all (int dim) const {
    return folded (GPUMM_FOLD_ALL, dim);
  }
  octave_value any (int dim) const {
    return folded (GPUMM_FOLD_ANY, dim);
  }
  octave_value diag (octave_idx_type k) const;
  octave_value diag (octave_idx_type rows, octave_idx_type cols) const {
    return resized_diag (rows, cols);
  }
  octave::idx_vector index_vector (bool integers) const {
    return download (m).index_vector (integers);
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const;

  octave_value fast_elem_extract (octave_idx_type n) const {
    if (n < 0 || n >= m.numel ())
      return octave_value ();
    return is_hosted (m) ? m.host.fast_elem_extract (n)
                         : download (part_of (ready (m), {octave::idx_vector (n)}));
  }
  octave_value do_index_op (const octave_value_list &index, bool resize_ok = false);
  octave_value subsref (const std::string &type, const std::list<octave_value_list> &index);
  octave_value_list subsref (const std::string &type, const std::list<octave_value_list> &index,
                             int) {
    return ovl (subsref (type, index));
  }
  octave_value subsasgn (const std::string &type, const std::list<octave_value_list> &index,
                         const octave_value &value);

  bool print_as_scalar () const {
    return m.numel () > MOST_SHOWN || download (m).print_as_scalar ();
  }
  bool print_name_tag (std::ostream &os, const std::string &name) const;
  void print (std::ostream &os, bool is_current = false);
  void print_raw (std::ostream &os, bool is_current = false) const;
  void short_disp (std::ostream &os) const {
    os << kind ();
  }

  // Never saved as something else.
  [[noreturn]] static bool not_saved () {
    say_gather ("a file cannot hold it: save gather (X)");
  }
  bool save_ascii (std::ostream &) {
    not_saved ();
  }
  bool save_binary (std::ostream &, bool) {
    not_saved ();
  }
  bool save_hdf5 (octave_hdf5_id, const char *, bool) {
    not_saved ();
  }
  // Writers of MATLAB files ask this last for unknown types (blocksparse.cc).
  bool is_complex_matrix () const {
    not_saved ();
  }

  mutable array m;

private:
  std::string kind () const {
    return m.size.str () + " gpuArray, " + (iscomplex () ? "complex " : "") + class_of (m.type);
  }
  // How many hold this value, whatever Octave calls it: `count` up to 7, `m_count` later.
  template <typename T> static auto references (const T *x, int) -> decltype (long (x->m_count)) {
    return long (x->m_count);
  }
  template <typename T> static long references (const T *x, long) {
    return long (x->count);
  }
  octave_value folded (gpumm_fold_op op, int dim) const;
  octave_value resized_diag (octave_idx_type rows, octave_idx_type cols) const;

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_gpuarray, "gpuArray", "gpuArray");

static octave_value value_of (const array &x) {
  return octave_value (new octave_gpuarray (x));
}

static const octave_gpuarray *gpuarray_of (const octave_base_value &x) {
  return dynamic_cast<const octave_gpuarray *> (&x);
}

static array array_of (const octave_gpuarray &x) {
  return x.operand ();
}

// An argument as an array; on the device of the others where it comes from the host.
static array argument (const octave_value &x, int device) {
  const octave_gpuarray *g = gpuarray_of (x.get_rep ());
  return g ? ready (g->m) : upload (x, device);
}

static array argument (const octave_value &x) {
  return argument (x, device_for_new ());
}

bool octave_gpuarray::is_true () const {
  ready (m);
  if (m.numel () <= 1 || is_hosted (m))
    return download (m).is_true ();
  ::operand o;
  o.x = m;
  check_nan (o);
  return is_one (fold (GPUMM_FOLD_ALL, as_column (m), 0, GPUMM_B));
}

octave_value octave_gpuarray::reshape (const dim_vector &size) const {
  if (size.numel () != m.numel ())
    error ("reshape: can't reshape %s array to %s array", m.size.str ().c_str (),
           size.str ().c_str ());
  dim_vector shape = size;
  shape.chop_trailing_singletons ();
  return value_of (reshaped (ready (m), shape));
}

static array transposed (array x, bool conjugates) {
  if (is_hosted (ready (x)))
    return hosted (octave::unary_op (
        type_info (), conjugates ? octave_value::op_hermitian : octave_value::op_transpose,
        x.host));
  if (x.size.ndims () > 2)
    error ("transpose not defined for N-D objects");
  x.size = dim_vector (x.size (1), x.size (0));
  x.turned = !x.turned;
  x.conjugated = x.conjugated != (conjugates && is_complex (x.type));
  return x;
}

octave_value octave_gpuarray::permute (const Array<int> &order, bool inverse) const {
  if (is_hosted (ready (m)))
    return value_of (hosted (m.host.permute (order, inverse)));
  const array x = plain (m);
  dim_vector ones = x.size;
  for (int d = 0; d < ones.ndims (); d++)
    ones (d) = 1;
  boolNDArray (ones, false).permute (order, inverse); // Octave's check of the order
  const int dims = int (order.numel ());
  const dim_vector from = x.size.redim (std::max<int> (dims, x.size.ndims ()));
  const distances stride = strides_of (x, from);
  distances moved (dims);
  dim_vector size = dim_vector::alloc (dims);
  for (int d = 0; d < dims; d++) {
    const int to = inverse ? order (d) : d, of = inverse ? d : order (d);
    size (to) = from (of);
    moved[to] = stride[of];
  }
  array y = new_array (x.device, x.type, size);
  gpumm_map m = {};
  m.domain = domain_of (x.type);
  m.inputs = 1;
  m.input[0] = view_of (x);
  m.output = view_of (y);
  lay_out (m, size, {moved, strides_of (y, size)});
  if (y.numel () > 0)
    need (gpumm_map_entries (&m));
  y.size.chop_trailing_singletons ();
  return value_of (y);
}

octave_value octave_gpuarray::resize (const dim_vector &size, bool fill) const {
  if (is_hosted (ready (m)))
    return value_of (hosted (m.host.resize (size, fill)));
  array x = plain (m);
  if (size.numel () == 0)
    return value_of (new_array (x.device, x.type, size));
  dim_vector kept = x.size.redim (size.ndims ());
  std::vector<octave::idx_vector> index;
  for (int d = 0; d < size.ndims (); d++) {
    kept (d) = std::min (kept (d), size (d));
    index.push_back (octave::idx_vector (0, kept (d)));
  }
  if (x.numel () > 0)
    x = part_of (x, index);
  x.size = kept;
  return value_of (enlarged (x, size));
}

octave_value octave_gpuarray::map (unary_mapper_t f) const {
  const array x = operand ();
  if (f == umap_isfinite && is_hosted (x))
    return value_of (hosted (x.host.get_rep ().map (f)));
  if (f == umap_isfinite && !is_wide (x.type)) {
    const gpumm_scalar zero = {0, 0};
    return value_of (applied (x,
                              {step_of (GPUMM_MAP_MUL, GPUMM_MAP_CONSTANT, false, zero),
                               step_of (GPUMM_MAP_EQ, GPUMM_MAP_CONSTANT, false, zero)},
                              domain_of (x.type), GPUMM_B));
  }
  for (const function &known : functions)
    if (known.name == f)
      return value_of (mapped (known, x));
  if (m.numel () != 1)
    say_gather ("%s has no form for arrays on a device: %s (gather (X))", get_umap_name (f),
                get_umap_name (f));
  return whole ().get_rep ().map (f);
}

octave_value octave_gpuarray::folded (gpumm_fold_op op, int dim) const {
  if (m.numel () == 0 || is_wide (m.type) || is_hosted (m)) {
    const octave_value x = download (m);
    return value_of (upload (op == GPUMM_FOLD_ALL ? x.all (dim) : x.any (dim), m.device));
  }
  return value_of (fold (op, operand (), dim < 0 ? first_dimension (m.size) : dim, GPUMM_B));
}

// The diagonal of a matrix, or the matrix with this diagonal.
octave_value octave_gpuarray::diag (octave_idx_type k) const {
  if (is_hosted (ready (m)))
    return value_of (hosted (m.host.diag (k)));
  const array x = ready (m);
  if (x.size.ndims () > 2)
    error ("Matrix must be 2-dimensional");
  const octave_idx_type rows = x.size (0), cols = x.size (1), off = std::abs (k);
  const bool is_vector = rows == 1 || cols == 1;
  const octave_idx_type count = is_vector ? rows * cols
                                : k > 0   ? std::min (rows, cols - off)
                                          : std::min (rows - off, cols);
  const octave_idx_type n = std::max<octave_idx_type> (count, 0);
  gpumm_map map = {};
  map.domain = domain_of (x.type);
  map.inputs = 1;
  array y = is_vector ? zeros (x.device, x.type, dim_vector (n + off, n + off))
                      : new_array (x.device, x.type, dim_vector (n, 1));
  const array &whole = is_vector ? y : x, &line = is_vector ? x : y;
  const distances step = whole.turned ? distances{whole.size (1), 1} : distances{1, whole.size (0)};
  const gpumm_view diagonal = view_of (whole, k > 0 ? k * step[1] : -k * step[0]);
  map.input[0] = is_vector ? view_of (line) : diagonal;
  map.output = is_vector ? diagonal : view_of (line);
  map.output.conjugated = 0;
  const distances along{step[0] + step[1], 0}, one{1, 0};
  lay_out (map, dim_vector (n, 1), {is_vector ? one : along, is_vector ? along : one});
  if (n > 0)
    need (gpumm_map_entries (&map));
  return value_of (y);
}

octave_value octave_gpuarray::resized_diag (octave_idx_type rows, octave_idx_type cols) const {
  if (m.size.ndims () > 2 || (m.size (0) != 1 && m.size (1) != 1))
    error ("cat: invalid dimension argument");
  return diag (0).resize (dim_vector (rows, cols), true);
}

octave_value octave_gpuarray::elements_as (octave_value (octave_value::*type) () const) const {
  const octave_value z = (sample (m.type, false, dim_vector (1, 2)).*type) ();
  gpumm_type to = type_of_class (z.class_name ());
  if (z.iscomplex ())
    to = complex_type (to);
  if (is_hosted (m) || is_wide (to) || is_wide (m.type)) // moved by the host, which has the rules
    return value_of (upload ((download (m).*type) (), m.device));
  return value_of (::converted (ready (m), to));
}

octave_value octave_gpuarray::do_index_op (const octave_value_list &index, bool resize_ok) {
  if (resize_ok)
    say_gather ("resizing by an index: gather (X)");
  if (is_hosted (ready (m)))
    return value_of (hosted (m.host.index_op (index)));
  return value_of (part_of (m, indices_of (index)));
}

octave_value octave_gpuarray::subsref (const std::string &type,
                                       const std::list<octave_value_list> &index) {
  if (type[0] != '(')
    error_with_id ("gpumm:invalid", "gpuArray: there are entries X(I,J), and no fields or cells");
  return do_index_op (index.front ()).next_subsref (type, index);
}

octave_value octave_gpuarray::subsasgn (const std::string &type,
                                        const std::list<octave_value_list> &index,
                                        const octave_value &value) {
  if (type != "(")
    error_with_id ("gpumm:invalid", "gpuArray: there are entries X(I,J), and no fields or cells");
  ready (m);
  if (is_hosted (m)) {
    octave_value x = m.host;
    m.host = octave_value (); // so that x is written in place
    try {
      const octave_gpuarray *g = gpuarray_of (value.get_rep ());
      x.assign (octave_value::op_asn_eq, type, index, g ? download (g->m) : value);
    } catch (...) {
      m.host = x;
      throw;
    }
    m = hosted (x);
    return octave_value (this, true);
  }
  const std::vector<octave::idx_vector> places = indices_of (index.front ());
  if (value.isnull ())
    m = without (m, places);
  else {
    const octave_gpuarray *g = gpuarray_of (value.get_rep ());
    array y = g ? g->operand () : as_array (operand_of (value, m.device));
    ::assign (m, places, ready (y));
  }
  return octave_value (this, true);
}

bool octave_gpuarray::print_name_tag (std::ostream &os, const std::string &name) const {
  if (m.numel () <= MOST_SHOWN)
    return download (m).print_name_tag (os, name);
  indent (os);
  os << name << " = ";
  return false;
}

void octave_gpuarray::print (std::ostream &os, bool is_current) {
  if (m.numel () <= MOST_SHOWN)
    download (m).print (os);
  else {
    print_raw (os, is_current);
    newline (os);
  }
}

void octave_gpuarray::print_raw (std::ostream &os, bool is_current) const {
  if (m.numel () <= MOST_SHOWN)
    download (m).print_raw (os, is_current);
  else
    os << kind ();
}

// ---- concatenation ------------------------------------------------------------------------------

// a, already of the size of the result, with b put at place: Octave inserts the parts in order.
static octave_value joined (const octave_base_value &a, const octave_base_value &b,
                            const Array<octave_idx_type> &place) {
  const octave_gpuarray *g = gpuarray_of (a), *h = gpuarray_of (b);
  const int device = g ? g->m.device : h->m.device;
  array x = argument (shared (a), device), y = argument (shared (b), device);
  if (a.is_string () || b.is_string ())
    say_gather ("text beside numbers: gather (X)");
  if (device == NO_DEVICE)
    return value_of (hosted (octave::cat_op (type_info (), download (x), download (y), place)));
  const gpumm_type type =
      joint_type (x.type, y.type, [] (const octave_value &u, const octave_value &v) {
        return octave::feval ("horzcat", ovl (u, v), 1) (0);
      });
  x = plain (converted (x, type));
  y = plain (converted (y, type));
  array z = new_array (device, type, x.size);
  run (program_of (x), z);
  const int dims = std::max<int> (x.size.ndims (), int (place.numel ()));
  const dim_vector size = y.size.redim (dims);
  std::vector<octave::idx_vector> index;
  for (int d = 0; d < dims; d++) {
    const octave_idx_type at = d < place.numel () ? place (d) : 0;
    index.push_back (octave::idx_vector (at, at + size (d)));
  }
  if (y.numel () > 0)
    pick (true, y, size, z, z.size, index);
  return value_of (z);
}

// ---- operators ----------------------------------------------------------------------------------

static array computed (octave_value::binary_op op, const octave_base_value &a,
                       const octave_base_value &b) {
  auto both = operands_of (a, b);
  operand &x = both.first, &y = both.second;
  const bool x_scales = x.x.is_scalar (), y_scales = y.x.is_scalar ();
  switch (op) {
  case octave_value::op_mul:
    if (!x_scales && !y_scales)
      return multiplied (x.x, y.x);
    op = octave_value::op_el_mul;
    break;
  case octave_value::op_div:
    if (!y_scales)
      say_gather ("division by a matrix: gather the matrices");
    op = octave_value::op_el_div;
    break;
  case octave_value::op_ldiv:
    if (!x_scales)
      say_gather ("division by a matrix: gather the matrices");
    std::swap (x, y);
    op = octave_value::op_el_div;
    break;
  case octave_value::op_el_ldiv:
    std::swap (x, y);
    op = octave_value::op_el_div;
    break;
  case octave_value::op_pow:
    if (!x_scales || !y_scales)
      say_gather ("powers of a matrix: gather (X), or write X * X");
    op = octave_value::op_el_pow;
    break;
  default:;
  }
  return entrywise (operation_of (op), x, y);
}

template <octave_value::binary_op op>
static octave_value binary (const octave_base_value &a, const octave_base_value &b) {
  return value_of (computed (op, a, b));
}

// a OP= b, in a's buffer where nobody else holds it.
template <octave_value::binary_op op>
static octave_value compound (octave_base_value &a, const octave_value_list &,
                              const octave_base_value &b) {
  array &x = dynamic_cast<octave_gpuarray &> (a).m;
  ready (x);
  array y = computed (op, a, b);
  long uses = 1; // of the buffer: x, and y's program
  if (y.pending)
    for (const array &input : y.pending->inputs)
      uses += input.buffer == x.buffer && !input.turned && input.size == x.size;
  if (y.pending && y.type == x.type && y.size == x.size && !x.turned && !x.conjugated
      && x.buffer.use_count () == uses)
    run (*y.pending, x);
  else
    x = ready (y);
  return octave_value ();
}

static octave_value negated (const octave_base_value &a) {
  array x = gpuarray_of (a)->operand ();
  if (is_wide (x.type))
    say_gather ("int64 and uint64 arrays have no arithmetic on the device: gather (X)");
  if (is_hosted (x))
    return value_of (
        hosted (octave::unary_op (type_info (), octave_value::op_uminus, download (x))));
  const gpumm_type type = x.type == GPUMM_B ? GPUMM_D : x.type;
  return value_of (applied (x, {step_of (GPUMM_MAP_NEG)}, domain_of (type), type));
}

static octave_value inverted (const octave_base_value &a) {
  operand o;
  o.x = gpuarray_of (a)->operand ();
  if (is_wide (o.x.type))
    say_gather ("int64 and uint64 arrays have no arithmetic on the device: gather (X)");
  if (is_hosted (o.x))
    return value_of (
        hosted (octave::unary_op (type_info (), octave_value::op_not, download (o.x))));
  check_nan (o);
  return value_of (applied (o.x, {step_of (GPUMM_MAP_NOT)}, domain_of (o.x.type), GPUMM_B));
}

static void install (octave::type_info &types) {
  if (types.lookup_type ("gpuArray").is_defined ()) // its values would meet different code
    error_with_id ("gpumm:internal",
                   "gpuArray: this Octave has loaded gpumm from another place before; start "
                   "Octave anew");
  octave_gpuarray::register_type (types);
  const int id = octave_gpuarray::static_type_id ();
  const int count = types.installed_type_names ().numel ();
#define OPERATOR(op)                                                                               \
  install_with_all (types, octave_value::op_##op, id, binary<octave_value::op_##op>);
  OPERATOR (mul)
  OPERATOR (div)
  OPERATOR (ldiv)
  OPERATOR (pow)
  OPERATOR (add)
  OPERATOR (sub)
  OPERATOR (el_mul)
  OPERATOR (el_div)
  OPERATOR (el_ldiv)
  OPERATOR (el_pow)
  OPERATOR (lt)
  OPERATOR (le)
  OPERATOR (eq)
  OPERATOR (ne)
  OPERATOR (ge)
  OPERATOR (gt)
  OPERATOR (el_and)
  OPERATOR (el_or)
#undef OPERATOR
  for (int other = 0; other < count; other++) {
#define COMPOUND(op)                                                                               \
  types.install_assign_op (octave_value::op_##op##_eq, id, other, compound<octave_value::op_##op>);
    COMPOUND (add)
    COMPOUND (sub)
    COMPOUND (mul)
    COMPOUND (div)
    COMPOUND (el_mul)
    COMPOUND (el_div)
    COMPOUND (el_and)
    COMPOUND (el_or)
#undef COMPOUND
    types.install_cat_op (id, other, joined);
    if (other != id)
      types.install_cat_op (other, id, joined);
  }
  types.install_unary_op (octave_value::op_not, id, inverted);
  types.install_unary_op (octave_value::op_uplus, id, shared);
  types.install_unary_op (octave_value::op_uminus, id, negated);
  types.install_unary_op (octave_value::op_transpose, id, [] (const octave_base_value &x) {
    return value_of (transposed (gpuarray_of (x)->operand (), false));
  });
  types.install_unary_op (octave_value::op_hermitian, id, [] (const octave_base_value &x) {
    return value_of (transposed (gpuarray_of (x)->operand (), true));
  });
}

// ---- what methods ask for -----------------------------------------------------------------------

static gpumm_fold_op fold_of (const octave_value &name) {
  const std::string text = name.string_value ();
  for (int op = 0; op < GPUMM_FOLD_OPS; op++)
    if (text == fold_names[op])
      return gpumm_fold_op (op);
  error_with_id ("gpumm:internal", "__gpuarray__: there is no operation %s", text.c_str ());
}

// The type of a sum of entries, as Octave has it.
static gpumm_type type_of_sum (gpumm_type type) {
  return type == GPUMM_B ? GPUMM_D : type;
}

static void check_narrow (const array &x) {
  if (is_wide (x.type))
    say_gather ("int64 and uint64 arrays have no arithmetic on the device: gather (X)");
}

// ("fold", OP, X, DIM): [Y, PLACES]
static octave_value_list word_fold (const octave_value_list &args, int nargout) {
  const gpumm_fold_op op = fold_of (args (1));
  const array x = argument (args (2));
  const bool extreme = op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN;
  check_narrow (x);
  const gpumm_type type = op >= GPUMM_FOLD_ANY ? GPUMM_B : type_of_sum (x.type);
  array index;
  const array y =
      fold (op, x, args (3).int_value () - 1, type, extreme && nargout > 1 ? &index : nullptr);
  return nargout > 1 && extreme ? ovl (value_of (y), value_of (index)) : ovl (value_of (y));
}

// ("scan", OP, X, DIM)
static octave_value_list word_scan (const octave_value_list &args, int) {
  const array x = plain (argument (args (2)));
  const int dim = args (3).int_value () - 1;
  check_narrow (x);
  if (is_hosted (x))
    return ovl (value_of (hosted (by_octave (
        fold_of (args (1)) == GPUMM_FOLD_SUM ? "cumsum" : "cumprod", ovl (x.host, dim + 1)))));
  gpumm_scan s = {};
  s.op = fold_of (args (1));
  s.inner = s.count = s.outer = 1;
  for (int d = 0; d < x.size.ndims (); d++)
    (d < dim ? s.inner : d > dim ? s.outer : s.count) *= x.size (d);
  const array y = new_array (x.device, type_of_sum (x.type), x.size);
  s.input = view_of (x);
  s.output = view_of (y);
  if (x.numel () > 0)
    need (gpumm_scan_entries (&s));
  return ovl (value_of (y));
}

// ("two", "max" or "min", X, Y)
static octave_value_list word_two (const octave_value_list &args, int) {
  const bool is_max = args (1).string_value () == "max";
  auto both = operands_of (args (2).get_rep (), args (3).get_rep ());
  operand &a = both.first, &b = both.second;
  check_narrow (a.x);
  check_narrow (b.x);
  if (is_hosted (a.x))
    return ovl (value_of (hosted (by_octave (
        is_max ? "max" : "min", ovl (download (as_array (a)), download (as_array (b)))))));
  const dim_vector size = common_size (is_max ? "max" : "min", a.x.size, b.x.size);
  const octave_value rules =
      octave::feval (args (1).string_value (),
                     ovl (sample (a.x.type, a.x.is_scalar (), dim_vector (1, 2)),
                          sample (b.x.type, b.x.is_scalar (), dim_vector (1, 2))),
                     1) (0);
  gpumm_type type = type_of_class (rules.class_name ());
  if (is_complex (a.x.type) || is_complex (b.x.type))
    type = complex_type (type);
  const program p = fused (is_max ? GPUMM_MAP_MAX : GPUMM_MAP_MIN, a, b, domain_of (type));
  return ovl (value_of (pending_array (p, type, size, a.x.device)));
}

// ("fill", VALUE, DIMS)
static octave_value_list word_fill (const octave_value_list &args, int) {
  const Array<octave_idx_type> dims = args (2).octave_idx_type_vector_value ();
  dim_vector size = dim_vector::alloc (int (dims.numel ()));
  for (int d = 0; d < size.ndims (); d++)
    size (d) = std::max<octave_idx_type> (dims (d), 0);
  size.chop_trailing_singletons ();
  const operand o = operand_of (args (1), device_for_new ());
  if (is_wide (o.x.type) || is_hosted (o.x)) {
    const octave_value x = by_octave ("repmat", ovl (args (1), args (2)));
    return ovl (value_of (upload (x, device_for_new ())));
  }
  array x = as_array (o);
  x.size = size;
  return ovl (value_of (x));
}

static octave_value_list word_gather (const octave_value_list &args, int) {
  const octave_gpuarray *x = gpuarray_of (args (1).get_rep ());
  return ovl (x ? download (ready (x->m)) : args (1));
}

static octave_value_list word_type (const octave_value_list &args, int) {
  const octave_gpuarray *x = gpuarray_of (args (1).get_rep ());
  return ovl (x ? class_of (x->m.type) : args (1).class_name ());
}

static octave_value_list word_device (const octave_value_list &args, int) {
  return ovl (double (argument (args (1)).device));
}

// ("pages", X, OP, Y, OP): pagemtimes; pages that are scalars are pagemtimes.m's.
static octave_value_list word_pages (const octave_value_list &args, int) {
  auto both = operands_of (args (1).get_rep (), args (3).get_rep ());
  const array x = as_array (both.first), y = as_array (both.second);
  const gpumm_op op_x = gpumm_op (args (2).int_value ()), op_y = gpumm_op (args (4).int_value ());
  if ((!is_float (x.type) && x.type != GPUMM_B) || (!is_float (y.type) && y.type != GPUMM_B))
    say_gather ("pagemtimes multiplies integers from host memory: gather (X)");
  gpumm_type type = is_single (x.type) || is_single (y.type) ? GPUMM_S : GPUMM_D;
  if (is_complex (x.type) || is_complex (y.type))
    type = complex_type (type);
  const array a = plain (converted (x, type)), b = plain (converted (y, type));

  const int dims = std::max (a.size.ndims (), b.size.ndims ());
  const dim_vector m = a.size.redim (dims), n = b.size.redim (dims);
  dim_vector size = m;
  distances sizes, steps_a, steps_b;
  size (0) = m (op_x != GPUMM_NONE);
  size (1) = n (op_y == GPUMM_NONE);
  int64_t pages_a = 1, pages_b = 1;
  for (int d = 2; d < dims; d++) { // pagemtimes.m has compared the sizes
    size (d) = m (d) == 1 ? n (d) : m (d);
    sizes.push_back (size (d));
    steps_a.push_back (m (d) == 1 ? 0 : pages_a);
    steps_b.push_back (n (d) == 1 ? 0 : pages_b);
    pages_a *= m (d);
    pages_b *= n (d);
  }
  array page_a = a, page_b = b;
  page_a.size = dim_vector (m (0), m (1));
  page_b.size = dim_vector (n (0), n (1));
  array c = new_array (a.device, type, size);
  gpumm_pages p = {};
  p.a = matrix_of (page_a, op_x);
  p.b = matrix_of (page_b, op_y);
  p.dims = dims - 2;
  p.sizes = sizes.data ();
  p.steps_a = steps_a.data ();
  p.steps_b = steps_b.data ();
  array all = c;
  all.size = dim_vector (size (0), size (0) > 0 ? c.numel () / size (0) : 0);
  gpumm_matrix result = matrix_of (all, GPUMM_NONE);
  if (c.device == HOST_DEVICE)
    need (gpumm_wait (GPUMM_HOST));
  if (c.numel () > 0)
    need (gpumm_pages_run (&p, nullptr, &result));
  c.size.chop_trailing_singletons ();
  return ovl (value_of (c));
}

// ---- gpumm, with its options

static bool is_plain_factor (const octave_value &x, gpumm_type type) {
  const Complex z = x.complex_value ();
  return x.is_double_type () && std::isfinite (z.real ()) && std::isfinite (z.imag ())
         && (x.isreal () || is_complex (type));
}

static gpumm_scalar scalar_of (const octave_value &x) {
  const Complex z = x.complex_value ();
  return {z.real (), z.imag ()};
}

static octave_value sum_or_product (octave_value::binary_op op, const octave_value &a,
                                    const octave_value &b) {
  return octave::binary_op (type_info (), op, a, b);
}

// ("gpumm", A, B, OPTIONS): [C, INFO], with the struct of private/parse_options.m.
static octave_value_list word_gpumm (const octave_value_list &args, int nargout) {
  const octave_scalar_map s = args (3).scalar_map_value ();
  const auto number = [&s] (const char *name) { return s.contents (name).double_value (); };
  const std::string algorithm = s.contents ("algorithm").string_value ();
  const std::string output = s.contents ("output").string_value ();
  auto both = operands_of (args (1).get_rep (), args (2).get_rep ());
  array a = as_array (both.first), b = as_array (both.second);
  if (number ("transpose_a") != 0)
    a = transposed (a, number ("transpose_a") == 2);
  if (number ("transpose_b") != 0)
    b = transposed (b, number ("transpose_b") == 2);
  if ((!is_float (a.type) && a.type != GPUMM_B) || (!is_float (b.type) && b.type != GPUMM_B))
    say_gather ("gpumm multiplies integers from host memory: gather (X)");
  if (s.contents ("form").string_value () != "")
    error_with_id ("gpumm:bad-value", "gpumm: Output is for products with a blocksparse");

  // as multiply_any.m has it: with OutputClass the widest of it and the operands' classes
  const bool both_single = is_single (a.type) && is_single (b.type);
  const bool any_single = is_single (a.type) || is_single (b.type);
  gpumm_type type =
      (output.empty () ? any_single : both_single && output == "single") ? GPUMM_S : GPUMM_D;
  if (is_complex (a.type) || is_complex (b.type))
    type = complex_type (type);
  if (!output.empty () && output != "double" && output != "single")
    error_with_id ("gpumm:bad-value",
                   "gpumm: OutputClass of a product on a device must be \"double\" or \"single\"");

  const octave_value alpha = s.contents ("alpha"), beta = s.contents ("beta");
  const octave_value c0 = s.contents ("c");
  const bool adds = beta.complex_value () != 0.0;
  const bool scales = a.is_scalar () || b.is_scalar ();
  const dim_vector size =
      scales ? (a.is_scalar () ? b.size : a.size) : dim_vector (a.size (0), b.size (1));
  if (!scales)
    check_inner (a, b);
  if (adds && c0.dims () != size)
    octave::err_nonconformant ("operator +", size, c0.dims ());
  gpumm_report report = {};
  array c;
  bool all_done = false;
  if (scales) {
    operand x, y;
    x.x = a;
    y.x = b;
    c = entrywise (operation_of (octave_value::op_el_mul), x, y);
    report.backend = c.device < 0 ? GPUMM_CPU : GPUMM_GPU;
    report.device = engine_device (c.device);
    gpumm_device_properties properties;
    if (c.device >= 0)
      need (gpumm_device (c.device, &properties));
    snprintf (report.device_name, sizeof report.device_name, "%s",
              c.device < 0 ? "CPU" : properties.name);
    snprintf (report.algorithm, sizeof report.algorithm, "scale");
    snprintf (report.reason, sizeof report.reason,
              "a scalar times an array is computed entry by entry");
    report.flops = double (size.numel ());
  } else {
    product_options o;
    o.engine.backend = gpumm_backend (int (number ("backend")));
    o.engine.algorithm = algorithm.c_str ();
    o.engine.device = int (number ("device"));
    o.engine.max_device_memory = int64_t (number ("max_device_memory"));
    o.engine.max_capability = int (number ("max_capability"));
    if (nargout > 1)
      o.report = &report;
    all_done = is_plain_factor (alpha, type) && is_plain_factor (beta, type);
    if (all_done && adds) {
      o.c0 = argument (c0, a.device);
      const gpumm_type joint = o.c0.type == GPUMM_B ? GPUMM_D : o.c0.type;
      all_done = joint == type || complex_type (joint) == type;
      if (all_done)
        o.c0 = plain (converted (o.c0, type));
    }
    if (all_done) {
      o.alpha = scalar_of (alpha);
      o.beta = scalar_of (beta);
    }
    c = multiplied (a, b, type, o);
  }
  octave_value value = value_of (c);
  if (!all_done) { // by Octave's operators, which have the rules for such factors
    if (alpha.complex_value () == 0.0)
      value = value_of (zeros (c.device, c.type, c.size));
    if (alpha.complex_value () != 1.0 || !alpha.is_double_type ())
      value = sum_or_product (octave_value::op_mul, alpha, value);
    if (adds)
      value = sum_or_product (octave_value::op_add, value,
                              sum_or_product (octave_value::op_mul, beta, c0));
  }
  if (!output.empty ()) {
    const array x = ready (gpuarray_of (value.get_rep ())->m);
    const gpumm_type to = output == "single" ? GPUMM_S : GPUMM_D;
    value = value_of (converted (x, is_complex (x.type) ? complex_type (to) : to));
  }
  return nargout > 1 ? ovl (value, info_of (report)) : ovl (value);
}

// A forked child cannot use arrays of its parent.
static octave_value_list word_valid (const octave_value_list &args, int) {
  const octave_gpuarray *x = gpuarray_of (args (1).get_rep ());
  if (!x || x->m.pending || !x->m.buffer) // nothing can be lost
    return ovl (x != nullptr);
  gpumm_matrix none = {}, host;
  none.type = GPUMM_U8;
  host = none;
  host.rows = host.cols = none.rows = none.cols = host.ld = none.ld = 1;
  unsigned char byte;
  host.values = &byte;
  none.values = x->m.values ();
  none.buffer = x->m.buffer.get ();
  return ovl (gpumm_copy (&none, &host) == GPUMM_OK);
}

static octave_value_list word_select (const octave_value_list &args, int) {
  const int before = device_for_new ();
  if (args.length () > 1) {
    const int device = args (1).int_value ();
    gpumm_device_properties properties;
    need (gpumm_device (device, &properties));
    selected_device = device;
  }
  return ovl (double (engine_device (before)));
}

// Bytes of the selected device that arrays and products hold, and that are kept for later.
static octave_value_list word_memory (const octave_value_list &, int) {
  int64_t used = 0, kept = 0;
  if (device_for_new () != NO_DEVICE)
    need (gpumm_memory (engine_device (device_for_new ()), &used, &kept));
  octave_scalar_map s;
  s.assign ("used", double (used));
  s.assign ("cached", double (kept));
  return ovl (s);
}

static octave_value_list word_wait (const octave_value_list &, int) {
  if (device_for_new () != NO_DEVICE)
    need (gpumm_wait (engine_device (device_for_new ())));
  return ovl ();
}

static const struct {
  const char *word;
  int arguments;
  octave_value_list (*run) (const octave_value_list &args, int nargout);
} words[] = {{"gather", 2, word_gather}, {"type", 2, word_type},    {"device", 2, word_device},
             {"valid", 2, word_valid},   {"fold", 4, word_fold},    {"scan", 4, word_scan},
             {"two", 4, word_two},       {"fill", 3, word_fill},    {"select", 1, word_select},
             {"select", 2, word_select}, {"wait", 1, word_wait},    {"gpumm", 4, word_gpumm},
             {"pages", 5, word_pages},   {"memory", 1, word_memory}};

DEFMETHOD_DLD (__gpuarray__, interp, args, nargout, "For internal use: arrays on a device.") {
  static bool installed = false;
  if (!installed) {
    interp.mlock (); // `clear all` must not unload the code of live values
    install (interp.get_type_info ());
    installed = true;
  }
  if (args.length () == 1 && !args (0).is_string ())
    return gpuarray_of (args (0).get_rep ()) ? ovl (args (0))
                                             : ovl (value_of (argument (args (0))));
  if (args.length () > 0 && args (0).is_string ())
    for (const auto &word : words)
      if (args (0).string_value () == word.word && args.length () == word.arguments)
        return word.run (args, nargout);
  error_with_id ("gpumm:internal", "__gpuarray__: for use by gpuArray only");
}

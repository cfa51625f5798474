// device_array.cc - see device_array.h.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device_array.h"
#include "allocate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <tuple>

#include <octave/lo-array-errwarn.h>
#include <octave/ov-complex.h>
#include <octave/ov-flt-complex.h>
#include <octave/parse.h>
#include <octave/quit.h>

namespace gpumm {

// ---- errors -------------------------------------------------------------------------------------

void need (gpumm_status status) {
  if (status == GPUMM_CANCELLED)
    octave_quit (); // throws the interrupt that cancelled it
  if (status != GPUMM_OK)
    error_with_id ((std::string ("gpumm:") + gpumm_status_name (status)).c_str (), "gpuArray: %s",
                   gpumm_last_error ());
}

void warn_in_solver () {
  static const std::set<std::string> solvers = {"bicg", "bicgstab", "cgs", "gmres", "pcg", "tfqmr"};
  const octave_value_list frames = octave::feval ("dbstack", octave_value_list (), 1);
  const Cell names = frames (0).map_value ().contents ("name");
  for (octave_idx_type i = 0; i < names.numel (); i++) {
    const std::string name = names (i).string_value ();
    if (name == "preconditioned") // tries the preconditioner before the solver, outside of a try
      return;
    if (solvers.count (name) > 0) {
      warning_with_id ("gpumm:gpuArray:solver",
                       "%s: an operation in one of its functions is not available on a device. In "
                       "a preconditioner Octave takes this for a singular matrix. Use gather (X)",
                       name.c_str ());
      return;
    }
  }
}

// ---- types --------------------------------------------------------------------------------------

gpumm_type domain_of (gpumm_type type) {
  return is_float (type) ? type : GPUMM_D;
}

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

gpumm_type type_of_fold (gpumm_fold_op op, gpumm_type type) {
  if (op >= GPUMM_FOLD_ANY)
    return GPUMM_B;
  const gpumm_type sum = type == GPUMM_B ? GPUMM_D : type;
  return op == GPUMM_FOLD_NORM || op == GPUMM_FOLD_SUMSQ ? real_type (sum) : sum;
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

// ---- arrays -------------------------------------------------------------------------------------

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

int engine_device (int device) {
  return device <= HOST_DEVICE ? GPUMM_HOST + (device - HOST_DEVICE) : device;
}

array new_array (int device, gpumm_type type, const dim_vector &size) {
  array x;
  x.type = type;
  x.size = size;
  x.size.chop_trailing_singletons ();
  x.device = device;
  gpumm_buffer *buffer = nullptr;
  const double wanted = double (size.safe_numel ()) * double (gpumm_type_bytes (type));
  if (wanted >= 0x1p62)
    throw std::bad_alloc ();
  const std::size_t bytes = std::size_t (wanted);
  need (gpumm_buffer_new (engine_device (device), std::max<std::size_t> (bytes, 1), &buffer));
  x.buffer = std::shared_ptr<gpumm_buffer> (buffer, gpumm_buffer_release);
  return x;
}

// All entries of x, which has no gaps, for a copy.
static gpumm_matrix column_of (const array &x) {
  gpumm_matrix m = {};
  m.type = x.type;
  m.rows = m.ld = x.numel ();
  m.cols = 1;
  m.values = x.values ();
  m.buffer = x.buffer.get ();
  return m;
}

static gpumm_matrix in_host_memory (gpumm_matrix m, const void *values) {
  m.values = const_cast<void *> (values);
  m.buffer = nullptr;
  return m;
}

void from_host (const void *values, const array &x) {
  const gpumm_matrix to = column_of (x), from = in_host_memory (to, values);
  if (x.numel () > 0)
    need (gpumm_copy (&from, &to));
}

void to_host (array x, void *values) {
  x = plain (x);
  const gpumm_matrix from = column_of (x), to = in_host_memory (from, values);
  if (x.numel () > 0)
    need (gpumm_copy (&from, &to));
}

// ---- laying out ---------------------------------------------------------------------------------

distances strides_of (const array &x, const dim_vector &size) {
  distances stride (std::max (size.ndims (), x.size.ndims ()), 0);
  int64_t step = 1;
  for (int d = 0; d < x.size.ndims (); d++) {
    if (x.size (d) > 1)
      stride[d] = !x.turned ? step : d == 0 ? x.size (1) : 1;
    step *= x.size (d);
  }
  return stride;
}

gpumm_view view_of (const array &x, int64_t offset) {
  gpumm_view view = {};
  view.type = x.type;
  view.buffer = x.buffer.get ();
  view.values = static_cast<char *> (x.values ()) + offset * int64_t (gpumm_type_bytes (x.type));
  view.conjugated = x.conjugated;
  return view;
}

void lay_out (gpumm_map &m, const dim_vector &size, const std::vector<distances> &strides) {
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
      say_gather (
          "an operation on %s needs more than the %d dimensions of a device. Use gather (X)",
          size.str ().c_str (), int (GPUMM_MAP_DIMS));
    m.size[last] = joins ? m.size[last] * size (d) : size (d);
    for (std::size_t v = 0; v < strides.size () && !joins; v++)
      view (v).stride[last] = strides[v][d];
  }
}

// The program as a map to an array of this size. The output may have no buffer yet.
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

void run (const program &p, const array &output) {
  if (output.numel () == 0)
    return;
  const gpumm_map m = map_of (p, output);
  need (gpumm_map_entries (&m));
}

// ---- programs -----------------------------------------------------------------------------------

// The value of a variable before its entries are assigned.
static array empty_array () {
  return upload (octave_value (NDArray (dim_vector (0, 0))), device_for_new ());
}

const array &ready (array &x) {
  if (x.pending) {
    array y = new_array (x.device, x.type, x.size);
    run (*x.pending, y);
    x = y;
  } else if (!x.buffer)
    x = empty_array ();
  return x;
}

program program_of (const array &x) {
  if (x.pending)
    return *x.pending;
  program p;
  p.domain = domain_of (x.type);
  p.inputs.push_back (x);
  return p;
}

// The entries as stored, turned or not.
array moved (array x, int device) {
  ready (x);
  if (x.device == device)
    return x;
  array y = new_array (device, x.type, x.size);
  const gpumm_matrix from = column_of (x), to = column_of (y);
  if (x.numel () > 0)
    need (gpumm_copy (&from, &to));
  y.turned = x.turned;
  y.conjugated = x.conjugated;
  return y;
}

gpumm_map_step step_of (gpumm_map_op op, int source, bool swapped, gpumm_scalar constant) {
  gpumm_map_step step = {};
  step.op = op;
  step.source = source;
  step.swapped = swapped;
  step.constant = constant;
  return step;
}

array pending_array (const program &p, gpumm_type type, const dim_vector &size, int device) {
  array x;
  x.type = type;
  x.size = size;
  x.device = device;
  x.pending = std::make_shared<program> (p);
  return x;
}

// The same entries in a buffer of their own, plain.
static array copied (const array &x) {
  array y = new_array (x.device, x.type, x.size);
  run (program_of (x), y);
  return y;
}

array plain (array x) {
  ready (x);
  if (!x.turned && !x.conjugated)
    return x;
  return copied (x);
}

octave_value as_class (const octave_value &x, gpumm_type type) {
  return x.class_name () == class_of (type) ? x : by_octave (class_of (type), ovl (x));
}

array converted (array x, gpumm_type type) {
  ready (x);
  if (x.type == type)
    return x;
  if (is_wide (x.type) || is_wide (type)) { // Octave converts, to real numbers
    const array y = upload (as_class (download (x), type), x.device);
    return y.type == type ? y : converted (y, type);
  }
  program p = program_of (x);
  if (is_complex (type) || (is_float (type) && !is_complex (x.type)))
    p.domain = type;
  return pending_array (p, type, x.size, x.device);
}

// input_of returns this instead of a source if the program has no room for another input.
enum { NO_ROOM = -3 };

// The source of y in p's steps.
static int input_of (program &p, const array &y) {
  for (std::size_t i = 0; i < p.inputs.size (); i++) {
    const array &x = p.inputs[i];
    if (x.is_with (y) && x.size == y.size && x.turned == y.turned && x.conjugated == y.conjugated)
      return int (i);
  }
  if (p.inputs.size () == GPUMM_MAP_INPUTS)
    return NO_ROOM;
  p.inputs.push_back (y);
  return int (p.inputs.size ()) - 1;
}

// Does x have a program that can continue in this domain? Not if its result is rounded to another
// type.
static bool fits (const array &x, gpumm_type domain) {
  return x.pending && x.pending->domain == domain && (x.type == domain || x.type == GPUMM_B);
}

// ---- operands -----------------------------------------------------------------------------------

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
  const array y = new_array (device, type_of_value (x), x.dims ());
  from_host (x.mex_get_data (), y);
  return y;
}

bool is_usable (const array &x) {
  unsigned char byte;
  array first = x;
  first.type = GPUMM_U8;
  first.size = dim_vector (1, 1);
  const gpumm_matrix from = column_of (first), to = in_host_memory (from, &byte);
  return gpumm_copy (&from, &to) == GPUMM_OK;
}

octave_value download (array x, bool stays_complex) {
  ready (x);
  const octave_value y = allocated (column_of (x)).reshape (x.size);
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
  operand o;
  o.is_number = true;
  o.value = number;
  o.number = scalar_of (number);
  o.x.type = type_of_class (number.class_name ());
  if (number.iscomplex ())
    o.x.type = complex_type (o.x.type);
  o.x.size = dim_vector (1, 1);
  o.x.device = device;
  return o;
}

array as_array (const operand &o) {
  if (!o.is_number)
    return o.x;
  if (is_wide (o.x.type))
    return upload (o.value, o.x.device);
  program p;
  p.domain = domain_of (o.x.type);
  p.steps.push_back (step_of (GPUMM_MAP_LOAD, GPUMM_MAP_CONSTANT, false, o.number));
  return pending_array (p, o.x.type, o.x.size, o.x.device);
}

// ---- Octave's rules -----------------------------------------------------------------------------

octave::type_info &type_info () {
  return octave::interpreter::the_interpreter ()->get_type_info ();
}

octave_value by_octave (const char *function, const octave_value_list &arguments) {
  return octave::feval (function, arguments, 1) (0);
}

// The real type of x OP y, or Octave's error.
static gpumm_type result_type (octave_value::binary_op op, const form &x, const form &y) {
  const auto key = std::make_tuple (op, x.type, y.type, x.is_scalar (), y.is_scalar ());
  return asked_once (key, [&] {
    const dim_vector size = op == octave_value::op_mul ? dim_vector (2, 2) : dim_vector (1, 2);
    return octave::binary_op (type_info (), op, sample (x.type, x.is_scalar (), size),
                              sample (y.type, y.is_scalar (), size));
  });
}

dim_vector common_size (const char *name, const dim_vector &a, const dim_vector &b) {
  dim_vector size = dim_vector::alloc (std::max (a.ndims (), b.ndims ()));
  for (int d = 0; d < size.ndims (); d++) {
    const octave_idx_type m = d < a.ndims () ? a (d) : 1, n = d < b.ndims () ? b (d) : 1;
    if (m != n && m != 1 && n != 1)
      octave::err_nonconformant (name, a, b);
    size (d) = m == 1 ? n : m;
  }
  return size;
}

gpumm_type joined_type (gpumm_type x, gpumm_type y) {
  const gpumm_type type = asked_once (std::make_pair (x, y), [&] {
    const dim_vector size (1, 2);
    return by_octave ("horzcat", ovl (sample (x, false, size), sample (y, false, size)));
  });
  return is_complex (x) || is_complex (y) ? complex_type (type) : type;
}

// ---- folds --------------------------------------------------------------------------------------

const char *const fold_names[GPUMM_FOLD_OPS] = {"sum",   "prod", "mean", "max", "min",
                                                "sumsq", "norm", "max",  "any", "all"};

// Reduces x, taken as inner x count x outer, to an array of this size.
static array fold_lanes (gpumm_fold_op op, array x, const int64_t lanes[3], const dim_vector &size,
                         gpumm_type type, array *index) {
  if (!x.pending || !fits (x, x.pending->domain))
    ready (x);
  gpumm_fold f = {};
  f.op = op;
  f.inner = lanes[0];
  f.count = lanes[1];
  f.outer = lanes[2];
  const array y = new_array (x.device, type, size);
  array all = x; // only gives the map its size: the map's output is not used
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

array fold (gpumm_fold_op op, array x, int dim, gpumm_type type, array *index) {
  int64_t lanes[] = {1, 1, 1};
  dim_vector size = x.size;
  for (int d = 0; d < size.ndims (); d++)
    lanes[d < dim ? 0 : d == dim ? 1 : 2] *= size (d);
  if (dim < size.ndims ())
    size (dim) = 1;
  return fold_lanes (op, x, lanes, size, type, index);
}

bool holds (gpumm_fold_op op, const array &x) {
  const int64_t lanes[] = {1, x.numel (), 1};
  const array y = fold_lanes (op, x, lanes, dim_vector (1, 1), GPUMM_B, nullptr);
  uint8_t answer = 0;
  const gpumm_read read = {view_of (y), 1, &answer};
  need (gpumm_read_back (&read, 1));
  return answer != 0;
}

array reshaped (array x, const dim_vector &size) {
  x = plain (x);
  x.size = size;
  return x;
}

// Is any value of the program nonzero? Waits.
static bool anywhere (const program &p, const array &like) {
  return like.numel () > 0
         && holds (GPUMM_FOLD_ANY, pending_array (p, GPUMM_B, like.size, like.device));
}

void check_nan (const operand &o) {
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

// ---- elementwise operators ----------------------------------------------------------------------

// Appends op with operand y to p; false if there is no room.
static bool append (program &p, gpumm_map_op op, const operand &y, bool swapped) {
  const int source = y.is_number ? int (GPUMM_MAP_CONSTANT) : input_of (p, y.x);
  if (source == NO_ROOM || p.steps.size () == GPUMM_MAP_STEPS)
    return false;
  p.steps.push_back (step_of (op, source, swapped, y.number));
  return true;
}

// Appends: save what p computes, compute q, and combine both; false if there is no room.
static bool append (program &p, gpumm_map_op op, const program &q) {
  if (q.depth > 1 || p.steps.size () + q.steps.size () + 2 > GPUMM_MAP_STEPS || q.inputs.empty ())
    return false;
  program r = p;
  std::vector<int> sources;
  for (const array &x : q.inputs) {
    sources.push_back (input_of (r, x));
    if (sources.back () == NO_ROOM)
      return false;
  }
  r.steps.push_back (step_of (GPUMM_MAP_PUSH, sources[0]));
  for (gpumm_map_step step : q.steps) {
    const bool has_operand = step.op <= GPUMM_MAP_PUSH || step.op >= GPUMM_MAP_ADD;
    if (has_operand && step.source >= 0)
      step.source = sources[step.source];
    r.steps.push_back (step);
  }
  r.steps.push_back (step_of (op, GPUMM_MAP_POP, true));
  r.depth = std::max (p.depth, q.depth + 1);
  p = r;
  return true;
}

program fused (gpumm_map_op op, operand a, operand b, gpumm_type domain) {
  for (operand *o : {&a, &b})
    if (!o->is_number && !fits (o->x, domain))
      ready (o->x);
  for (;; ready (a.is_number || !a.x.pending ? b.x : a.x)) {
    const bool are_arrays = !a.is_number && !b.is_number;
    const bool both_pend = are_arrays && a.x.pending && b.x.pending;
    const bool onto_b = a.is_number || (are_arrays && b.x.pending && !a.x.pending);
    program p = program_of (onto_b ? as_array (b) : a.x);
    p.domain = domain;
    if (both_pend ? append (p, op, *b.x.pending) : append (p, op, onto_b ? a : b, onto_b))
      return p;
  }
}

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

const operation &operation_of (octave_value::binary_op op) {
  return *std::find_if (std::begin (operations), std::end (operations),
                        [op] (const operation &o) { return o.op == op; });
}

// Octave treats larger powers as fractions.
static const double MOST_WHOLE = 2147483647;

static bool is_whole (double x) {
  return x == std::round (x) && std::fabs (x) <= MOST_WHOLE;
}

// Is x .^ y complex, because a negative number has a fractional power? Waits if it must look.
static bool leaves_reals (const operand &x, const operand &y) {
  if ((x.is_number && x.number.re >= 0) || (y.is_number && is_whole (y.number.re)))
    return false;
  if (!is_float (x.x.type) || !is_float (y.x.type)) // integer results stay integers
    return false;
  operand zero;
  zero.is_number = true;
  const gpumm_type domain = is_single (x.x.type) && is_single (y.x.type) ? GPUMM_S : GPUMM_D;
  array a = as_array (x), b = as_array (y);
  program negative = program_of (ready (a));
  negative.domain = domain;
  append (negative, GPUMM_MAP_LT, zero, false);
  if (y.is_number)
    return anywhere (negative, a);
  program fraction = program_of (ready (b));
  fraction.domain = domain;
  fraction.steps.push_back (step_of (GPUMM_MAP_ROUND));
  append (fraction, GPUMM_MAP_NE, operand (b), false);
  program large = program_of (b);
  large.domain = domain;
  large.steps.push_back (step_of (GPUMM_MAP_ABS));
  large.steps.push_back (
      step_of (GPUMM_MAP_GT, GPUMM_MAP_CONSTANT, false, gpumm_scalar{MOST_WHOLE, 0}));
  append (fraction, GPUMM_MAP_OR, large);
  array like = a;
  like.size = common_size ("operator .^", a.size, b.size);
  append (negative, GPUMM_MAP_AND, fraction);
  return anywhere (negative, like);
}

// The type in which Octave compares: the type of a sum, but integers are compared exactly.
static gpumm_type compared_type (gpumm_type s, gpumm_type t) {
  return !is_integer (s) && !is_integer (t) && (is_single (s) || is_single (t)) ? GPUMM_S : GPUMM_D;
}

gpumm_type checked_type (const operation &o, const form &a, const form &b) {
  const gpumm_type real = result_type (o.op, a, b);
  check_narrow (a.type);
  check_narrow (b.type);
  if (o.map == GPUMM_MAP_POW && !is_float (real) && is_integer (a.type) && is_integer (b.type))
    say_gather ("X .^ Y of two integer arrays is not available on a device. Use gather (X)");
  return real;
}

array entrywise (const operation &o, operand a, operand b) {
  const dim_vector size = common_size (o.name, a.x.size, b.x.size);
  const gpumm_type real = checked_type (o, a.x, b.x), s = a.x.type, t = b.x.type;
  bool is_complex_result = is_complex (s) || is_complex (t);
  gpumm_map_op op = o.map;
  // If one of two numbers is complex or an integer, Octave treats NaN as true.
  const auto is_plain = [] (gpumm_type type) {
    return type == GPUMM_B || (is_float (type) && !is_complex (type));
  };
  if (o.is_logical && !(a.x.is_scalar () && b.x.is_scalar () && !(is_plain (s) && is_plain (t)))) {
    check_nan (a);
    check_nan (b);
  }
  if (op == GPUMM_MAP_POW) {
    is_complex_result = is_complex_result || leaves_reals (a, b);
    const double n = b.is_number && !is_complex (t) && is_float (real) ? b.number.re : 0;
    // As Octave computes these. (The square of a complex number begins with 1, in whole_power.)
    if (n == -1) {
      std::swap (a, b);
      a.number.re = 1;
      op = GPUMM_MAP_DIV;
    } else if (n == 3 || (n == 2 && !is_complex_result)) {
      ready (a.x);
      program p = program_of (a.x);
      p.domain = domain_of (is_complex_result ? complex_type (real) : real);
      append (p, GPUMM_MAP_MUL, a, false);
      if (n == 3)
        append (p, GPUMM_MAP_MUL, a, false);
      return pending_array (p, p.domain, size, a.x.device);
    }
  }
  gpumm_type domain = o.compares ? compared_type (s, t) : domain_of (real);
  if (is_complex_result)
    domain = complex_type (domain);
  const gpumm_type type = o.compares ? GPUMM_B : is_complex_result ? complex_type (real) : real;
  return pending_array (fused (op, a, b, domain), type, size, a.x.device);
}

// ---- elementwise functions ----------------------------------------------------------------------

enum { REAL, SAME, COMPLEX };

const std::vector<function> &functions () {
  static const std::vector<function> rows = {
#define ROW(NAME, name, mapper, result, zero, real, complex, oracle, complex_oracle, units)        \
  {#name,                                                                                          \
   octave_base_value::umap_##mapper,                                                               \
   GPUMM_MAP_##NAME,                                                                               \
   (result) == REAL,                                                                               \
   (result) == COMPLEX,                                                                            \
   (zero) == 0,                                                                                    \
   units},
      GPUMM_ELEMENTWISE (ROW)
#undef ROW
  };
  return rows;
}

const function *device_function (octave_base_value::unary_mapper_t mapper) {
  for (const function &f : functions ())
    if (f.mapper == mapper)
      return &f;
  return nullptr;
}

array applied (array x, const std::vector<gpumm_map_step> &steps, gpumm_type domain,
               gpumm_type type) {
  if (!fits (x, domain) || x.pending->steps.size () + steps.size () > GPUMM_MAP_STEPS)
    ready (x);
  program p = program_of (x);
  p.domain = domain;
  p.steps.insert (p.steps.end (), steps.begin (), steps.end ());
  return pending_array (p, type, x.size, x.device);
}

array mapped (const function &f, array x) {
  check_narrow (x.type);
  gpumm_type type = asked_once (std::make_pair (f.map, x.type), [&] {
    return sample (x.type, false, dim_vector (1, 2)).get_rep ().map (f.mapper);
  });
  bool is_complex_result = is_complex (x.type) && !f.is_real;
  if (f.leaves_reals) {
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

gpumm_matrix matrix_of (const array &x) {
  gpumm_matrix m = {};
  m.format = GPUMM_FULL;
  m.type = x.type;
  m.op = op_of (x);
  m.rows = x.turned ? x.size (1) : x.size (0);
  m.cols = x.turned ? x.size (0) : x.size (1);
  m.ld = std::max<int64_t> (m.rows, 1);
  m.values = x.values ();
  m.buffer = x.device <= HOST_DEVICE ? nullptr : x.buffer.get ();
  return m;
}

array as_factor (array x) {
  ready (x);
  return x.conjugated && !x.turned ? plain (x) : x;
}

void check_inner (const form &a, const form &b) {
  if (a.size.ndims () > 2 || b.size.ndims () > 2 || a.size (1) != b.size (0))
    octave::err_nonconformant ("operator *", a.size, b.size);
}

// Is a * b symmetric or Hermitian by its operands, which are one array?
static bool is_mirrored (const array &a, const array &b) {
  return a.buffer && a.is_with (b) && a.turned != b.turned && a.size (0) == b.size (1);
}

// Does the engine read it as it lies?
static bool is_factor (const array &x) {
  return x.turned || !x.conjugated;
}

array multiplied (const array &a, const array &b, gpumm_type type, const product_options &o) {
  check_inner (a, b);
  array left = converted (a, type), right = converted (b, type);
  ready (left);
  ready (right);
  const bool on_host = left.device <= HOST_DEVICE;
  // conj (A) * A.' is conj (A * A'): then neither is copied, and the engine sees one array
  const bool flips =
      is_complex (type) && is_mirrored (left, right) && !(is_factor (left) && is_factor (right));
  for (array *x : {&left, &right})
    x->conjugated = x->conjugated != flips;
  left = as_factor (left);
  right = as_factor (right);
  array c = new_array (left.device, type, dim_vector (a.size (0), b.size (1)));
  if (on_host)
    need (gpumm_wait (engine_device (c.device)));
  gpumm_problem p = {};
  p.a = matrix_of (left);
  p.b = matrix_of (right);
  p.alpha = {1, 0};
  p.output = type;
  p.stays = !on_host;
  p.queues = !o.report;
  gpumm_matrix result = matrix_of (c);
  gpumm_job *job = nullptr;
  gpumm_status status = gpumm_open (&p, &o.engine, &job);
  if (!status)
    status = gpumm_run (job, &result);
  if (!status && o.report)
    *o.report = *gpumm_job_report (job);
  gpumm_close (job);
  need (status);
  c.conjugated = flips;
  return c;
}

array multiplied (const array &a, const array &b) {
  check_inner (a, b);
  gpumm_type type = result_type (octave_value::op_mul, a, b);
  if (is_complex (a.type) || is_complex (b.type))
    type = complex_type (type);
  return multiplied (a, b, type, {});
}

// ---- parts --------------------------------------------------------------------------------------

// The places of an index along a dimension of n, from 0. `memory` keeps them, if they are a vector.
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

void pick (bool put, const array &part, const dim_vector &part_size, const array &whole,
           const dim_vector &whole_size, const std::vector<octave::idx_vector> &index) {
  const int dims = int (index.size ());
  if (dims > GPUMM_MAP_DIMS)
    say_gather ("%d indices are more than the %d of a device. Use reshape (X) or gather (X)", dims,
                int (GPUMM_MAP_DIMS));
  const array there = put ? moved (part, whole.device) : part;
  std::vector<array> memory;
  gpumm_pick p = {};
  p.put = put;
  p.part = view_of (there);
  p.whole = view_of (whole);
  std::fill_n (p.size, GPUMM_MAP_DIMS, 1);
  std::fill_n (p.whole_size, GPUMM_MAP_DIMS, 1);
  const distances turned{whole.size (1), 1}; // a transposed matrix has two indices
  int64_t step = 1, whole_step = 1;
  for (int d = 0; d < dims; d++) {
    p.size[d] = part_size (d);
    p.whole_size[d] = whole_size (d);
    p.part.stride[d] = part.is_scalar () ? 0 : step;
    p.whole.stride[d] = whole.turned ? turned[d] : whole_step;
    step *= part_size (d);
    whole_step *= whole_size (d);
    p.places[d] = places_of (index[d], whole_size (d), whole.device, memory);
  }
  need (gpumm_pick_entries (&p));
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

// The size of the part that the indices select, by dimension.
static dim_vector size_of_part (const std::vector<octave::idx_vector> &index,
                                const dim_vector &whole) {
  dim_vector size = dim_vector::alloc (std::max<int> (int (index.size ()), 2));
  size (1) = 1;
  for (std::size_t d = 0; d < index.size (); d++)
    size (int (d)) = index[d].length (whole (int (d)));
  return size;
}

array part_of (array x, const std::vector<octave::idx_vector> &index) {
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
  y.conjugated = x.conjugated; // copied as stored; readers conjugate
  if (y.numel () > 0)
    pick (false, y, size, x, whole, index);
  return y;
}

array seen_part_of (const array &x, const std::vector<octave::idx_vector> &index) {
  const int dims = int (index.size ());
  if (dims < 2 || x.turned)
    return part_of (x, index);
  const dim_vector whole = x.size.redim (dims);
  const octave_idx_type count = whole (dims - 1);
  octave_idx_type begin = 0, end = 0;
  if (!std::all_of (index.begin (), index.end () - 1,
                    [] (const octave::idx_vector &i) { return i.is_colon (); })
      || !index.back ().is_cont_range (count, begin, end) || begin >= end || end > count)
    return part_of (x, index);
  array y = x;
  y.offset += begin * (x.numel () / count);
  y.is_part = true;
  y.size = whole;
  y.size (dims - 1) = end - begin;
  y.size.chop_trailing_singletons ();
  return y;
}

array own (const array &x) {
  if (!x.is_part)
    return x;
  return copied (x);
}

// x with a buffer that nobody else holds.
static array own_copy (array x) {
  ready (x);
  if (x.buffer.use_count () == 2 && !x.turned && !x.conjugated) // the caller's and this one
    return x;
  return copied (x);
}

array zeros (int device, gpumm_type type, const dim_vector &size) {
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

array enlarged (const array &x, const dim_vector &size) {
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

array without (const array &x, const std::vector<octave::idx_vector> &index) {
  boolNDArray rules (x.size, false); // Octave's rules and errors
  rules.delete_elements (array_of_indices (index));
  if (rules.numel () == x.numel ())
    return reshaped (x, rules.dims ());
  const int given = int (index.size ()),
            dims = given == 1 ? 1 : std::max (given, int (x.size.ndims ()));
  const dim_vector whole = dims == 1 ? dim_vector (x.numel (), 1) : x.size.redim (dims);
  std::vector<octave::idx_vector> rest;
  bool found = false;
  for (int d = 0; d < dims; d++) { // the array's own dimensions, even if there are fewer indices
    const bool all = found || d >= given || index[d].is_colon_equiv (whole (d));
    rest.push_back (all ? octave::idx_vector::colon : index[d].complement (whole (d)));
    found = found || !all;
  }
  return found ? reshaped (part_of (x, rest), rules.dims ())
               : new_array (x.device, x.type, rules.dims ());
}

// Is a place named twice? Then the last value must win, but threads write in any order. (A mask
// names none twice, and reading a place of it takes a pass over it unless the place before was read
// last.)
static bool has_duplicates (const octave::idx_vector &index) {
  if (index.is_colon () || index.is_range () || index.is_scalar ()
      || index.idx_class () == octave::idx_vector::class_mask)
    return false;
  std::vector<bool> seen (index.extent (0), false);
  for (octave_idx_type i = 0; i < index.length (0); i++) {
    if (seen[index (i)])
      return true;
    seen[index (i)] = true;
  }
  return false;
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
  gpumm_type type = asked_once (std::make_pair (x.type, y.type), [&] {
    octave_value a = sample (x.type, false, dim_vector (1, 2));
    a.assign (octave_value::op_asn_eq, "(", {ovl (1.0)}, sample (y.type, true, dim_vector ()));
    return a;
  });
  if (is_complex (x.type) || is_complex (y.type))
    type = complex_type (type);
  const int dims = int (index.size ());
  dim_vector whole = dims == 1 ? dim_vector (x.numel (), 1) : x.size.redim (std::max (dims, 1));
  bool grows = dims == 0 || x.size.all_zero ();
  for (int d = 0; d < dims; d++)
    grows = grows || index[d].extent (whole (d)) > whole (d);
  const dim_vector part = dims == 0 ? dim_vector () : size_of_part (index, whole);
  dim_vector without_ones = part, given = y.size;
  without_ones.chop_all_singletons ();
  given.chop_all_singletons ();
  const bool matches =
      y.is_scalar () || without_ones == given || (dims == 1 && y.numel () == part.numel ());
  if (type == GPUMM_B)
    check_nan (operand (y));
  y = plain (converted (y, type));
  array changed;           // replaces x at the end, so a failure leaves x unchanged
  if (grows || !matches) { // Octave's rules and errors
    boolNDArray rules (x.size, false);
    rules.assign (array_of_indices (index), boolNDArray (y.size, false), false);
    changed = dims == 1 && x.numel () > 0 ? reshaped (x, x.size.redim (2)) : x;
    changed = converted (enlarged (changed, rules.dims ()), type);
    whole = dims == 1 ? dim_vector (changed.numel (), 1) : changed.size.redim (dims);
  } else
    changed = x.type == type ? own_copy (x) : converted (x, type);
  changed = plain (changed);
  const dim_vector size = size_of_part (index, whole);
  if (size.numel () > 0)
    pick (true, y, size, changed, whole, index);
  x = changed;
}

} // namespace gpumm

// gpuarray.cc - __gpuarray__, which makes gpuArrays and has what their functions in .m call.
//
//   G = __gpuarray__ (A)                   copies A to the selected device
//   Y = __gpuarray__ (NAME, ARGS)          calls the named function of this name with the arguments
//                                          in a cell array: gpu_functions.cc
//   LIST = __gpuarray__ (NAME, ARGS, N)    the same, with N results in a cell array
//   ... = __gpuarray__ (WORD, ...)         see words, at the end
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <climits>
#include <cmath>
#include <string>
#include <vector>

#include "gpuarray.h"
#include "info.h"

#include <octave/parse.h>

using namespace gpumm;

// ---- the types ----------------------------------------------------------------------------------

static void install (octave::type_info &types) {
  const int device = device_for_new ();
  handle_failure = raise_in_octave;
  check_first (types, "gpuArray");
  install_makers (types);
  if (device == NO_DEVICE) {
    install_gpuheld (types);
    return;
  }
  install_gpufull (types);
  install_gpusparse (types);
  install_gpublocks (types);
}

octave_value on_device (const octave_value &x, int device) {
  octave_value y = x;
  if (gpu_value_of (x.get_rep ()))
    return y;
  if (device == NO_DEVICE)
    y = value_of (x);
  else if (is_blocksparse (x.get_rep ()))
    y = value_of (upload_blocks (x, device));
  else
    y = x.issparse () ? value_of (upload_sparse (x, device)) : value_of (upload (x, device));
  if (gpu_full *full = dynamic_cast<gpu_full *> (y.internal_rep ()))
    full->is_as_given = x.iscomplex ();
  return y;
}

// ---- words for the methods ----------------------------------------------------------------------

// What an argument of a word must be.
struct kind {
  const char *what; // for an error
  bool (*fits) (const octave_value &x);
};

// x as a real number, NaN if it is anything else.
static double number_of (const octave_value &x) {
  const bool is_one = (x.isnumeric () || x.islogical ()) && x.isreal () && x.numel () == 1
                      && !x.issparse () && !is_in_blocks (x.get_rep ());
  return is_one ? x.double_value () : NAN;
}

static const kind any_value = {"any value", [] (const octave_value &) { return true; }};
static const kind full = {"a full array", [] (const octave_value &x) {
                            return !is_gpu (x.get_rep (), storage::sparse)
                                   && !is_gpublocks (x.get_rep ());
                          }};
static const kind some_text = {
    "a text", [] (const octave_value &x) { return x.is_string () && x.rows () <= 1; }};

static const kind number = {"a number", [] (const octave_value &x) {
                              return (x.isnumeric () || x.islogical ()) && x.numel () == 1
                                     && !gpu_value_of (x.get_rep ()) && !x.issparse ()
                                     && !is_in_blocks (x.get_rep ());
                            }};
static const kind device_index = {"the index of a device", [] (const octave_value &x) {
                                    const double n = number_of (x);
                                    return std::abs (n) <= 1024 && n == std::trunc (n);
                                  }};
static const kind options_struct = {
    "a struct", [] (const octave_value &x) { return x.isstruct () && x.numel () == 1; }};

static octave_value_list word_type (const octave_value_list &args, int) {
  const gpu_value *x = gpu_value_of (args (1).get_rep ());
  return ovl (x ? class_of (x->type ()) : args (1).class_name ());
}

static octave_value_list word_device (const octave_value_list &args, int) {
  const gpu_value *x = gpu_value_of (args (1).get_rep ());
  return ovl (double (x ? x->device () : device_for_new ()));
}

static octave_value_list word_valid (const octave_value_list &args, int) {
  const gpu_value *x = gpu_value_of (args (1).get_rep ());
  return ovl (x && x->is_valid ());
}

// ("upload", A, DEVICE)
static octave_value_list word_upload (const octave_value_list &args, int) {
  const int device = args (2).int_value ();
  if ((device == NO_DEVICE) != (device_for_new () == NO_DEVICE)) // arrays of both kinds do not meet
    error_with_id ("gpumm:internal", "__gpuarray__: there is no device %d here", device);
  return ovl (on_device (args (1), device));
}

// ---- gpumm, with its options

// The report of a product that the engine does not compute, of this type and number of entries.
static gpumm_report report_of_scale (int device, octave_idx_type count) {
  gpumm_report report = {};
  gpumm_device_properties properties;
  if (device >= 0)
    need (gpumm_device (device, &properties));
  snprintf (report.device_name, sizeof report.device_name, "%s",
            device < 0 ? "CPU" : properties.name);
  report.backend = device < 0 ? GPUMM_CPU : GPUMM_GPU;
  report.device = engine_device (device);
  snprintf (report.algorithm, sizeof report.algorithm, "scale");
  snprintf (report.reason, sizeof report.reason,
            "a scalar times an array, or a diagonal matrix times one, is computed entry by entry");
  report.flops = double (count);
  return report;
}

// The struct of __multiply_any__.m. Each field is taken once, and a field that nobody has taken
// is an error: so no option is ignored.
class option_fields {
public:
  explicit option_fields (const octave_scalar_map &s) : left (s) {
  }
  octave_value take (const char *name, const kind &k) {
    const octave_value x = left.contents (name);
    if (!x.is_defined () || !k.fits (x))
      wrong (name, k.what);
    left.rmfield (name);
    return x;
  }
  int64_t take_whole (const char *name, double least, double most) {
    const double n = take (name, number).double_value ();
    if (!(n >= least && n <= most && n == std::trunc (n)))
      wrong (name, "within its range");
    return int64_t (n);
  }
  std::string take_text (const char *name) {
    return take (name, some_text).string_value ();
  }
  void end () const {
    if (left.nfields () > 0)
      wrong (left.fieldnames () (0).c_str (), "left out: gpuArrays do not have this option");
  }

private:
  octave_scalar_map left;

  [[noreturn]] static void wrong (const char *name, const char *what) {
    error_with_id ("gpumm:internal", "__gpuarray__: option \"%s\" of gpumm must be %s", name, what);
  }
};

// The error of the engine's products, for those that it does not compute, if the options ask for
// another place than the device of the gpuArrays.
static void check_place (const gpumm_options &o, int device) {
  const int index = device <= HOST_DEVICE ? HOST_DEVICE - device : device;
  if ((device > HOST_DEVICE && o.device >= 0 && o.device != index)
      || (o.devices != 0 && !(o.devices >> index & 1)))
    error_with_id ("gpumm:unsupported",
                   "gpumm: the matrices lie on device %d, and another place was asked for", index);
}

static octave_value with_op (const octave_value &x, int64_t op) {
  return op == GPUMM_NONE ? x
                          : octave::unary_op (type_info (),
                                              op == GPUMM_CTRANSPOSE ? octave_value::op_hermitian
                                                                     : octave_value::op_transpose,
                                              x);
}

// ("gpumm", A, B, OPTIONS): [C, INFO]
static octave_value_list word_gpumm (const octave_value_list &args, int nargout) {
  option_fields fields (args (3).scalar_map_value ());
  product_options o;
  const octave_value a =
      with_op (args (1), fields.take_whole ("transpose_a", GPUMM_NONE, GPUMM_CTRANSPOSE));
  const octave_value b =
      with_op (args (2), fields.take_whole ("transpose_b", GPUMM_NONE, GPUMM_CTRANSPOSE));
  const std::string algorithm = fields.take_text ("algorithm");
  o.engine.algorithm = algorithm.c_str ();
  o.engine.device = int (fields.take_whole ("device", -1, INT_MAX));
  o.engine.devices = uint64_t (fields.take_whole ("devices", 0, 0x1p53));
  o.output = type_of_class (fields.take_text ("output"));
  fields.end ();
  if (device_for_new () == NO_DEVICE)
    error_with_id ("gpumm:internal", "__gpuarray__: gpumm needs a device");
  const int device = device_of (a.get_rep (), b.get_rep ());
  gpumm_report report = {};
  o.report = nargout > 1 ? &report : nullptr;
  if (a.numel () == 1 || b.numel () == 1)
    check_place (o.engine, device);
  const octave_value c = combined_there (octave_value::op_mul, a.get_rep (), b.get_rep (), o);
  if (nargout < 2)
    return ovl (c);
  return ovl (c, info_of (report.algorithm[0] ? report : report_of_scale (device, c.numel ())));
}

static octave_value_list word_select (const octave_value_list &args, int) {
  const int before = device_for_new ();
  if (args.length () > 1) {
    const int index = args (1).int_value ();
    int64_t used, kept;
    selected_device = before <= HOST_DEVICE ? HOST_DEVICE - index : index;
    const gpumm_status status = gpumm_memory (engine_device (selected_device), &used, &kept);
    if (status)
      selected_device = before;
    need (status);
  }
  return ovl (double (engine_device (before)));
}

// Bytes of the selected device that arrays and products hold, and bytes kept for later arrays.
static octave_value_list word_memory (const octave_value_list &, int) {
  int64_t used = 0, kept = 0;
  if (device_for_new () != NO_DEVICE)
    need (gpumm_memory (engine_device (device_for_new ()), &used, &kept));
  octave_scalar_map s;
  s.assign ("used", double (used));
  s.assign ("cached", double (kept));
  return ovl (s);
}

// The tables of the functions of gpuArrays, gpumm_elementwise.h and gpu_functions.h, for tests.
static octave_value_list word_functions (const octave_value_list &, int) {
  string_vector names;
  RowVector units (octave_idx_type (functions ().size ()));
  boolMatrix keeps_zero (1, units.numel ());
  for (octave_idx_type i = 0; i < units.numel (); i++) {
    const function &f = functions ()[std::size_t (i)];
    names.append (std::string (f.name));
    units (i) = f.units;
    keeps_zero (i) = f.keeps_zero;
  }
  octave_scalar_map tables;
  tables.assign ("elementwise", Cell (Cell (names).transpose ()));
  tables.assign ("units", units);
  tables.assign ("keeps_zero", keeps_zero);
  Cell of_two (1, octave_idx_type (functions_of_two ().size ()));
  for (octave_idx_type i = 0; i < of_two.numel (); i++) {
    const function_of_two &f = functions_of_two ()[std::size_t (i)];
    const bool takes_more = std::string (f.arguments) != "A B";
    of_two (i) = Cell (ovl (f.name, f.units, takes_more));
  }
  tables.assign ("of_two", octave_value (of_two));
  tables.assign ("named", Cell (Cell (string_vector (function_names ())).transpose ()));
  return ovl (tables);
}

// ("refuse", TEXT): the error of what a device does not do
[[noreturn]] static octave_value_list word_refuse (const octave_value_list &args, int) {
  say_gather ("%s", args (1).string_value ().c_str ());
}

// ("wait", DEVICE), by the engine's index
static octave_value_list word_wait (const octave_value_list &args, int) {
  const int device = args (1).int_value ();
  if (device != NO_DEVICE)
    need (gpumm_wait (device));
  return ovl ();
}

// ---- the words ----------------------------------------------------------------------------------

// A word and its arguments, which the dispatcher checks: so the word reads them without a check.
struct word_row {
  const char *word;
  std::vector<const kind *> arguments;
  octave_value_list (*run) (const octave_value_list &args, int nargout);
};

// (): gpuArray.zeros (...) takes a field of this
static octave_value_list word_makers (const octave_value_list &, int) {
  return ovl (makers ());
}

static const word_row words[] = {{"makers", {}, word_makers},
                                 {"type", {&any_value}, word_type},
                                 {"device", {&any_value}, word_device},
                                 {"valid", {&any_value}, word_valid},
                                 {"select", {}, word_select},
                                 {"select", {&device_index}, word_select},
                                 {"refuse", {&some_text}, word_refuse},
                                 {"wait", {&device_index}, word_wait},
                                 {"memory", {}, word_memory},
                                 {"functions", {}, word_functions},
                                 {"upload", {&any_value, &device_index}, word_upload},
                                 {"gpumm", {&any_value, &any_value, &options_struct}, word_gpumm}};

// The place of the first argument that is not of its kind, or of the end.
static octave_idx_type first_wrong (const octave_value_list &args,
                                    const std::vector<const kind *> &kinds) {
  octave_idx_type i = 1;
  while (i < args.length () && kinds[i - 1]->fits (args (i)))
    i++;
  return i;
}

void need_full (const char *name, const octave_value_list &args) {
  for (octave_idx_type i = 0; i < args.length (); i++) {
    if (is_gpublocks (args (i).get_rep ()))
      refuse (name, "of a blocksparse");
    if (is_gpu (args (i).get_rep (), storage::sparse))
      refuse (name, "of a sparse matrix");
  }
}

// The error for arguments that no row of the table takes: this one is the first with the word and
// the number.
[[noreturn]] static void say_wrong (const octave_value_list &args, const word_row &row) {
  need_full (row.word, args);
  const octave_idx_type i = first_wrong (args, row.arguments);
  error_with_id ("gpumm:internal", "__gpuarray__: argument %d of \"%s\" must be %s", int (i + 1),
                 row.word, row.arguments[i - 1]->what);
}

DEFMETHOD_DLD (__gpuarray__, interp, args, nargout, "For internal use: arrays on a device.") {
  static bool installed = false;
  if (!installed) {
    interp.mlock ();                   // `clear all` must not unload the code of live values
    octave::feval ("__blocksparse__"); // registers its type, for which operators are installed, too
    install (interp.get_type_info ());
    installed = true;
  }
  if (args.length () == 1 && !args (0).is_string ())
    return ovl (on_device (args (0), device_for_new ()));
  const std::string word =
      args.length () > 0 && args (0).is_string () ? args (0).string_value () : "";
  // cell arrays of arguments and results: varargin{:} and [varargout{1:N}] = ... take Octave longer
  const bool is_call = args.length () > 1 && args (1).iscell ();
  const function_row *f = is_call ? find_function (word) : nullptr;
  if (f && args.length () == 2)
    return call_function (*f, octave_value_list (args (1).cell_value ()), nargout);
  if (f && args.length () == 3 && number.fits (args (2))) {
    const int count = args (2).int_value ();
    return ovl (Cell (call_function (*f, octave_value_list (args (1).cell_value ()), count)));
  }
  const word_row *first = nullptr;
  for (const auto &row : words)
    if (word == row.word && args.length () == octave_idx_type (row.arguments.size ()) + 1) {
      if (first_wrong (args, row.arguments) == args.length ())
        return row.run (args, nargout);
      first = first ? first : &row;
    }
  if (first)
    say_wrong (args, *first);
  const bool is_function = is_call && by_octave ("exist", ovl (word)).int_value () > 1;
  if (is_function && args.length () == 3 && number.fits (args (2)))
    return ovl (Cell (
        of_numbers (word, octave_value_list (args (1).cell_value ()), args (2).int_value ())));
  error_with_id ("gpumm:internal", "__gpuarray__: for use by gpuArray only");
}

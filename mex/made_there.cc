// made_there.cc - the class word "gpuArray", and "like" a gpuArray, in Octave's built-in functions
// that make arrays: zeros (3, "gpuArray"), rand (2, "single", "gpuArray"), ones (2, 3, "like", G).
//
//   ON = __gpumm_made_there__ ()      are the functions replaced?
//   ON = __gpumm_made_there__ (ON)    the same before the call
//
// Octave's function of a name becomes a function that looks at the last arguments. Those that speak
// of a gpuArray go to __made_there__.m; all others go to Octave's function, in the same call: its
// results, its errors and the names in them are Octave's. Functions that are files, such as randi,
// cannot be replaced so. In the same way any and all take lists of dimensions and "all": methods
// would cost each call of any (G) twice the time.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <octave/oct.h>

#include <array>
#include <string>
#include <utility>

#include <octave/interpreter.h>
#include <octave/ov-builtin.h>
#include <octave/ov-re-mat.h>
#include <octave/ov-scalar.h>
#include <octave/parse.h>
#include <octave/symtab.h>

static const char *const names[] = {"zeros", "ones",     "eye",      "Inf",   "inf",  "NaN",
                                    "nan",   "NA",       "true",     "false", "rand", "randn",
                                    "rande", "randperm", "linspace", "colon", "any",  "all"};
enum { NAMES = sizeof names / sizeof *names, MAKERS = NAMES - 2 };

static octave_value octaves[NAMES], replaced[NAMES];
static octave_builtin::fcn fcns[NAMES]; // the code of Octave's: one of these
static octave_builtin::meth methods[NAMES];
static bool is_on;

// ---- a call -------------------------------------------------------------------------------------

static bool is_word (const octave_value &x, const char *word) {
  return x.is_string () && x.rows () == 1 && x.string_value () == word;
}

// Is one of the arguments a gpuArray? Numbers and texts of the host, which most calls have, are
// told by their type.
static bool has_gpuarray (const octave_value_list &args) {
  static const int number = octave_scalar::static_type_id (),
                   row = octave_matrix::static_type_id ();
  for (octave_idx_type i = 0; i < args.length (); i++) {
    const int type = args (i).type_id ();
    if (type != number && type != row && !args (i).is_string ()
        && args (i).class_name () == "gpuArray")
      return true;
  }
  return false;
}

// Do the last arguments say how the result is made?
static bool has_words (const octave_value_list &args) {
  const octave_idx_type n = args.length ();
  return n > 0 && (is_word (args (n - 1), "gpuArray") || (n > 1 && is_word (args (n - 2), "like")));
}

// (X, DIMS) of a gpuArray, where DIMS is no number
static bool has_dimensions (const octave_value_list &args) {
  return args.length () == 2 && args (1).type_id () != octave_scalar::static_type_id ()
         && args (0).class_name () == "gpuArray";
}

// The arguments with those of the host in place of gpuArrays: sizes, or the state of a generator.
static octave_value_list gathered (octave_value_list args) {
  for (octave_idx_type i = 0; i < args.length (); i++)
    args (i) = octave::feval ("gather", ovl (args (i)), 1) (0);
  return args;
}

template <std::size_t I>
static octave_value_list made (octave::interpreter &interpreter, const octave_value_list &args,
                               int nargout) {
  if (I >= MAKERS && has_dimensions (args))
    return octave::feval ("__gpuarray__", ovl (names[I], Cell (args)), nargout);
  if (I < MAKERS && has_words (args))
    return octave::feval ("__made_there__", ovl (names[I], Cell (args)), nargout);
  if (I < MAKERS && has_gpuarray (args))
    return made<I> (interpreter, gathered (args), nargout);
  return fcns[I] ? fcns[I](args, nargout) : methods[I](interpreter, args, nargout);
}

// ---- all functions ------------------------------------------------------------------------------

template <std::size_t... I>
static std::array<octave_builtin::meth, NAMES> functions_of (std::index_sequence<I...>) {
  return {made<I>...};
}

static void replace (octave::symbol_table &symbols) {
  static const auto functions = functions_of (std::make_index_sequence<NAMES> ());
  for (int i = 0; i < NAMES; i++) {
    octaves[i] = symbols.find_built_in_function (names[i]);
    const auto &f = dynamic_cast<const octave_builtin &> (octaves[i].get_rep ());
    fcns[i] = f.function ();
    methods[i] = f.method ();
    replaced[i] = new octave_builtin (functions[std::size_t (i)], names[i], f.src_file_name (),
                                      f.doc_string ());
    symbols.install_built_in_function (names[i], replaced[i]);
  }
}

// Another package may have replaced a function since.
static void restore (octave::symbol_table &symbols) {
  for (int i = 0; i < NAMES; i++)
    if (symbols.find_built_in_function (names[i]).is_copy_of (replaced[i]))
      symbols.install_built_in_function (names[i], octaves[i]);
}

DEFMETHOD_DLD (__gpumm_made_there__, interpreter, args, , R"(-*- texinfo -*-
@deftypefn  {} {@var{on} =} __gpumm_made_there__ ()
@deftypefnx {} {@var{on} =} __gpumm_made_there__ (@var{on})
Do Octave's functions that make arrays take @qcode{"gpuArray"} and @qcode{"like"} a gpuArray? With
an argument: the same before the call, and from now on as it says.
@end deftypefn)") {
  const bool was_on = is_on;
  if (args.length () > 1 || (args.length () == 1 && !args (0).is_bool_scalar ()))
    error_with_id ("Octave:invalid-fun-call", "Invalid call to __gpumm_made_there__");
  if (args.length () == 1 && args (0).bool_value () != is_on) {
    interpreter.mlock (); // `clear all` must not unload the code of a function
    is_on = !is_on;
    octave::symbol_table &symbols = interpreter.get_symbol_table ();
    is_on ? replace (symbols) : restore (symbols);
  }
  return ovl (was_on);
}

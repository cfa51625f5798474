// refusal.cc - see refusal.h.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "refusal.h"
#include "gpu_value.h"

#include <memory>
#include <set>
#include <vector>

#include <octave/defaults.h>
#include <octave/interpreter.h>
#include <octave/ov-usr-fcn.h>
#include <octave/pt-misc.h>

namespace gpumm {

// ---- what the user called -----------------------------------------------------------------------

// A call that is running: of these arguments, which are gpuArrays?
struct running {
  std::string name;
  std::vector<bool> there;
  bool has_text = false; // is the first argument a text?
  bool is_file = false;  // a function of Octave in a file: it calls what is refused
  std::string solver;    // one of Octave's that is running, too
};

static bool begins_with (const std::string &text, const std::string &begin) {
  return text.compare (0, begin.size (), begin) == 0;
}

// Which arguments of a function in a file are gpuArrays, or may have been: the function may have
// given its parameters other values.
static void read_arguments (const octave::stack_frame &frame, octave_user_function &f, running &c) {
  std::vector<bool> &there = c.there;
  const auto add = [&] (const octave_value &x) {
    c.has_text = c.has_text || (there.empty () && x.is_defined () && x.is_string ());
    const bool is_array = x.is_defined () && (x.isnumeric () || x.islogical ());
    there.push_back (is_array && (x.numel () != 1 || gpu_value_of (x.get_rep ())));
  };
  const octave_value count = frame.get_auto_fcn_var (octave::stack_frame::NARGIN);
  const std::size_t given = count.is_defined () ? std::size_t (count.int_value ()) : 0;
  if (f.parameter_list ())
    for (octave::tree_decl_elt *parameter : *f.parameter_list ())
      if (there.size () < given && parameter->ident ())
        add (frame.varval (parameter->name ()));
  const octave_value rest = frame.varval ("varargin");
  if (rest.is_defined () && rest.iscell ()) {
    const Cell list = rest.cell_value ();
    for (octave_idx_type i = 0; i < list.numel () && there.size () < given; i++)
      add (list (i));
  }
  there.resize (given, true);
}

// The outermost of the functions of Octave and of gpuArray that are running, up to what the user
// wrote.
static running called () {
  static const std::set<std::string> solvers = {"bicg", "bicgstab", "cgs", "gmres", "pcg", "tfqmr"},
                                     callers = {"arrayfun", "builtin",   "cellfun",
                                                "feval",    "structfun", "deal"},
                                     texts = {"eval", "evalc", "evalin"};
  running c;
  bool ends = false, tries_first = false;
  std::shared_ptr<octave::stack_frame> frame =
      octave::interpreter::the_interpreter ()->get_evaluator ().get_current_stack_frame ();
  for (; frame; frame = frame->parent_link ()) {
    octave_function *const f = frame->function ();
    const std::string name = f ? f->name () : "", file = f ? f->fcn_file_name () : "";
    // `preconditioned` tries the preconditioner before the solver, outside of a try
    tries_first = tries_first || name == "preconditioned";
    if (c.solver.empty () && !tries_first && solvers.count (name) > 0)
      c.solver = name;
    const bool is_compiled = frame->is_compiled_fcn_frame (),
               is_method = file.find ("@gpuArray/") != std::string::npos,
               is_octaves = begins_with (file, octave::config::fcn_file_dir ());
    ends = ends || !f || (!is_compiled && !is_method && !is_octaves && !begins_with (name, "__"))
           || (is_compiled && texts.count (name) > 0);
    if (ends || begins_with (name, "__") || callers.count (name) > 0
        || file.find ("/private/") != std::string::npos || !f->parent_fcn_name ().empty ()
        || f->is_anonymous_function ())
      continue;
    c.name = name;
    c.is_file = c.is_file || is_octaves;
    c.there.clear ();
    c.has_text = false;
    if (octave_user_function *user = is_compiled ? nullptr : f->user_function_value (true))
      read_arguments (*frame, *user, c);
  }
  return c;
}

// ---- what is said -------------------------------------------------------------------------------

// Octave's solvers take any error of a preconditioner for a singular matrix, and return a flag.
static void warn_in_solver (const running &c) {
  if (!c.solver.empty ())
    warning_with_id ("gpumm:gpuArray:solver",
                     "%s: an operation in one of its functions is not available on a device. In "
                     "a preconditioner Octave takes this for a singular matrix. Use gather (X)",
                     c.solver.c_str ());
}

// NAME (X, gather (Y)), where these arguments are gpuArrays; as a gpuArray, if it is an array.
static std::string call_of (const running &c) {
  static const std::set<std::string> gives_no_array = {
      "base64_encode", "cat",         "char",           "completion_matches",
      "dec2base",      "dec2bin",     "dec2hex",        "getenv",
      "getgrgid",      "getpwuid",    "int2str",        "jsonencode",
      "mat2str",       "matrix_type", "native2unicode", "num2hex",
      "num2str",       "regexprep",   "setstr",         "strcat"};
  const std::vector<bool> there = c.there.empty () ? std::vector<bool> (1, true) : c.there;
  std::string call;
  for (std::size_t i = 0; i < there.size (); i++) {
    const std::string x = i < 3 ? std::string (1, "XYZ"[i]) : "X" + std::to_string (i + 1);
    call += (i > 0 ? ", " : "") + (there[i] ? "gather (" + x + ")" : x);
  }
  call = c.name + " (" + call + ")";
  return c.has_text || gives_no_array.count (c.name) > 0 ? call : "gpuArray (" + call + ")";
}

[[noreturn]] static void say (const running &c, const std::string &what = "",
                              const std::string &line = "") {
  warn_in_solver (c);
  error_with_id ("gpumm:gpuArray:gather", "%s: not available for a gpuArray%s%s. Write %s",
                 c.name.c_str (), what.empty () ? "" : " ", what.c_str (),
                 line.empty () ? call_of (c).c_str () : line.c_str ());
}

void refuse (const std::string &name, const std::string &what, const std::string &line) {
  running c = called ();
  if (c.is_file)
    say (c);
  if (c.name != name)
    c.there.clear ();
  c.name = name;
  say (c, what, line);
}

void refuse_call (const std::string &name, const octave_value_list &args) {
  running c = called ();
  if (c.is_file)
    say (c);
  c.name = name;
  c.there.clear ();
  c.has_text = args.length () > 0 && args (0).is_string ();
  for (octave_idx_type i = 0; i < args.length (); i++)
    c.there.push_back (gpu_value_of (args (i).get_rep ()));
  say (c);
}

void say_refused (const std::string &text) {
  const running c = called ();
  if (c.is_file)
    say (c);
  warn_in_solver (c);
  error_with_id ("gpumm:gpuArray:gather", "gpuArray: %s", text.c_str ());
}

void refuse_function (const dim_vector &size) {
  const running c = called ();
  if (c.name.empty ())
    say_gather ("this operation needs the %s elements in host memory. Use gather (X)",
                size.str ().c_str ());
  say (c);
}

} // namespace gpumm

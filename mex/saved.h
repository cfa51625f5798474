// saved.h - does Octave write a file now? It does in `save`, and when a signal ends it, which saves
// the workspace first. No virtual function tells this to a value: the calls on the stacks do.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_SAVED_H
#define GPUMM_SAVED_H

#include <octave/oct.h>

#include <octave/interpreter.h>
#include <octave/load-save.h>
#include <octave/ov-fcn.h>
#include <octave/pt-eval.h>
#include <octave/quit.h>
#include <octave/stack-frame.h>

#include <cstring>
#include <memory>
#include <set>
#include <unwind.h>

class own_matrix;

// The value in place of the one that Octave saves now, read once; and those that could not be read.
struct file_copy {
  std::weak_ptr<octave::stack_frame> frame; // which saves
  const own_matrix *of = nullptr;
  octave_value value;
  std::set<const own_matrix *> left_out;
  bool is_reading = false;
};
inline file_copy copy_for_file;

// Where Octave saves its workspace: the frame of its evaluator. Functions that read a value run in
// frames above it.
inline std::weak_ptr<octave::stack_frame> dump_frame;

inline std::shared_ptr<octave::stack_frame> current_frame () {
  return octave::interpreter::the_interpreter ()->get_evaluator ().get_current_stack_frame ();
}

// How many calls lie between the caller and Octave's function that saves the workspace; -1: it does
// not run. Costs 10 us, so only functions that Octave rarely calls outside of it ask this.
[[gnu::noinline]] inline int calls_below_dump () {
  struct stack {
    void *dump;
    int calls;
    bool is_found;
  } s = {nullptr, -2, false};
  void (octave::load_save_system::*const dump) () = &octave::load_save_system::dump_octave_core;
  std::memcpy (&s.dump, &dump, sizeof s.dump); // its first word is the address
  _Unwind_Backtrace (
      [] (struct _Unwind_Context *frame, void *to) {
        stack &t = *static_cast<stack *> (to);
        t.is_found = t.dump == reinterpret_cast<void *> (_Unwind_GetRegionStart (frame));
        t.calls += !t.is_found;
        return t.is_found ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &s);
  if (!s.is_found)
    return -1;
  if (dump_frame.expired ()) { // not in a function that is called to read a value
    dump_frame = current_frame ();
    copy_for_file = file_copy (); // the signal may have come while a value was read
  }
  octave_interrupt_state = 0; // a Ctrl-C before the signal would cancel what is read here
  return s.calls;
}

// Octave lives on if its own types raise an error in the saving: so the stack is looked at again.
inline bool octave_dumps () {
  if (dump_frame.expired () || current_frame () != dump_frame.lock ())
    return false;
  if (calls_below_dump () < 0)
    dump_frame.reset ();
  return !dump_frame.expired ();
}

inline bool octave_saves () {
  octave::interpreter *const octave = octave::interpreter::the_interpreter ();
  if (!octave) // in another thread
    return false;
  const octave_function *f = octave->get_evaluator ().current_function ();
  return (f && f->is_builtin_function () && f->name () == "save") || octave_dumps ();
}

// Is the workspace saved in a format of MATLAB?
inline bool octave_dumps_for_matlab () {
  if (!octave_dumps ())
    return false;
  const std::string options =
      octave::interpreter::the_interpreter ()->get_load_save_system ().octave_core_file_options ();
  return options.find_first_of ("467") != std::string::npos
         || options.find ("-m") != std::string::npos;
}

#endif

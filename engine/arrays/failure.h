// failure.h - what arrays raise when something fails.
//
// The functions of this folder in C return a status. Those in C++ raise an exception: a failure,
// or what a program that has errors of its own, as Octave does, makes of one. Too large sizes are
// std::bad_alloc.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_FAILURE_H
#define GPUMM_FAILURE_H

#include <stdexcept>
#include <string>

#include "gpumm.h"

namespace gpumm {

struct failure : std::runtime_error {
  gpumm_status status;
  bool is_limit; // arrays on a device do not have this; the text says what to do instead

  failure (gpumm_status status, bool is_limit, const std::string &text)
      : std::runtime_error (text), status (status), is_limit (is_limit) {
  }
};

// As std::new_handler: raises the program's own exception. A program sets it once, at its start.
using failure_handler = void (*) (const failure &f);
inline failure_handler handle_failure = nullptr;

[[noreturn]] inline void raise (const failure &f) {
  if (handle_failure)
    handle_failure (f);
  throw f;
}

// Raises the failure of a call.
inline void need (gpumm_status status) {
  if (status != GPUMM_OK)
    raise (failure (status, false, gpumm_last_error ()));
}

[[noreturn]] inline void say_limit (const std::string &text) {
  raise (failure (GPUMM_UNSUPPORTED, true, text));
}

} // namespace gpumm

#endif

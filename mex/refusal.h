// refusal.h - the errors for what a gpuArray does not do. Each names the function that the user
// called, not one that it calls inside, and ends with a line that can be pasted and runs.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_REFUSAL_H
#define GPUMM_REFUSAL_H

#include <string>

#include <octave/oct.h>

namespace gpumm {

// "NAME: not available for a gpuArray WHAT. Write LINE"; without a LINE, the call with the
// gpuArrays gathered.
[[noreturn]] void refuse (const std::string &name, const std::string &what = "",
                          const std::string &line = "");

// The same for a call with these arguments.
[[noreturn]] void refuse_call (const std::string &name, const octave_value_list &args);

// The error for an operator or an index: this text, or if a function of Octave uses it, that the
// function is not available.
[[noreturn]] void say_refused (const std::string &text);

template <typename... T> [[noreturn]] void say_gather (const char *format, T... values) {
  char text[512];
  snprintf (text, sizeof text, (std::string (format) + "%s").c_str (), values...,
            ""); // compilers warn of a format that has no values
  say_refused (text);
}

// The error for a function of Octave that asks for all elements of a gpuArray of this size.
[[noreturn]] void refuse_function (const dim_vector &size);

} // namespace gpumm

#endif

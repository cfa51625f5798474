// gpu_systems.cc - linear systems with gpuArrays: division by a matrix, and Cholesky's factor.
//
// What a device does not compute, such as a solution of a singular system, Octave computes from a
// copy in host memory, with its own warnings and errors.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "gpu_functions.h"
#include "operand.h"

using namespace gpumm;

// ---- division by a matrix -----------------------------------------------------------------------

// Is x zero below its diagonal (upper), or above it?  NaN is not zero.  Waits.
static bool is_triangular (const octave_value &x, bool is_upper) {
  const function_row &other = *find_function (is_upper ? "tril" : "triu");
  return x.rows () == x.columns ()
         && !any_of (call_function (other, ovl (x, is_upper ? -1.0 : 1.0), 1) (0).any (0));
}

[[noreturn]] static void refuse_division (bool is_left, const octave_value &x,
                                          const octave_value &y) {
  say_gather ("X %s Y is available on a device only if %s is triangular. Write gpuArray (%s %s %s)",
              is_left ? "\\" : "/", is_left ? "X" : "Y", is_there (x) ? "gather (X)" : "X",
              is_left ? "\\" : "/", is_there (y) ? "gather (Y)" : "Y");
}

// x OP y with a full divisor there, which has to be triangular; or none. Octave, too, looks for an
// upper triangle first.
static std::optional<array> solved (octave_value::binary_op op, const octave_value &x,
                                    const octave_value &y) {
  const bool is_left = op == octave_value::op_ldiv;
  const octave_base_value &a = x.get_rep (), &b = y.get_rep ();
  const gpumm_type type = divided_type (op, any_operand (storage::full, op, a, b).x,
                                        any_operand (storage::full, op, b, a).x);
  if (x.isempty () || y.isempty ())
    return std::nullopt;
  const octave_value &divisor = is_left ? x : y;
  const bool is_upper = is_triangular (divisor, true);
  if (!is_upper && !is_triangular (divisor, false))
    refuse_division (is_left, x, y);
  if (device_for_new () == NO_DEVICE)
    return std::nullopt;
  const auto both = operands_of (a, b);
  const array u = as_array (both.first), v = as_array (both.second);
  return is_left ? solved ('L', u, is_upper, v, type) : solved ('R', v, is_upper, u, type);
}

octave_value divided (octave_value::binary_op op, const octave_base_value &a,
                      const octave_base_value &b) {
  if (gpu_value_of (op == octave_value::op_ldiv ? a : b)) {
    const auto as_matrix = [] (const octave_base_value &x) { // later dimensions count columns
      const octave_value y = shared (x);
      return y.ndims () > 2 ? y.reshape (y.dims ().redim (2)) : y;
    };
    if (const auto quotient = solved (op, as_matrix (a), as_matrix (b)))
      return value_of (*quotient);
  }
  return on_device (octave::binary_op (type_info (), op, on_host (a), on_host (b)),
                    device_of (a, b));
}

// ---- Cholesky's factor --------------------------------------------------------------------------

// (A, WORD, ...): [R, P] with R' * R equal to A, or after "lower" R * R'. P is 0.
octave_value_list cholesky (named_call &c) {
  bool is_upper = true, is_known = true;
  const octave_value_list rest = c.rest ();
  for (octave_idx_type i = 0; i < rest.length (); i++) {
    std::string word = rest (i).is_string () ? rest (i).string_value () : "";
    std::transform (word.begin (), word.end (), word.begin (), ::tolower);
    is_upper = word == "upper" || (is_upper && word != "lower");
    is_known = is_known && (word == "upper" || word == "lower");
  }
  if (is_known && c.nargout < 3 && c.x.isfloat () && c.x.ndims () == 2
      && c.x.rows () == c.x.columns () && device_for_new () != NO_DEVICE)
    if (const auto r = factored (array_of (c.x), is_upper))
      return c.nargout > 1 ? ovl (value_of (*r), on_device (0.0, r->device)) : ovl (value_of (*r));
  return c.octaves_there ();
}

// gpu_functions.h - the table of the named functions of gpuArrays, at the end, and what they share.
//
// Octave finds a method of a type only as a file @gpuArray/NAME.m. Each is one line that hands its
// arguments to __gpuarray__ ("NAME", ARGUMENTS). A name without a row is refused.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_GPU_FUNCTIONS_H
#define GPUMM_GPU_FUNCTIONS_H

#include <string>

#include "gpuarray.h"

// Who computes a function whose first argument is not on the device, or is empty: the function
// itself, or Octave's own?
enum others { BY_FUNCTION, BY_OCTAVE };

// The file @gpuArray/NAME.m: of a function with one result or with several. NO_FILE: octave/ has
// one, or a file of another name calls the function.
enum method { ONE, SEVERAL, NO_FILE };

// A row of the table.
struct named_function {
  const char *name;
  octave_value_list (*run) (const named_function &f, const octave_value_list &args, int nargout);
  method file;
  others of_others = BY_FUNCTION;
  gpumm_fold_op op = GPUMM_FOLD_SUM;     // of a reduction
  octave_idx_type least = 1, most = 999; // number of arguments
};

// ---- Octave's own functions ---------------------------------------------------------------------

// Values as those of the host.
octave_value_list on_host (octave_value_list list);

// Octave's function with arguments of the host.
octave_value_list by_host (const char *name, const octave_value_list &args, int nargout);

// The device of the first gpuArray among the arguments.
int device_of_call (const octave_value_list &args);

// The same with results on the device. For empty arrays, and for rules that differ between versions
// of Octave.
octave_value_list by_host_there (const char *name, const octave_value_list &args, int nargout);

// The result of f that compute () gives on a device; without one, Octave's function gives it.
template <typename F>
octave_value_list by_device (const named_function &f, const octave_value_list &args, int nargout,
                             const F &compute) {
  return gpumm::device_for_new () != gpumm::NO_DEVICE ? ovl (compute ())
                                                      : by_host_there (f.name, args, nargout);
}

// A small array of the host with the class and the kind of x.
octave_value like (octave_value x);

// ---- checks -------------------------------------------------------------------------------------

// The error for what a device does not compute.
[[noreturn]] void refuse (const named_function &f, const std::string &what);

inline bool is_there (const octave_value &x) {
  return gpu_value_of (x.get_rep ()) != nullptr;
}

// Is x a gpuArray of which only some elements are stored?
inline bool is_stored (const octave_value &x) {
  return is_there (x) && gpu_value_of (x.get_rep ())->kind () != storage::full;
}

// x, which is such a gpuArray
inline const gpu_stored &stored (const octave_value &x) {
  return dynamic_cast<const gpu_stored &> (x.get_rep ());
}

// The type of the elements of an array, there or of the host.
inline gpumm_type type_of (const octave_value &x) {
  if (const gpu_value *g = gpu_value_of (x.get_rep ()))
    return g->type ();
  const gpumm_type type = gpumm::type_of_class (x.class_name ());
  return x.iscomplex () ? gpumm::complex_type (type) : type;
}

// Is x a real number?
inline bool is_number (const octave_value &x) {
  return x.isnumeric () && x.isreal () && x.numel () == 1;
}

// A dimension from 0 on; -1 if x is none.
int plain_dimension (const octave_value &x);

// ---- operations on values -----------------------------------------------------------------------

octave_value binary (octave_value::binary_op op, const octave_value &a, const octave_value &b);

// Is one of these truth values true? They are stored as a full array. Waits.
bool any_of (const octave_value &x);

// The array in a full gpuArray.
gpumm::array array_of (const octave_value &x);

// ---- the table ----------------------------------------------------------------------------------

// ROW (name, handler, method, others, op, least, most), as in named_function. The build makes the
// method's file from the text of its group in octave/methods.
// clang-format off
#define GPU_FUNCTIONS(ROW)                                                                         \
  ROW (gather, gather, NO_FILE, BY_FUNCTION, {}, 0)                                                \
  ROW (gpuArray, to_device, NO_FILE, BY_FUNCTION, {}, 0)                                           \
  ROW (zeros, filled, NO_FILE, BY_FUNCTION, {}, 0)                                                 \
  ROW (ones, filled, NO_FILE, BY_FUNCTION, {}, 0)                                                  \
  ROW (eye, filled, NO_FILE, BY_FUNCTION, {}, 0)                                                   \
  ROW (Inf, filled, NO_FILE, BY_FUNCTION, {}, 0)                                                   \
  ROW (NaN, filled, NO_FILE, BY_FUNCTION, {}, 0)                                                   \
  ROW (rand, generated, NO_FILE, BY_FUNCTION, {}, 0)                                               \
  ROW (randn, generated, NO_FILE, BY_FUNCTION, {}, 0)                                              \
  ROW (sum, sums, ONE, BY_OCTAVE, GPUMM_FOLD_SUM)                                                  \
  ROW (prod, sums, ONE, BY_OCTAVE, GPUMM_FOLD_PROD)                                                \
  ROW (cumsum, scans, ONE, BY_OCTAVE, GPUMM_FOLD_SUM)                                              \
  ROW (cumprod, scans, ONE, BY_OCTAVE, GPUMM_FOLD_PROD)                                            \
  ROW (max, extreme, SEVERAL, BY_FUNCTION, GPUMM_FOLD_MAX)                                         \
  ROW (min, extreme, SEVERAL, BY_FUNCTION, GPUMM_FOLD_MIN)                                         \
  ROW (mean, mean, ONE, BY_OCTAVE)                                                                 \
  ROW (sumsq, sumsq, ONE, BY_OCTAVE)                                                               \
  ROW (dot, dot, ONE, BY_FUNCTION, {}, 2, 3)                                                       \
  ROW (norm, norm, ONE, BY_OCTAVE)                                                                 \
  ROW (pagemtimes, pagemtimes, NO_FILE, BY_FUNCTION, {}, 2, 4)                                     \
  ROW (isequal, isequal, ONE, BY_FUNCTION, {}, 2)                                                  \
  ROW (isinteger, isinteger, ONE, BY_FUNCTION, {}, 1, 1)                                           \
  ROW (logical, logical, ONE, BY_FUNCTION, {}, 1, 1)                                               \
  ROW (repmat, repmat, ONE, BY_OCTAVE, {}, 2)                                                      \
  ROW (cat, cat, ONE)                                                                              \
  ROW (tril, triangle, ONE, BY_OCTAVE)                                                             \
  ROW (triu, triangle, ONE, BY_OCTAVE)                                                             \
  ROW (bsxfun, bsxfun, ONE)                                                                        \
  ROW (xor, exclusive_or, ONE, BY_FUNCTION, {}, 2)                                                 \
  ROW (sparse, sparse_from, ONE)                                                                   \
  ROW (blocksparse, blocksparse_from, ONE)                                                         \
  ROW (blocksize, blocksize, ONE, BY_FUNCTION, {}, 1, 1)                                           \
  ROW (nnzb, nnzb, ONE, BY_FUNCTION, {}, 1, 1)                                                     \
  ROW (dropblocks, dropblocks, ONE, BY_FUNCTION, {}, 2, 2)                                         \
  ROW (find, find, SEVERAL)                                                                        \
  ROW (unique, unique, SEVERAL)                                                                    \
  ROW (colon, colon, ONE)                                                                          \
  ROW (arrayfun, by_elements, SEVERAL)                                                             \
  /* Octave's own says less of an array */                                                         \
  ROW (betainc, of_numbers, SEVERAL)                                                               \
  ROW (betaincinv, of_numbers, SEVERAL)                                                            \
  ROW (diff, of_numbers, SEVERAL)                                                                  \
  ROW (ellipke, of_numbers, SEVERAL)                                                               \
  ROW (filter, of_numbers, SEVERAL)                                                                \
  ROW (gammaincinv, of_numbers, SEVERAL)                                                           \
  ROW (isprime, of_numbers, SEVERAL)                                                               \
  ROW (primes, of_numbers, SEVERAL)                                                                \
  /* Octave's own catches errors and returns another result */                                     \
  ROW (condeig, of_numbers, SEVERAL)                                                               \
  ROW (gmres, of_numbers, SEVERAL)                                                                 \
  /* Octave's own takes integers for double */                                                     \
  ROW (base64_encode, of_numbers, SEVERAL)                                                         \
  ROW (bitunpack, of_numbers, SEVERAL)                                                             \
  ROW (mod, of_numbers, SEVERAL)                                                                   \
  ROW (num2cell, of_numbers, SEVERAL)                                                              \
  ROW (rem, of_numbers, SEVERAL)
// clang-format on

// A handler gets the arguments as they are. Several rows may have one.
#define ROW(name, handler, ...)                                                                    \
  octave_value_list handler (const named_function &f, const octave_value_list &args, int nargout);
GPU_FUNCTIONS (ROW)
#undef ROW

#endif

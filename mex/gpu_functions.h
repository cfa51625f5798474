// gpu_functions.h - the table of the named functions of gpuArrays, at the end, and what they share.
//
// Octave finds a method of a type only as a file @gpuArray/NAME.m. Each is one line that hands its
// arguments to __gpuarray__ ("NAME", ARGUMENTS). Without a row, Octave computes single elements,
// and arrays are refused.
//
// A row declares what its function takes. One dispatcher, call_function, reads the arguments, hands
// to Octave what is Octave's, refuses what a device does not do, and gives the first result its
// class. The handler computes, from the values and the dimension in a named_call.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_GPU_FUNCTIONS_H
#define GPUMM_GPU_FUNCTIONS_H

#include <string>

#include "gpuarray.h"
#include "gpumm_folds.h"

// The file @gpuArray/NAME.m: of a function with one result or with several. NO_FILE: octave/ has
// one, or a file of another name calls the function.
enum method { ONE, SEVERAL, NO_FILE };

// The class of the first result: as the handler computes it, or that of Octave's function.
enum class_rule { COMPUTED, AS_OCTAVE };

// A row of the table.
struct named_call;
struct named_function {
  const char *name;
  method file;
  const char *arguments; // see the table
  const char *formats;   // of the gpuArrays among them: f full, s sparse, b blocks
  class_rule rule;
  octave_value_list (*run) (named_call &c);
  int op = GPUMM_FOLD_SUM; // of a reduction; of a function of two numbers: gpumm_map_op
};

// Values as those of the host.
octave_value_list on_host (octave_value_list list);

// A call as the dispatcher has read it: what a handler computes.
struct named_call {
  const named_function &f;
  octave_value_list args;
  int nargout;
  octave_value x;        // the first argument, with the listed dimensions as one
  int dim = 0;           // DIM, from 0 on
  std::string word = {}; // CLASS or MODE as given, or ""

  // Where words or a list of dimensions are read, args is the call without them, and these are the
  // arguments as given.
  const octave_value_list *given = nullptr;
  bool nan_differs = false; // is NaN left out, or by max and min included?
  bool both = false;        // of a matrix that is stored: along both dimensions

  // The arguments after the first as values of the host.
  octave_value_list rest () const {
    return on_host (rest_of (args));
  }

  // The device of the first gpuArray among the arguments.
  int device () const;

  // The results of Octave's function for the gathered arguments; and these on the device, for empty
  // arrays, and for rules that differ between versions of Octave.
  octave_value_list octaves () const;
  octave_value_list octaves_there () const;

  // The result that compute () gives on a device; without one, that of Octave's function.
  template <typename F> octave_value_list there (const F &compute) const {
    return gpumm::device_for_new () != gpumm::NO_DEVICE ? octave_value_list (compute ())
                                                        : octaves_there ();
  }

  // Octave's error, if its function has one for small arrays in the place of these.
  void ask () const;

  // The error for what a device does not compute, also of a matrix that is stored, and that for a
  // call that there is not.
  [[noreturn]] void refuse (const std::string &what = "") const;
  [[noreturn]] void refuse_stored () const;
  [[noreturn]] void usage () const;
};

// ---- values -------------------------------------------------------------------------------------

// A small array of the host with the class and the format of x, with at most two elements a
// dimension: the first ones of an array of the host. What is no array is itself.
octave_value small (const octave_value &x);

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

// Octave's function with these arguments, as if there were no method.
octave_value_list builtin (const named_call &c, octave_value_list args);

octave_value binary (octave_value::binary_op op, const octave_value &a, const octave_value &b);

// Octave's function, of those that make arrays, or another one with the same sizes. Its errors for
// sizes and classes have no identifier and name no gpuArray.
octave_value asked_for (const named_function &f, const octave_value_list &args,
                        const char *function = nullptr);

// The sizes that these arguments of repmat, or of zeros, give; false if they are no whole numbers.
bool get_sizes (const octave_value_list &args, dim_vector &sizes);

// Do these arguments of rand, randn or rande set or return the state of the generator?
bool are_of_state (const std::string &name, const octave_value_list &args);

// Entries first, first + 1, ... of each lane of x along a dimension.
octave_value along (const octave_value &x, int dim, octave_idx_type first, octave_idx_type count);

// Is one of these truth values true? They are stored as a full array. Waits.
bool any_of (const octave_value &x);

// op (X, Y) in the class that Octave's f gives, or its error for classes that it does not take.
octave_value of_two (const named_function &f, gpumm_map_op op, const octave_value &x,
                     const octave_value &y);

// The array in a full gpuArray.
gpumm::array array_of (const octave_value &x);

// ---- the table ----------------------------------------------------------------------------------

// The functions of two numbers, rows of gpumm_elementwise.h, follow these rows.
//
// ROW (name, method, arguments, formats, rule, handler, op), as in named_function. The build makes
// the method's file from the text of its group in octave/methods.
//
// Of the arguments ? may be left out, and ... are any number more. The dispatcher reads these:
//   X      a gpuArray with elements; of other values Octave computes
//   F      the same, of floating-point numbers
//   DIM    a dimension; beside it "all", and the words that ask for nothing
//   INTDIM the same, below 2^31: Octave's function crashes at others
//   DIMS   a dimension, a list of dimensions or "all", in every version of Octave
//   NAN    "omitnan" or "includenan", or "...missing", in every version
//   CLASS  "native", "double" or "default"
//   MODE   "ascend" or "descend"
// clang-format off
#define GPU_FUNCTIONS(ROW)                                                                        \
  ROW (gather, NO_FILE, "A? ...", "fsb", COMPUTED, gather)                                        \
  ROW (gpuArray, NO_FILE, "A? ...", "fsb", COMPUTED, to_device)                                   \
  ROW (zeros, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                         \
  ROW (ones, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                          \
  ROW (eye, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                           \
  ROW (Inf, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                           \
  ROW (NaN, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                           \
  ROW (inf, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                           \
  ROW (nan, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                           \
  ROW (NA, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                            \
  ROW (true, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                          \
  ROW (false, NO_FILE, "N? ...", "fsb", COMPUTED, filled)                                         \
  ROW (rand, NO_FILE, "N? ...", "fsb", COMPUTED, generated)                                       \
  ROW (randn, NO_FILE, "N? ...", "fsb", COMPUTED, generated)                                      \
  ROW (rande, NO_FILE, "N? ...", "fsb", COMPUTED, generated)                                      \
  ROW (randi, NO_FILE, "N? ...", "fsb", COMPUTED, random_integers)                                \
  ROW (randperm, NO_FILE, "N? ...", "fsb", COMPUTED, random_order)                                \
  ROW (linspace, ONE, "A B N? ...", "fsb", COMPUTED, made_by_octave)                              \
  ROW (logspace, NO_FILE, "A B N? ...", "fsb", COMPUTED, made_by_octave)                          \
  ROW (speye, NO_FILE, "N? ...", "fsb", COMPUTED, made_by_octave)                                 \
  ROW (sprand, NO_FILE, "N? ...", "fsb", COMPUTED, made_by_octave)                                \
  ROW (sum, ONE, "X DIMS? CLASS? NAN? ...", "fsb", AS_OCTAVE, sums, GPUMM_FOLD_SUM)               \
  ROW (prod, ONE, "X DIMS? CLASS? NAN? ...", "f", AS_OCTAVE, sums, GPUMM_FOLD_PROD)               \
  ROW (sumsq, ONE, "X DIMS? CLASS? NAN? ...", "fsb", AS_OCTAVE, sumsq)                            \
  ROW (mean, ONE, "X DIMS? CLASS? NAN? ...", "fsb", AS_OCTAVE, mean)                              \
  ROW (cumsum, ONE, "X DIMS? CLASS? NAN? ...", "f", AS_OCTAVE, scans, GPUMM_FOLD_SUM)             \
  ROW (cumprod, ONE, "X DIMS? CLASS? NAN? ...", "f", AS_OCTAVE, scans, GPUMM_FOLD_PROD)           \
  ROW (cummax, SEVERAL, "X DIM? ...", "f", AS_OCTAVE, running_extremes, GPUMM_FOLD_MAX)           \
  ROW (cummin, SEVERAL, "X DIM? ...", "f", AS_OCTAVE, running_extremes, GPUMM_FOLD_MIN)           \
  ROW (sort, SEVERAL, "X INTDIM? MODE? ...", "f", COMPUTED, sort)                                 \
  ROW (median, ONE, "X DIMS? CLASS? NAN? ...", "f", AS_OCTAVE, median)                            \
  ROW (max, SEVERAL, "A B? DIMS? NAN? ...", "fsb", COMPUTED, extreme, GPUMM_FOLD_MAX)             \
  ROW (min, SEVERAL, "A B? DIMS? NAN? ...", "fsb", COMPUTED, extreme, GPUMM_FOLD_MIN)             \
  ROW (range, ONE, "X DIMS? NAN? ...", "fs", COMPUTED, range, GPUMM_FOLD_MAX)                     \
  ROW (bounds, SEVERAL, "X DIMS? NAN? ...", "fs", COMPUTED, bounds, GPUMM_FOLD_MIN)               \
  ROW (any, NO_FILE, "X DIMS?", "fs", COMPUTED, truth, GPUMM_FOLD_ANY)                            \
  ROW (all, NO_FILE, "X DIMS?", "f", COMPUTED, truth, GPUMM_FOLD_ALL)                             \
  ROW (var, SEVERAL, "X WEIGHTS? DIMS? NAN? ...", "fsb", COMPUTED, variance)                      \
  ROW (dot, ONE, "A B DIM?", "fsb", COMPUTED, dot)                                                \
  ROW (norm, ONE, "F P? ...", "fsb", COMPUTED, norm)                                              \
  ROW (vecnorm, ONE, "X P? DIM?", "fs", COMPUTED, vecnorm)                                        \
  ROW (diff, ONE, "X K? DIM?", "fs", COMPUTED, diff)                                              \
  ROW (gradient, SEVERAL, "X H? ...", "f", COMPUTED, gradient)                                    \
  ROW (del2, ONE, "X H? ...", "f", COMPUTED, del2)                                                \
  ROW (kron, ONE, "A B ...", "f", COMPUTED, kron)                                                 \
  ROW (complex, ONE, "A B?", "fs", COMPUTED, complex)                                             \
  ROW (polyval, SEVERAL, "A B W? W?", "f", COMPUTED, polyval)                                     \
  ROW (nextpow2, ONE, "X", "f", AS_OCTAVE, nextpow2)                                              \
  ROW (chol, SEVERAL, "X W? W?", "f", COMPUTED, cholesky)                                         \
  ROW (pagemtimes, NO_FILE, "A B B? B?", "f", COMPUTED, pagemtimes)                               \
  ROW (isequal, ONE, "A B ...", "fsb", COMPUTED, isequal)                                         \
  ROW (isinteger, ONE, "A", "fsb", COMPUTED, isinteger)                                           \
  ROW (logical, ONE, "A", "fsb", COMPUTED, logical)                                               \
  ROW (repmat, ONE, "X N ...", "fsb", COMPUTED, repmat)                                           \
  ROW (cat, ONE, "N A? ...", "fsb", COMPUTED, cat)                                                \
  ROW (tril, ONE, "X K? ...", "fsb", COMPUTED, triangle)                                          \
  ROW (triu, ONE, "X K? ...", "fsb", COMPUTED, triangle)                                          \
  ROW (bsxfun, ONE, "A B? ...", "fsb", COMPUTED, bsxfun)                                          \
  ROW (xor, ONE, "A B ...", "fsb", COMPUTED, exclusive_or)                                        \
  ROW (sparse, ONE, "A ...", "fsb", COMPUTED, sparse_from)                                        \
  ROW (blocksparse, ONE, "A B? ...", "fsb", COMPUTED, blocksparse_from)                           \
  ROW (blocksize, ONE, "A", "fsb", COMPUTED, blocksize)                                           \
  ROW (nnzb, ONE, "A", "fsb", COMPUTED, nnzb)                                                     \
  ROW (dropblocks, ONE, "A TOL", "fsb", COMPUTED, dropblocks)                                     \
  ROW (find, SEVERAL, "A ...", "fsb", COMPUTED, find)                                             \
  ROW (unique, SEVERAL, "A ...", "fsb", COMPUTED, unique)                                         \
  ROW (colon, ONE, "A ...", "fsb", COMPUTED, colon)                                               \
  ROW (arrayfun, SEVERAL, "A ...", "fsb", COMPUTED, by_elements)
// clang-format on

// A handler gets the call as it is read. Several rows may have one.
#define ROW(name, file, arguments, formats, rule, handler, ...)                                    \
  octave_value_list handler (named_call &c);
GPU_FUNCTIONS (ROW)
#undef ROW
octave_value_list of_two_numbers (named_call &c);

#endif

// gpu_functions.h - what the named functions of gpuArrays share: see gpu_functions.cc.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_GPU_FUNCTIONS_H
#define GPUMM_GPU_FUNCTIONS_H

#include <string>

#include "gpuarray.h"

// Who computes a function whose first argument is not on the device, or is empty: the function
// itself, or Octave's own?
enum others { BY_FUNCTION, BY_OCTAVE };

// A row of the table.
struct named_function {
  const char *name;
  octave_value_list (*run) (const named_function &f, const octave_value_list &args, int nargout);
  others of_others = BY_FUNCTION;
  gpumm_fold_op op = GPUMM_FOLD_SUM;     // of a reduction
  octave_idx_type least = 1, most = 999; // number of arguments
};

// ---- Octave's own functions ---------------------------------------------------------------------

// Values as those of the host.
octave_value_list on_host (octave_value_list list);

// Octave's function with arguments of the host.
octave_value_list by_host (const char *name, const octave_value_list &args, int nargout);

// The same with results on the device. For empty arrays, and for rules that differ between versions
// of Octave.
octave_value_list by_host_there (const char *name, const octave_value_list &args, int nargout);

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

inline bool has_device () {
  return gpumm::device_for_new () != gpumm::NO_DEVICE;
}

inline gpumm_type type_of (const octave_value &x) {
  return gpu_value_of (x.get_rep ())->type ();
}

// Is x a real number?
inline bool is_number (const octave_value &x) {
  return x.isnumeric () && x.isreal () && x.numel () == 1;
}

// A dimension from 0 on; -1 if x is none.
int plain_dimension (const octave_value &x);

// ---- operations on values -----------------------------------------------------------------------

octave_value binary (octave_value::binary_op op, const octave_value &a, const octave_value &b);

// The array in a full gpuArray.
gpumm::array array_of (const octave_value &x);

// ---- rows of the table --------------------------------------------------------------------------

#define FUNCTION(name)                                                                             \
  octave_value_list name (const named_function &f, const octave_value_list &args, int nargout);
// In gpu_reductions.cc:
FUNCTION (sums)
FUNCTION (scans)
FUNCTION (mean)
FUNCTION (sumsq)
FUNCTION (dot)
FUNCTION (extreme)
FUNCTION (norm)
// In gpu_shapes.cc:
FUNCTION (repmat)
FUNCTION (cat)
FUNCTION (triangle)
FUNCTION (filled)
FUNCTION (generated)
FUNCTION (sparse_from)
FUNCTION (blocksparse_from)
FUNCTION (find)
FUNCTION (unique)
FUNCTION (colon)
FUNCTION (of_numbers)
FUNCTION (bsxfun)
#undef FUNCTION

#endif

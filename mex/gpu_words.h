// gpu_words.h - how the dispatcher of the named functions reads what stands behind the array: a
// dimension or a list of them, and words.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_GPU_WORDS_H
#define GPUMM_GPU_WORDS_H

#include "gpu_functions.h"

// The arguments that a row declares.
struct declared {
  octave_idx_type least = 0, most = 0;
  octave_idx_type dim = -1;              // the place of DIM
  octave_idx_type words = 1;             // the first place of a word
  bool is_int_dim = false;               // INTDIM
  bool has_dims = false;                 // DIMS
  bool has_second = false;               // B: an array, or empty before DIM
  bool has_nan = false;                  // NAN
  bool has_class = false;                // CLASS
  bool has_mode = false;                 // MODE
  bool has_elements = false;             // the first is X or F
  bool is_float = false;                 // F
  bool takes[3] = {false, false, false}; // formats, by storage
};

declared read_row (const named_function &f);

// Is x a word for all dimensions or for NaN?
bool is_word (const octave_value &x);

// Reads DIMS and NAN, which not every Octave has, and leaves a call without them: of an array whose
// listed dimensions are one.
void read_words (named_call &c, const declared &d, const octave_value_list &given);

// Reads DIM, CLASS and MODE, or raises Octave's error if Octave takes no such arguments.
void read_dimension (named_call &c, const declared &d);

#endif

// gpuarray.h - what the types of gpuArray, for full, sparse and block matrices, know of each other.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_GPUARRAY_H
#define GPUMM_GPUARRAY_H

#include "device_blocks.h"

// A full array as a gpuArray; the array in a full gpuArray for use in an expression, or nothing.
octave_value gpuarray_value (const gpumm::array &x);
bool get_gpuarray (const octave_base_value &x, gpumm::array &to);

// The same of sparse ones.
octave_value gpusparse_value (const gpumm::sparse &x);
bool is_gpusparse (const octave_value &x);

// Registers the type after that of full arrays, with its operators.
void install_gpusparse (octave::type_info &types);

// a OP b where one of them is sparse, and one is on the device.
octave_value gpusparse_binary (octave_value::binary_op op, const octave_base_value &a,
                               const octave_base_value &b);

// What methods ask for, where an argument is a sparse gpuArray.
octave_value_list gpusparse_word (const octave_value_list &args, int nargout);

// The same of matrices in blocks; the words are asked where an argument is one.
octave_value gpublocks_value (const gpumm::blocks &x);
bool is_gpublocks (const octave_value &x);
void install_gpublocks (octave::type_info &types);
octave_value gpublocks_binary (octave_value::binary_op op, const octave_base_value &a,
                               const octave_base_value &b);
octave_value_list gpublocks_word (const octave_value_list &args);

#endif

// gpuarray.h - what the types of gpuArray, for full, sparse and block matrices, know of each other.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_GPUARRAY_H
#define GPUMM_GPUARRAY_H

#include "device_blocks.h"

// A full array as a gpuArray; the array in a full gpuArray for use in an expression, or nothing.
octave_value gpuarray_value (const gpumm::array &x);
bool get_gpuarray (const octave_base_value &x, gpumm::array &to);

// Installs the operators and concatenation for one of the types with values of any type.
void install_with_operators (octave::type_info &types, int id);

// Where Octave inserts a part of this size in a concatenation. It counts an empty part of 1x0 or 0x1 before
// it, which the size of the whole leaves out: an error where the place of other parts was wrong, too.
Array<octave_idx_type> place_of_part (const Array<octave_idx_type> &given, const dim_vector &whole,
                                      const dim_vector &part);

// The same of sparse ones.
octave_value gpusparse_value (const gpumm::sparse &x);
bool is_gpusparse (const octave_value &x);

// Registers the type after that of full arrays, with its operators.
void install_gpusparse (octave::type_info &types);

// a OP b where one of them is sparse, and one is on the device.
octave_value gpusparse_binary (octave_value::binary_op op, const octave_base_value &a,
                               const octave_base_value &b);

// a with b inserted, where one of them is sparse, neither is in blocks, and one is on the device.
octave_value gpusparse_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &place);

// What methods ask for, where an argument is a sparse gpuArray.
octave_value_list gpusparse_word (const octave_value_list &args, int nargout);

// The same of matrices in blocks; the words are asked where an argument is one.
octave_value gpublocks_value (const gpumm::blocks &x);
bool is_gpublocks (const octave_base_value &x);
void install_gpublocks (octave::type_info &types);
octave_value gpublocks_binary (octave_value::binary_op op, const octave_base_value &a,
                               const octave_base_value &b);
octave_value gpublocks_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &place);
octave_value_list gpublocks_word (const octave_value_list &args);

#endif

// block_matrix.h - a matrix in blocks in arrays of Octave, which a blocksparse of the host holds:
// its check, its parts, and how it is shown.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_BLOCK_MATRIX_H
#define GPUMM_BLOCK_MATRIX_H

#include <string>
#include <type_traits>

#include <octave/oct.h>

#include <octave/ov-struct.h>

#include "gpumm.h"

// ---- the matrix ---------------------------------------------------------------------------------

struct block_matrix {
  octave_idx_type rows = 0, cols = 0, block_rows = 1, block_cols = 1;
  int64NDArray start{dim_vector (1, 1), octave_int64 (0)};
  int32NDArray column{dim_vector (0, 1)};
  octave_value values = NDArray (dim_vector (1, 0)); // block_rows x (block_cols count)
  bool awaits_parts = false;                         // made by resize, for a concatenation

  octave_idx_type count () const {
    return column.numel ();
  }
  octave_idx_type grid_rows () const {
    return rows / block_rows;
  }
  octave_idx_type grid_cols () const {
    return cols / block_cols;
  }
  octave_idx_type block_begin (octave_idx_type i) const {
    return start.data ()[i].value ();
  }
  octave_idx_type block_column (octave_idx_type t) const {
    return column.data ()[t].value ();
  }
};

// Raises an error unless the arrays have the sizes of the matrix, and, unless the engine or
// blocksparse.cc has made them, the engine can follow the indices. Drops zero blocks.
block_matrix checked (block_matrix m, bool is_trusted = false);
block_matrix checked (const octave_value &s, bool is_trusted = false);

// The fields of the struct from which checked () makes the matrix.
octave_scalar_map fields (const block_matrix &m);

// The engine's type of the elements of a full array, and the matrix as an operand.
gpumm_type engine_type (const octave_value &x);
gpumm_matrix operand_of (const block_matrix &m);

octave_value make_full (const block_matrix &m);

// S(I,J); S(K), with the result size that Octave gives to arrays; S{I,J}.
octave_value part (const block_matrix &m, const octave::idx_vector &rows,
                   const octave::idx_vector &cols);
octave_value part (const block_matrix &m, const octave::idx_vector &index);
octave_value block (const block_matrix &m, const octave_value_list &index);

// A line that describes the matrix, and the nonzeros in each rectangle of blocks.
std::string summary (const block_matrix &m);
void show_pattern (std::ostream &os, const block_matrix &m);

// ---- arrays of any class ------------------------------------------------------------------------

// Calls f with the full array x as Octave's array class of its elements.
template <typename F> octave_value with_array (const octave_value &x, const F &f) {
  switch (x.builtin_type ()) {
#define CASE(type, name)                                                                           \
  case btyp_##type:                                                                                \
    return f (x.name##_value ());
    CASE (double, array)
    CASE (float, float_array)
    CASE (complex, complex_array)
    CASE (float_complex, float_complex_array)
    CASE (int8, int8_array)
    CASE (int16, int16_array)
    CASE (int32, int32_array)
    CASE (int64, int64_array)
    CASE (uint8, uint8_array)
    CASE (uint16, uint16_array)
    CASE (uint32, uint32_array)
    CASE (uint64, uint64_array)
#undef CASE
  default:
    error ("blocksparse: no elements of class %s", x.class_name ().c_str ());
  }
}

// For writing into a new array that nothing shares yet.
template <typename A> auto *memory_of (A &x) {
  return const_cast<std::remove_const_t<std::remove_pointer_t<decltype (x.data ())>> *> (x.data ());
}

// A new array of the class of values; f (from, to) writes it. (Octave's clear would free the values
// if there is no memory for the new ones.)
template <typename F>
octave_value new_array (const octave_value &values, const dim_vector &size, const F &f) {
  return with_array (values, [&] (const auto &x) {
    std::decay_t<decltype (x)> y (size);
    f (x.data (), memory_of (y));
    return octave_value (y);
  });
}

#endif

// own_matrix.h - a matrix of a type of Octave's own, which is stored in another way than Octave's.
//
// Octave asks a value by virtual functions. A type derives from own_matrix and says its sizes,
// the class of its elements and how it becomes an array of Octave's; the rest follows. Functions
// of Octave that know nothing of the type then see the full matrix, as they do where a matrix is
// sparse; operators of which no form is installed take the full matrix, too.
//
//   named functions   @NAME/*.m are found by the class name, as for old-style classes. So
//                     builtin_type () stays btyp_unknown: otherwise the class of the elements
//                     decides which method is called. What asks for builtin_type () needs a method.
//   operators         are looked up by the pair of types, never by name: install_binary_op, or
//                     install_with_all for a form that goes with a value of any type.
//   is_constant ()    must be true, or the evaluator takes the value for a command.
//   interp.mlock ()   in the function that registers the type: `clear all` must not unload the code
//                     of values that live.
//   MEX files         see the class name but no data: a method hands them arrays.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_OWN_MATRIX_H
#define GPUMM_OWN_MATRIX_H

#include <octave/oct.h>

#include <octave/interpreter.h>
#include <octave/ov-base.h>
#include <octave/ov-typeinfo.h>

class own_matrix : public octave_base_value {
public:
  // The matrix as an Octave matrix, full or sparse; an error if it is too large.
  virtual octave_value whole () const = 0;
  virtual octave_value whole_sparse () const = 0;

  virtual builtin_type_t element_type () const = 0; // btyp_double, btyp_float, btyp_int8 ...
  virtual bool complex_elements () const = 0;

  // ---- what it is

  bool is_defined () const {
    return true;
  }
  bool is_constant () const {
    return true;
  }
  bool isnumeric () const {
    return true;
  }
  bool is_matrix_type () const {
    return dims ().numel () != 1;
  }
  bool is_scalar_type () const {
    return dims ().numel () == 1;
  }
  bool isreal () const {
    return !complex_elements ();
  }
  bool iscomplex () const {
    return complex_elements ();
  }
  bool isfloat () const {
    return is_double_type () || is_single_type ();
  }
  // Never true: otherwise mod and rem trust builtin_type () and abort Octave if their methods are no
  // longer on the path. isinteger is a method, and isa calls is_instance_of.
  bool isinteger () const {
    return false;
  }
  bool is_double_type () const {
    return element_type () == btyp_double;
  }
  bool is_single_type () const {
    return element_type () == btyp_float;
  }
  bool is_int8_type () const {
    return element_type () == btyp_int8;
  }
  bool is_int16_type () const {
    return element_type () == btyp_int16;
  }
  bool is_int32_type () const {
    return element_type () == btyp_int32;
  }
  bool is_int64_type () const {
    return element_type () == btyp_int64;
  }
  bool is_uint8_type () const {
    return element_type () == btyp_uint8;
  }
  bool is_uint16_type () const {
    return element_type () == btyp_uint16;
  }
  bool is_uint32_type () const {
    return element_type () == btyp_uint32;
  }
  bool is_uint64_type () const {
    return element_type () == btyp_uint64;
  }
  bool is_true () const {
    return whole ().is_true ();
  }
  // isa (X, "single"), by which functions choose the class of their result
  bool is_instance_of (const std::string &name) const {
    return name == btyp_class_name[element_type ()] || (name == "integer" && !isfloat ());
  }

  // ---- as the full matrix, for functions and for operators that are not installed

  type_conv_info numeric_conversion_function () const {
    return type_conv_info (converted);
  }

  octave_value full_value () const {
    return whole ();
  }
  octave_value squeeze () const {
    return octave_value (clone ());
  }
  octave_value permute (const Array<int> &order, bool inverse) const {
    return inverse ? whole ().ipermute (order) : whole ().permute (order);
  }
  octave_value reshape (const dim_vector &size) const {
    return whole ().reshape (size);
  }
  octave_value resize (const dim_vector &size, bool fill) const {
    return whole ().resize (size, fill);
  }
  octave_value all (int dim) const {
    return whole ().all (dim);
  }
  octave_value any (int dim) const {
    return whole ().any (dim);
  }
  octave_value diag (octave_idx_type k) const {
    return whole ().diag (k);
  }
  octave_value diag (octave_idx_type m, octave_idx_type n) const {
    return whole ().diag (m, n);
  }
  octave_value sort (octave_idx_type dim, sortmode mode) const {
    return whole ().sort (dim, mode);
  }
  octave_value sort (Array<octave_idx_type> &index, octave_idx_type dim, sortmode mode) const {
    return whole ().sort (index, dim, mode);
  }
  sortmode issorted (sortmode mode) const {
    return whole ().issorted (mode);
  }
  Array<octave_idx_type> sort_rows_idx (sortmode mode) const {
    return whole ().sort_rows_idx (mode);
  }
  sortmode is_sorted_rows (sortmode mode) const {
    return whole ().is_sorted_rows (mode);
  }
  octave_value map (unary_mapper_t f) const {
    return whole ().get_rep ().map (f);
  }
  octave_value convert_to_str_internal (bool pad, bool force, char type) const {
    if (complex_elements ())
      error_with_id ("gpumm:unsupported",
                     "%s: complex numbers as text: take full (S) or sparse (S)",
                     class_name ().c_str ());
    return whole ().convert_to_str_internal (pad, force, type);
  }
  MatrixType matrix_type () const {
    return MatrixType ();
  }
  MatrixType matrix_type (const MatrixType &type) const {
    return type;
  }
  octave::idx_vector index_vector (bool integers) const {
    return whole ().index_vector (integers);
  }

  octave_value as_double () const {
    return whole ().as_double ();
  }
  octave_value as_single () const {
    return whole ().as_single ();
  }

  int write (octave::stream &s, int block, oct_data_conv::data_type to, int skip,
             octave::mach_info::float_format format) const {
    return whole ().write (s, block, to, skip, format);
  }

// NAME (false): an array or an element of the full matrix
#define OWN_MATRIX_OF_WHOLE(type, name)                                                            \
  type name (bool force) const {                                                                   \
    return whole ().name (force);                                                                  \
  }
  OWN_MATRIX_OF_WHOLE (double, double_value)
  OWN_MATRIX_OF_WHOLE (float, float_value)
  OWN_MATRIX_OF_WHOLE (double, scalar_value)
  OWN_MATRIX_OF_WHOLE (float, float_scalar_value)
  OWN_MATRIX_OF_WHOLE (Complex, complex_value)
  OWN_MATRIX_OF_WHOLE (FloatComplex, float_complex_value)
  OWN_MATRIX_OF_WHOLE (bool, bool_value)
  OWN_MATRIX_OF_WHOLE (Matrix, matrix_value)
  OWN_MATRIX_OF_WHOLE (FloatMatrix, float_matrix_value)
  OWN_MATRIX_OF_WHOLE (NDArray, array_value)
  OWN_MATRIX_OF_WHOLE (FloatNDArray, float_array_value)
  OWN_MATRIX_OF_WHOLE (ComplexMatrix, complex_matrix_value)
  OWN_MATRIX_OF_WHOLE (FloatComplexMatrix, float_complex_matrix_value)
  OWN_MATRIX_OF_WHOLE (ComplexNDArray, complex_array_value)
  OWN_MATRIX_OF_WHOLE (FloatComplexNDArray, float_complex_array_value)
  OWN_MATRIX_OF_WHOLE (boolMatrix, bool_matrix_value)
  OWN_MATRIX_OF_WHOLE (boolNDArray, bool_array_value)
  OWN_MATRIX_OF_WHOLE (charMatrix, char_matrix_value)
  OWN_MATRIX_OF_WHOLE (charNDArray, char_array_value)
#undef OWN_MATRIX_OF_WHOLE

  SparseMatrix sparse_matrix_value (bool force) const {
    return whole_sparse ().sparse_matrix_value (force);
  }
  SparseComplexMatrix sparse_complex_matrix_value (bool force) const {
    return whole_sparse ().sparse_complex_matrix_value (force);
  }
  SparseBoolMatrix sparse_bool_matrix_value (bool force) const {
    return whole_sparse ().sparse_bool_matrix_value (force);
  }

#define OWN_MATRIX_OF_INTEGERS(type, prefix)                                                       \
  octave_##type prefix##_scalar_value () const {                                                   \
    return whole ().prefix##_scalar_value ();                                                      \
  }                                                                                                \
  type##NDArray prefix##_array_value () const {                                                    \
    return whole ().prefix##_array_value ();                                                       \
  }                                                                                                \
  octave_value as_##prefix () const {                                                              \
    return whole ().as_##prefix ();                                                                \
  }
  OWN_MATRIX_OF_INTEGERS (int8, int8)
  OWN_MATRIX_OF_INTEGERS (int16, int16)
  OWN_MATRIX_OF_INTEGERS (int32, int32)
  OWN_MATRIX_OF_INTEGERS (int64, int64)
  OWN_MATRIX_OF_INTEGERS (uint8, uint8)
  OWN_MATRIX_OF_INTEGERS (uint16, uint16)
  OWN_MATRIX_OF_INTEGERS (uint32, uint32)
  OWN_MATRIX_OF_INTEGERS (uint64, uint64)
#undef OWN_MATRIX_OF_INTEGERS

#define OWN_MATRIX_OF_WORDS(type, name)                                                            \
  type name (bool integers, bool force) const {                                                    \
    return whole ().name (integers, force);                                                        \
  }
  OWN_MATRIX_OF_WORDS (short int, short_value)
  OWN_MATRIX_OF_WORDS (unsigned short int, ushort_value)
  OWN_MATRIX_OF_WORDS (int, int_value)
  OWN_MATRIX_OF_WORDS (unsigned int, uint_value)
  OWN_MATRIX_OF_WORDS (long int, long_value)
  OWN_MATRIX_OF_WORDS (unsigned long int, ulong_value)
  OWN_MATRIX_OF_WORDS (int64_t, int64_value)
  OWN_MATRIX_OF_WORDS (uint64_t, uint64_value)
#undef OWN_MATRIX_OF_WORDS
  int nint_value (bool force) const {
    return whole ().nint_value (force);
  }

private:
  static octave_base_value *converted (const octave_base_value &x) {
    return dynamic_cast<const own_matrix &> (x).whole ().get_rep ().clone ();
  }
};

// Installs f for x OP y and y OP x with any y.
static inline void install_with_all (octave::type_info &types, octave_value::binary_op op, int x,
                                     octave::type_info::binary_op_fcn f) {
  const int count = types.installed_type_names ().numel ();
  for (int y = 0; y < count; y++) {
    types.install_binary_op (op, x, y, f);
    if (y != x)
      types.install_binary_op (op, y, x, f);
  }
}

// An operand as a value that shares its memory.
static inline octave_value shared (const octave_base_value &x) {
  return octave_value (x.clone ());
}

#endif

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

#include "gpumm.h"

class own_matrix : public octave_base_value {
public:
  // The matrix as an Octave matrix, full or sparse; an error if it is too large.
  virtual octave_value whole () const = 0;
  virtual octave_value whole_sparse () const = 0;

  // A full array with the class of the matrix's elements, complex if the matrix is.
  virtual const octave_value &elements () const = 0;

  // As an operand of the engine that shares this value's memory; for types that are stored so.
  virtual gpumm_matrix stored () const {
    return gpumm_matrix ();
  }

  // ---- what it is

  bool is_defined () const {
    return true;
  }
  bool is_constant () const {
    return true;
  }
  bool islogical () const {
    return elements ().islogical ();
  }
  bool isnumeric () const {
    return !islogical ();
  }
  bool is_matrix_type () const {
    return dims ().numel () != 1;
  }
  bool is_scalar_type () const {
    return dims ().numel () == 1;
  }
  bool is_real_scalar () const {
    return is_scalar_type () && isreal ();
  }
  bool is_bool_scalar () const {
    return is_scalar_type () && islogical ();
  }
  bool isreal () const {
    return !iscomplex ();
  }
  bool iscomplex () const {
    return elements ().iscomplex ();
  }
  bool isfloat () const {
    return elements ().isfloat ();
  }
  // Never true: otherwise mod and rem trust builtin_type () and abort Octave if their methods are
  // no longer on the path. isinteger is a method, and isa calls is_instance_of.
  bool isinteger () const {
    return false;
  }
  bool is_double_type () const {
    return elements ().is_double_type ();
  }
  bool is_single_type () const {
    return elements ().is_single_type ();
  }
  // isa (X, "single"), by which functions choose the class of their result
  bool is_instance_of (const std::string &name) const {
    return name == elements ().class_name () || (name == "integer" && !isfloat ());
  }

  // ---- as the full matrix, for functions and for operators that are not installed

  // With the type, Octave leaves a logical array or a text as it is where this matrix is assigned
  // to a part.
  type_conv_info numeric_conversion_function () const {
    return type_conv_info (converted, elements ().type_id ());
  }

  octave_value full_value () const {
    return whole ();
  }
  using octave_base_value::subsref;
  octave_value_list subsref (const std::string &type, const std::list<octave_value_list> &index,
                             int) {
    return ovl (subsref (type, index));
  }
  octave_value squeeze () const {
    return octave_value (clone ());
  }
  octave_value permute (const Array<int> &order, bool inverse) const {
    return inverse ? whole ().ipermute (order) : whole ().permute (order);
  }
  octave_value map (unary_mapper_t f) const {
    return whole ().get_rep ().map (f);
  }
  octave_value convert_to_str_internal (bool pad, bool force, char type) const {
    if (iscomplex ())
      error_with_id ("gpumm:unsupported",
                     "%s: complex numbers cannot become text. Use full (S) or sparse (S)",
                     class_name ().c_str ());
    return whole ().convert_to_str_internal (pad, force, type);
  }
  MatrixType matrix_type () const {
    return MatrixType ();
  }
  MatrixType matrix_type (const MatrixType &type) const {
    return type;
  }
  // The matrix with elements of another class: type is one of octave_value's as_double ...
  virtual octave_value elements_as (octave_value (octave_value::*type) () const) const {
    return (whole ().*type) ();
  }

#define OF_WHOLE(type, name, parameters, arguments)                                                \
  type name parameters const {                                                                     \
    return whole ().name arguments;                                                                \
  }
  OF_WHOLE (bool, is_true, (), ())
  OF_WHOLE (octave_value, reshape, (const dim_vector &size), (size))
  OF_WHOLE (octave_value, resize, (const dim_vector &size, bool fill), (size, fill))
  OF_WHOLE (octave_value, all, (int dim), (dim))
  OF_WHOLE (octave_value, any, (int dim), (dim))
  OF_WHOLE (octave_value, diag, (octave_idx_type k), (k))
  OF_WHOLE (octave_value, diag, (octave_idx_type m, octave_idx_type n), (m, n))
  OF_WHOLE (octave_value, sort, (octave_idx_type dim, sortmode mode), (dim, mode))
  OF_WHOLE (octave_value, sort,
            (Array<octave_idx_type> & index, octave_idx_type dim, sortmode mode),
            (index, dim, mode))
  OF_WHOLE (sortmode, issorted, (sortmode mode), (mode))
  OF_WHOLE (Array<octave_idx_type>, sort_rows_idx, (sortmode mode), (mode))
  OF_WHOLE (sortmode, is_sorted_rows, (sortmode mode), (mode))
  OF_WHOLE (octave::idx_vector, index_vector, (bool integers), (integers))
  OF_WHOLE (int, write,
            (octave::stream & s, int block, oct_data_conv::data_type to, int skip,
             octave::mach_info::float_format format),
            (s, block, to, skip, format))

// an array or an element
#define OF_WHOLE_FORCED(type, name) OF_WHOLE (type, name, (bool force), (force))
  OF_WHOLE_FORCED (double, double_value)
  OF_WHOLE_FORCED (float, float_value)
  OF_WHOLE_FORCED (Complex, complex_value)
  OF_WHOLE_FORCED (FloatComplex, float_complex_value)
  OF_WHOLE_FORCED (bool, bool_value)
  OF_WHOLE_FORCED (Matrix, matrix_value)
  OF_WHOLE_FORCED (FloatMatrix, float_matrix_value)
  OF_WHOLE_FORCED (NDArray, array_value)
  OF_WHOLE_FORCED (FloatNDArray, float_array_value)
  OF_WHOLE_FORCED (ComplexMatrix, complex_matrix_value)
  OF_WHOLE_FORCED (FloatComplexMatrix, float_complex_matrix_value)
  OF_WHOLE_FORCED (ComplexNDArray, complex_array_value)
  OF_WHOLE_FORCED (FloatComplexNDArray, float_complex_array_value)
  OF_WHOLE_FORCED (boolMatrix, bool_matrix_value)
  OF_WHOLE_FORCED (boolNDArray, bool_array_value)
  OF_WHOLE_FORCED (charMatrix, char_matrix_value)
  OF_WHOLE_FORCED (charNDArray, char_array_value)

// a size, a dimension or another number
#define OF_WHOLE_NUMBER(type, name)                                                                \
  OF_WHOLE (type, name, (bool must_be_whole, bool force), (must_be_whole, force))
  OF_WHOLE_NUMBER (short int, short_value)
  OF_WHOLE_NUMBER (unsigned short int, ushort_value)
  OF_WHOLE_NUMBER (int, int_value)
  OF_WHOLE_NUMBER (unsigned int, uint_value)
  OF_WHOLE_NUMBER (long int, long_value)
  OF_WHOLE_NUMBER (unsigned long int, ulong_value)
  OF_WHOLE_NUMBER (int64_t, int64_value)
  OF_WHOLE_NUMBER (uint64_t, uint64_value)
  OF_WHOLE (int, nint_value, (bool force), (force))
#undef OF_WHOLE_NUMBER

#define OF_WHOLE_INTEGERS(type)                                                                    \
  bool is_##type##_type () const {                                                                 \
    return elements ().is_##type##_type ();                                                        \
  }                                                                                                \
  octave_value as_##type () const {                                                                \
    return elements_as (&octave_value::as_##type);                                                 \
  }                                                                                                \
  OF_WHOLE (octave_##type, type##_scalar_value, (), ())                                            \
  OF_WHOLE (type##NDArray, type##_array_value, (), ())
  OF_WHOLE_INTEGERS (int8)
  OF_WHOLE_INTEGERS (int16)
  OF_WHOLE_INTEGERS (int32)
  OF_WHOLE_INTEGERS (int64)
  OF_WHOLE_INTEGERS (uint8)
  OF_WHOLE_INTEGERS (uint16)
  OF_WHOLE_INTEGERS (uint32)
  OF_WHOLE_INTEGERS (uint64)
#undef OF_WHOLE_INTEGERS
#undef OF_WHOLE_FORCED
#undef OF_WHOLE

  octave_value as_double () const {
    return elements_as (&octave_value::as_double);
  }
  octave_value as_single () const {
    return elements_as (&octave_value::as_single);
  }
  SparseMatrix sparse_matrix_value (bool force) const {
    return whole_sparse ().sparse_matrix_value (force);
  }
  SparseComplexMatrix sparse_complex_matrix_value (bool force) const {
    return whole_sparse ().sparse_complex_matrix_value (force);
  }
  SparseBoolMatrix sparse_bool_matrix_value (bool force) const {
    return whole_sparse ().sparse_bool_matrix_value (force);
  }

private:
  static octave_base_value *converted (const octave_base_value &x) {
    return dynamic_cast<const own_matrix &> (x).whole ().get_rep ().clone ();
  }
};

// An error if a type of this name is there already: its values would meet different code.
static inline void check_first (octave::type_info &types, const char *name) {
  if (types.lookup_type (name).is_defined ())
    error_with_id ("gpumm:internal",
                   "%s: this Octave has loaded gpumm from another folder. Start Octave again",
                   name);
}

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

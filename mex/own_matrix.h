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
//   files             hold the type's name and then what save_... writes; those of MATLAB hold what
//                     class_name (), dims () and the questions for the kind say. So while Octave
//                     saves, a value answers all of them as the matrix that takes its place there.
//                     An error would keep Octave alive that saves its workspace because SIGTERM
//                     ends it: what cannot be read is left out.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_OWN_MATRIX_H
#define GPUMM_OWN_MATRIX_H

#include <octave/oct.h>

#include <octave/interpreter.h>
#include <octave/ov-base.h>
#include <octave/ov-typeinfo.h>
#include <octave/parse.h>

#include <iostream>

#include "gpumm.h"
#include "saved.h"

// The type and its names, in place of Octave's DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA.
#define OWN_TYPE(type, text, class_text)                                                           \
public:                                                                                            \
  int type_id () const {                                                                           \
    return id;                                                                                     \
  }                                                                                                \
  std::string type_name () const {                                                                 \
    look_for_dump ();                                                                              \
    const octave_value x = in_file ();                                                             \
    return x.is_defined () ? x.type_name () : text;                                                \
  }                                                                                                \
  std::string class_name () const {                                                                \
    if (!is_for_file ())                                                                           \
      return class_text;                                                                           \
    const octave_value x = in_file ();                                                             \
    return x.is_defined () ? x.class_name () : class_text;                                         \
  }                                                                                                \
  static int static_type_id () {                                                                   \
    return id;                                                                                     \
  }                                                                                                \
  static void register_type (octave::type_info &types) {                                           \
    id = types.register_type (text, class_text, octave_value (new type ()));                       \
  }                                                                                                \
                                                                                                   \
private:                                                                                           \
  inline static int id = -1;

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

  // ---- in files

  // What files get in place of this value; undefined: the value itself.
  virtual octave_value for_file () const = 0;

  // What a handle has captured is asked for its type name first, without byte_size () before.
  virtual void look_for_dump () const {
  }

  // Does Octave save? Asked ten times for each operator, and an octave_value takes as long to make.
  static bool is_for_file () {
    file_copy &c = copy_for_file;
    if (c.is_reading)
      return false;
    if (octave_saves ())
      return true;
    if (c.of)
      c = file_copy ();
    return false;
  }

  // The same while Octave saves, otherwise undefined.
  octave_value in_file () const {
    file_copy &c = copy_for_file;
    if (!is_for_file ())
      return octave_value ();
    if (c.frame.lock () != current_frame ())
      c = file_copy ();
    if (c.of != this) {
      c.frame = current_frame ();
      c.of = this;
      c.value = octave_value (); // before another one takes memory
      c.value = read_for_file ();
    }
    return c.value;
  }
  bool is_left_out () const {
    const file_copy &c = copy_for_file;
    return !c.left_out.empty () && !c.is_reading && octave_saves () && c.left_out.count (this) > 0;
  }

  // Bytes in memory, and while Octave saves its workspace those that count for
  // octave_core_file_limit.
  virtual std::size_t stored_bytes () const = 0;
  std::size_t byte_size () const {
    const int calls = calls_below_dump ();
    if (calls < 0)
      return stored_bytes ();
    octave::load_save_system &files =
        octave::interpreter::the_interpreter ()->get_load_save_system ();
    const double limit = files.octave_core_file_limit ();
    std::size_t bytes = 0;
    if (limit >= 0 && error_in ([&] () { bytes = stored_bytes (); }).empty ()
        && double (bytes) / 1024 >= limit)
      return bytes; // without reading it
    const octave_value x = in_file ();
    if (!is_left_out ())
      return x.is_defined () ? x.byte_size () : stored_bytes ();
    // a variable is left out if it is above the limit; in a cell or a struct an empty matrix is its
    // place
    if (calls > 1)
      return 0;
    if (limit < 0)
      files.octave_core_file_limit (MOST_KILOBYTES);
    return std::numeric_limits<std::size_t>::max ();
  }

  bool save_ascii (std::ostream &os) {
    return saved ().save_ascii (os);
  }
  bool save_binary (std::ostream &os, bool as_floats) {
    return saved ().save_binary (os, as_floats);
  }
  bool save_hdf5 (octave_hdf5_id place, const char *name, bool as_floats) {
    return saved ().save_hdf5 (place, name, as_floats);
  }
  bool is_real_matrix () const {
    return in_file ().is_real_matrix ();
  }
  bool is_complex_scalar () const {
    return in_file ().is_complex_scalar ();
  }
  // Writers of MATLAB's files ask this last for unknown types, and one of them would write a file
  // without the values.
  bool is_complex_matrix () const {
    const octave_value x = in_file ();
    if (!x.is_defined ())
      refuse_file ();
    return x.is_complex_matrix ();
  }

  // ---- what it is

  // `save` asks this, and skips the variable.
  bool is_defined () const {
    if (!is_for_file ())
      return true;
    (void) in_file ();
    return !is_left_out ();
  }
  bool is_constant () const {
    return true;
  }
  // For a range, as 1:k, Octave asks its limits if they are objects, and for objects calls `colon`.
  // All others who ask this get no: they would not take an object for an array.
  [[gnu::noinline]] bool isobject () const {
    octave_value (*const range) (const octave_value &, const octave_value &, const octave_value &,
                                 bool) = octave::colon_op;
    return _Unwind_FindEnclosingFunction (__builtin_return_address (0))
           == reinterpret_cast<void *> (range);
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
    const octave_value x = in_file (); // real if all imaginary parts are zero
    return x.is_defined () ? x.iscomplex () : elements ().iscomplex ();
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

protected:
  // The error where files cannot hold the value.
  [[noreturn]] virtual void refuse_file () const = 0;

  // A matrix in blocks for the files of MATLAB, which have none.
  static octave_value without_blocks (const octave_value &x) {
    return x.is_double_type () || x.islogical () ? octave::feval ("sparse", ovl (x), 1) (0)
                                                 : x.full_value ();
  }

private:
  // More than any variable has, and less than a size_t holds.
  static constexpr double MOST_KILOBYTES = 1e15;

  octave_value saved () const {
    const octave_value x = in_file ();
    if (!x.is_defined ())
      refuse_file ();
    return x;
  }

  // for_file (), or if that fails an empty matrix of the class and a line that says so.
  octave_value read_for_file () const {
    file_copy &c = copy_for_file;
    c.is_reading = true;
    octave::unwind_action ends ([&c] () { c.is_reading = false; });
    octave_value x;
    if (c.left_out.count (this) == 0) {
      const std::string text = error_in ([&] () { x = for_file (); });
      if (text.empty ())
        return x;
      c.left_out.insert (this);
      std::cerr << "save: a " << dims ().str () << ' ' << class_name ()
                << " cannot be read and is left out: " << text << std::endl;
    }
    return elements ().resize (dim_vector (0, 0));
  }

  // The text of the error that f raises, or nothing.
  template <typename F> static std::string error_in (const F &f) {
    try {
      f ();
      return "";
    } catch (const octave::execution_exception &err) {
      octave::interpreter::the_interpreter ()->recover_from_exception ();
      return err.message ();
    } catch (const std::bad_alloc &) {
      return "out of memory";
    }
  }

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

// blocksparse.cc - the type of block-sparse matrices.
//
//   S = __blocksparse__ (STRUCT)        checks STRUCT and removes zero blocks
//   S = __blocksparse__ (STRUCT, "product")   trusts STRUCT: the engine has made it
//   STRUCT = __blocksparse__ (S)
//   A = __blocksparse__ (S, "whole")    the full matrix, or an error if it is too large to make
//                                       unasked
//   __blocksparse__ ()                  registers the type, so that load finds it
//
// STRUCT has the fields rows, cols, block_rows, block_cols (of a block), start (int64: offsets of
// the block rows), column (int32: block column of each block, from 0) and values (the blocks side
// by side). They are Octave arrays, shared by reference as usual. Every blocksparse from the
// constructor or a file passes through checked (), so the engine can follow its indices.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "block_index.h"
#include "own_matrix.h"

#include <octave/ov-struct.h>
#include <octave/parse.h>
#include <octave/quit.h>

#include "gpumm_tools.h"

// A function of Octave without a method for blocks gets the full matrix up to this many bytes. A
// larger one could fill the memory unasked, so the user must write full (S) or sparse (S).
static const double MOST_IMPLICIT_BYTES = 1 << 30;

static const double MOST_BLOCK_ROWS = 2147483647;        // rows and columns of blocks: int32
static const double MOST_PLACES = 9007199254740992;      // 2^53: places are also numbered in double
static const double MOST_ELEMENTS = 4611686018427387904; // 2^62: the most that Octave can count

// ---- arrays of any class ------------------------------------------------------------------------

static gpumm_type engine_type (const octave_value &x) {
  static const gpumm_type types[] = {GPUMM_D,  GPUMM_S,   GPUMM_Z,   GPUMM_C,
                                     GPUMM_I8, GPUMM_I16, GPUMM_I32, GPUMM_I64,
                                     GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_U64};
  static_assert (btyp_float == 1 && btyp_complex == 2 && btyp_float_complex == 3 && btyp_int8 == 4
                     && btyp_uint64 == 11,
                 "the order of Octave's types");
  return types[x.builtin_type ()];
}

// Calls f with the full array x as Octave's array class of its elements.
template <typename F> static octave_value with_array (const octave_value &x, const F &f) {
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
template <typename A> static auto *memory_of (A &x) {
  return const_cast<std::remove_const_t<std::remove_pointer_t<decltype (x.data ())> > *> (
      x.data ());
}

// A new array of the class of values; f (from, to) writes it. (Octave's clear would free the values
// if there is no memory for the new ones.)
template <typename F>
static octave_value new_array (const octave_value &values, const dim_vector &size, const F &f) {
  return with_array (values, [&] (const auto &x) {
    std::decay_t<decltype (x)> y (size);
    f (x.data (), memory_of (y));
    return octave_value (y);
  });
}

template <typename T> static void fill_zeros (T *to, octave_idx_type count) {
  std::fill_n (to, count, T (0));
}

// ---- the matrix ---------------------------------------------------------------------------------

namespace {

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

} // namespace

// ---- the check ----------------------------------------------------------------------------------

template <typename... T> [[noreturn]] static void damaged (const char *format, T... values) {
  error_with_id ("gpumm:blocksparse:structure", (std::string ("blocksparse: ") + format).c_str (),
                 values...);
}

static octave_value field (const octave_scalar_map &s, const char *name) {
  if (!s.isfield (name))
    damaged ("the struct has no field \"%s\"", name);
  return s.contents (name);
}

static octave_idx_type size_field (const octave_scalar_map &s, const char *name, double least,
                                   double most) {
  const octave_value x = field (s, name);
  const bool number = (x.isfloat () || x.isinteger ()) && x.isreal () && x.numel () == 1;
  const double size = number ? x.double_value () : -1;
  if (!(size >= least && size <= most && size == std::floor (size)))
    damaged ("%s must be a whole number of %.0f to %.0f", name, least, most);
  return static_cast<octave_idx_type> (size);
}

// The field as a full array, whose memory can be read; type is its class, or NULL for any class of
// elements.
static octave_value array_field (const octave_scalar_map &s, const char *name, const char *type) {
  const octave_value x = field (s, name);
  auto *const classes_end = btyp_class_name + btyp_bool; // after those of numbers
  if (type ? x.class_name () != type
           : std::find (btyp_class_name, classes_end, x.class_name ()) == classes_end)
    damaged ("%s must be of class %s, and not %s", name,
             type ? type : "double, single or an integer class", x.class_name ().c_str ());
  if (x.issparse ())
    damaged ("%s must be a full array", name);
  return x.full_value (); // of a range, say
}

static gpumm_matrix operand_of (const block_matrix &m) {
  gpumm_matrix x = {};
  x.format = GPUMM_BLOCKS;
  x.type = engine_type (m.values);
  x.rows = m.rows;
  x.cols = m.cols;
  x.nzmax = m.count ();
  x.values = const_cast<void *> (m.values.mex_get_data ());
  x.block_rows = m.block_rows;
  x.block_cols = m.block_cols;
  x.start = reinterpret_cast<int64_t *> (const_cast<octave_int64 *> (m.start.data ()));
  x.block_column = reinterpret_cast<int32_t *> (const_cast<octave_int32 *> (m.column.data ()));
  return x;
}

// The matrix without its zero blocks.
static block_matrix without_zeros (const block_matrix &m, octave_idx_type zeros) {
  const octave_idx_type left = m.count () - zeros;
  const dim_vector size (m.block_rows, m.block_cols * left);
  block_matrix r = m;
  r.start = int64NDArray (m.start.dims (), octave_int64 (0));
  r.column = int32NDArray (dim_vector (left, 1));
  r.values = new_array (m.values, size, [&] (const auto *block, auto *to) {
    const octave_idx_type each = m.block_rows * m.block_cols;
    octave_idx_type out = 0;
    for (octave_idx_type i = 0; i < m.grid_rows (); i++) {
      for (octave_idx_type t = m.block_begin (i); t < m.block_begin (i + 1); t++, block += each)
        if (std::count (block, block + each, std::decay_t<decltype (*block)> (0)) < each) {
          r.column.xelem (out) = m.column.data ()[t];
          std::copy_n (block, each, to + out++ * each);
        }
      r.start.xelem (i + 1) = octave_int64 (out);
    }
  });
  return r;
}

// Raises an error unless the arrays have the sizes of the matrix, and, unless the engine or this
// file has made them, the engine can follow the indices. Drops zero blocks.
static block_matrix checked (block_matrix m, bool is_trusted = false) {
  m.awaits_parts = false;
  if (m.start.numel () != m.grid_rows () + 1)
    damaged ("start must have %ld offsets, one more than there are block rows, and not %ld",
             long (m.grid_rows () + 1), long (m.start.numel ()));
  const octave_idx_type each = m.block_rows * m.block_cols, most = m.values.numel ();
  if (m.count () > 0 ? most % m.count () != 0 || most / m.count () != each : most != 0)
    damaged ("values must have %ld elements for each of %ld blocks, and not %ld in all",
             long (each), long (m.count ()), long (most));
  m.start = m.start.reshape (dim_vector (m.start.numel (), 1));
  m.column = m.column.reshape (dim_vector (m.count (), 1));
  m.values = m.values.reshape (dim_vector (m.block_rows, m.block_cols * m.count ()));

  if (is_trusted)
    return m;
  const gpumm_matrix x = operand_of (m);
  int64_t zeros = 0;
  const gpumm_status status = gpumm_blocks_verify (&x, &zeros);
  if (status == GPUMM_CANCELLED)
    octave_quit (); // throws the interrupt that cancelled it
  if (status != GPUMM_OK)
    damaged ("%s", gpumm_last_error ());
  return zeros > 0 ? without_zeros (m, zeros) : m;
}

static block_matrix checked (const octave_value &s, bool is_trusted = false) {
  if (!s.isstruct () || s.numel () != 1)
    damaged ("it is made of one struct, and not of %s of %s", s.class_name ().c_str (),
             s.dims ().str ().c_str ());
  const octave_scalar_map map = s.scalar_map_value ();
  block_matrix m;
  m.block_rows = size_field (map, "block_rows", 1, MOST_BLOCK_ROWS);
  m.block_cols = size_field (map, "block_cols", 1, MOST_BLOCK_ROWS);
  m.rows = size_field (map, "rows", 0, MOST_BLOCK_ROWS * m.block_rows);
  m.cols = size_field (map, "cols", 0, MOST_BLOCK_ROWS * m.block_cols);
  if (m.rows % m.block_rows != 0 || m.cols % m.block_cols != 0)
    damaged ("%ldx%ld does not divide into blocks of %ldx%ld", long (m.rows), long (m.cols),
             long (m.block_rows), long (m.block_cols));
  if (double (m.grid_rows ()) * double (m.grid_cols ()) > MOST_PLACES
      || double (m.rows) * double (m.cols) >= MOST_ELEMENTS)
    damaged ("%ldx%ld is more than 2^53 blocks, or 2^62 elements", long (m.rows), long (m.cols));

  m.start = array_field (map, "start", "int64").int64_array_value ();
  m.column = array_field (map, "column", "int32").int32_array_value ();
  m.values = array_field (map, "values", nullptr);
  return checked (m, is_trusted);
}

static octave_scalar_map fields (const block_matrix &m) {
  octave_scalar_map s;
  s.assign ("rows", double (m.rows));
  s.assign ("cols", double (m.cols));
  s.assign ("block_rows", double (m.block_rows));
  s.assign ("block_cols", double (m.block_cols));
  s.assign ("start", m.start);
  s.assign ("column", m.column);
  s.assign ("values", m.values);
  return s;
}

// ---- elements -----------------------------------------------------------------------------------

static octave_value make_full (const block_matrix &m) {
  return new_array (m.values, dim_vector (m.rows, m.cols), [&] (const auto *from, auto *to) {
    fill_zeros (to, m.rows * m.cols);
    for (octave_idx_type i = 0; i < m.grid_rows (); i++)
      for (octave_idx_type t = m.block_begin (i); t < m.block_begin (i + 1); t++)
        for (octave_idx_type c = 0; c < m.block_cols; c++)
          std::copy_n (from + (t * m.block_cols + c) * m.block_rows, m.block_rows,
                       to + i * m.block_rows + (m.block_column (t) * m.block_cols + c) * m.rows);
  });
}

// Where the block in block row i, block column j is stored, or -1.
static octave_idx_type find_block (const block_matrix &m, octave_idx_type i, octave_idx_type j) {
  const octave_int32 *begin = m.column.data () + m.block_begin (i);
  const octave_int32 *end = m.column.data () + m.block_begin (i + 1);
  const octave_int32 *at = std::lower_bound (begin, end, octave_int32 (j));
  return at != end && at->value () == j ? at - m.column.data () : -1;
}

// element (i,j), t: the block from find_block
template <typename T>
static T element_at (const block_matrix &m, const T *values, octave_idx_type t, octave_idx_type i,
                     octave_idx_type j) {
  return t < 0 ? T (0)
               : values[(t * m.block_cols + j % m.block_cols) * m.block_rows + i % m.block_rows];
}

// The error unless all of index, which is dimension d of nd, are among n.
static void check_index (const block_matrix &m, const octave::idx_vector &index, octave_idx_type n,
                         int nd, int d) {
  if (index.extent (n) > n)
    octave::err_index_out_of_range (nd, d, index.extent (n), n, dim_vector (m.rows, m.cols));
}

// S(I,J)
static octave_value part (const block_matrix &m, const octave::idx_vector &rows,
                          const octave::idx_vector &cols) {
  check_index (m, rows, m.rows, 2, 1);
  check_index (m, cols, m.cols, 2, 2);
  const octave_idx_type p = rows.length (m.rows), q = cols.length (m.cols);
  if (double (p) * double (q) * m.values.byte_size () > 0)
    (void) dim_vector (p, q).safe_numel (); // Octave's own error on overflow
  return new_array (m.values, dim_vector (p, q), [&] (const auto *from, auto *to) {
    for (octave_idx_type v = 0; v < q; v++) {
      const octave_idx_type j = cols (v);
      octave_idx_type of = -1, t = -1; // consecutive rows often lie in one block
      for (octave_idx_type u = 0; u < p; u++) {
        const octave_idx_type i = rows (u);
        if (i / m.block_rows != of) {
          octave_quit ();
          of = i / m.block_rows;
          t = find_block (m, of, j / m.block_cols);
        }
        *to++ = element_at (m, from, t, i, j);
      }
    }
  });
}

// S(K), with the result size that Octave gives to arrays.
static octave_value part (const block_matrix &m, const octave::idx_vector &index) {
  const dim_vector whole (m.rows, m.cols);
  const octave_idx_type n = whole.numel (), length = index.length (n);
  check_index (m, index, n, 1, 1);
  dim_vector size = index.orig_dimensions ();
  if (n != 1 && whole.is_nd_vector () && length != 1 && size.is_nd_vector ())
    size = whole.make_nd_vector (length);
  if (index.is_colon ())
    size = dim_vector (n, 1);
  return new_array (m.values, size, [&] (const auto *from, auto *to) {
    for (octave_idx_type u = 0; u < length; u++) {
      const octave_idx_type i = index (u) % m.rows, j = index (u) / m.rows;
      *to++ = element_at (m, from, find_block (m, i / m.block_rows, j / m.block_cols), i, j);
    }
  });
}

// S{I,J}
static octave_value block (const block_matrix &m, const octave_value_list &index) {
  const block_index at (index, dim_vector (m.rows, m.cols),
                        dim_vector (m.block_rows, m.block_cols));
  return part (m, at.rows, at.cols);
}

// ---- what is shown ------------------------------------------------------------------------------

static std::string summary (const block_matrix &m) {
  char text[256];
  snprintf (text, sizeof text,
            "%ldx%ld blocksparse %s%s: %ld of %ld blocks of %ldx%ld, %ld nonzeros", long (m.rows),
            long (m.cols), m.values.iscomplex () ? "complex " : "", m.values.class_name ().c_str (),
            long (m.count ()), long (m.grid_rows () * m.grid_cols ()), long (m.block_rows),
            long (m.block_cols), long (m.values.nnz ()));
  return text;
}

// Counts the nonzeros in each rectangle of blocks; rectangles are large enough that at most
// MOST_SHOWN fit a row or a column.
static void show_pattern (std::ostream &os, const block_matrix &m) {
  enum { MOST_SHOWN = 16 };
  const octave_idx_type grid[] = {m.grid_rows (), m.grid_cols ()};
  if (grid[0] == 0 || grid[1] == 0)
    return;
  octave_idx_type step[2], size[2];
  for (int d = 0; d < 2; d++) {
    step[d] = (grid[d] + MOST_SHOWN - 1) / MOST_SHOWN;
    size[d] = (grid[d] + step[d] - 1) / step[d];
  }
  std::vector<octave_idx_type> counts (size[0] * size[1], 0);
  with_array (m.values, [&] (const auto &x) {
    const octave_idx_type each = m.block_rows * m.block_cols;
    for (octave_idx_type i = 0; i < grid[0]; i++)
      for (octave_idx_type t = m.block_begin (i); t < m.block_begin (i + 1); t++) {
        const auto *of = x.data () + t * each;
        const auto zero = std::decay_t<decltype (*of)> (0);
        counts[i / step[0] * size[1] + m.block_column (t) / step[1]] +=
            each - std::count (of, of + each, zero);
      }
    return octave_value ();
  });
  const int width =
      int (std::to_string (*std::max_element (counts.begin (), counts.end ())).size ());
  if (step[0] > 1 || step[1] > 1)
    os << "  in rectangles of " << step[0] << "x" << step[1] << " blocks:\n";
  for (octave_idx_type i = 0; i < size[0]; i++) {
    os << "  ";
    for (octave_idx_type j = 0; j < size[1]; j++) {
      const octave_idx_type n = counts[i * size[1] + j];
      const std::string number = n > 0 ? std::to_string (n) : ".";
      os << std::string (width + 2 - number.size (), ' ') + number;
    }
    os << "\n";
  }
}

// ---- the type -----------------------------------------------------------------------------------

class octave_blocksparse : public own_matrix {
public:
  octave_blocksparse () = default;
  explicit octave_blocksparse (const block_matrix &m) : m (m) {
  }
  octave_blocksparse (const octave_blocksparse &) = default;

  octave_base_value *clone () const {
    return new octave_blocksparse (*this);
  }
  octave_base_value *empty_clone () const {
    return new octave_blocksparse ();
  }

  octave_value whole () const;
  octave_value whole_sparse () const;
  const octave_value &elements () const {
    return m.values;
  }
  gpumm_matrix stored () const {
    return operand_of (m);
  }

  dim_vector dims () const {
    return dim_vector (m.rows, m.cols);
  }
  std::size_t byte_size () const {
    return m.start.byte_size () + m.column.byte_size () + m.values.byte_size ();
  }
  octave_idx_type nnz () const {
    return m.values.nnz ();
  }
  octave_idx_type nzmax () const {
    return m.values.numel ();
  }

  octave_value full_value () const {
    return make_full (m);
  }
  octave_value resize (const dim_vector &size, bool fill) const;
  octave_value map (unary_mapper_t f) const;

  octave_value elements_as (octave_value (octave_value::*type) () const) const {
    return with_values ((m.values.*type) ());
  }

  octave_value fast_elem_extract (octave_idx_type n) const;
  octave_value do_index_op (const octave_value_list &index, bool resize_ok = false);
  octave_value subsref (const std::string &type, const std::list<octave_value_list> &index);
  octave_value subsasgn (const std::string &type, const std::list<octave_value_list> &index,
                         const octave_value &value);

  bool print_name_tag (std::ostream &os, const std::string &name) const {
    indent (os);
    os << name << " = ";
    return false;
  }
  void print (std::ostream &os, bool = false) {
    print_raw (os);
  }
  void print_raw (std::ostream &os, bool = false) const {
    os << summary (m) << "\n";
    show_pattern (os, m);
  }
  void short_disp (std::ostream &os) const {
    os << summary (m);
  }

  // Files hold the struct, under the name of the type.
  bool save_ascii (std::ostream &os) {
    return octave_value (fields (m)).save_ascii (os);
  }
  bool load_ascii (std::istream &is) {
    octave_value s = octave_scalar_map ();
    return s.load_ascii (is) && set (s);
  }
  bool save_binary (std::ostream &os, bool as_floats) {
    return octave_value (fields (m)).save_binary (os, as_floats);
  }
  bool load_binary (std::istream &is, bool swap, octave::mach_info::float_format format) {
    octave_value s = octave_scalar_map ();
    return s.load_binary (is, swap, format) && set (s);
  }
  bool save_hdf5 (octave_hdf5_id place, const char *name, bool as_floats) {
    return octave_value (fields (m)).save_hdf5 (place, name, as_floats);
  }
  bool load_hdf5 (octave_hdf5_id place, const char *name) {
    octave_value s = octave_scalar_map ();
    return s.load_hdf5 (place, name) && set (s);
  }
  // Writers of MATLAB files, which have no such matrix, ask this last for unknown types, and one of
  // them would write a file without the values.
  bool is_complex_matrix () const {
    error_with_id (
        "gpumm:unsupported",
        "blocksparse: a file of MATLAB cannot hold a blocksparse. Save full (S) or sparse "
        "(S), or save S with -text, -binary or -hdf5");
  }

  block_matrix m;

private:
  bool set (const octave_value &s) {
    m = checked (s);
    return true;
  }
  octave_value with_values (const octave_value &values) const;

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_blocksparse, "blocksparse", "blocksparse");

static octave_value value_of (const block_matrix &m) {
  return octave_value (new octave_blocksparse (m));
}

static const block_matrix &blocks_of (const octave_base_value &x) {
  return dynamic_cast<const octave_blocksparse &> (x).m;
}

octave_value octave_blocksparse::whole () const {
  const double bytes =
      double (m.rows) * double (m.cols) * double (gpumm_type_bytes (engine_type (m.values)));
  if (bytes > MOST_IMPLICIT_BYTES)
    error_with_id ("gpumm:unsupported",
                   "blocksparse: this operation needs all %ldx%ld elements, %.3g GB. Use full (S), "
                   "sparse (S), or a part, S(I,J)",
                   long (m.rows), long (m.cols), 1e-9 * bytes);
  return make_full (m);
}

octave_value octave_blocksparse::whole_sparse () const {
  return octave::feval ("sparse", ovl (octave_value (clone ())), 1) (0);
}

octave_value octave_blocksparse::with_values (const octave_value &values) const {
  block_matrix r = m;
  r.values = values;
  return value_of (checked (r));
}

// Concatenation resizes to (0,0), then to the size of the result, and inserts the parts.
octave_value octave_blocksparse::resize (const dim_vector &size, bool fill) const {
  if (size.ndims () != 2 || (m.count () > 0 && !size.zero_by_zero ()))
    return whole ().resize (size, fill);
  block_matrix r = m;
  if (size (0) % m.block_rows != 0 || size (1) % m.block_cols != 0)
    r.block_rows = r.block_cols = 1; // blocks differ in size, so the result is full
  r.rows = size (0);
  r.cols = size (1);
  r.start = int64NDArray (dim_vector (r.grid_rows () + 1, 1), octave_int64 (0));
  r.column = int32NDArray (dim_vector (0, 1));
  r.values = m.values.resize (dim_vector (r.block_rows, 0));
  r = checked (octave_value (fields (r)));
  r.awaits_parts = true;
  return value_of (r);
}

octave_value octave_blocksparse::map (unary_mapper_t f) const {
  // functions with f (0) = 0 that keep the class or take a part of it
  static const unary_mapper_t by_blocks[] = {
      umap_abs,  umap_asin,  umap_asinh, umap_atan,  umap_atanh,  umap_cbrt,
      umap_ceil, umap_conj,  umap_erf,   umap_expm1, umap_fix,    umap_floor,
      umap_imag, umap_log1p, umap_real,  umap_round, umap_roundb, umap_signum,
      umap_sin,  umap_sinh,  umap_sqrt,  umap_tan,   umap_tanh};
  if (std::find (std::begin (by_blocks), std::end (by_blocks), f) != std::end (by_blocks))
    return with_values (m.values.get_rep ().map (f));
  return whole ().get_rep ().map (f);
}

// printf reads elements by this and never expects an error.
octave_value octave_blocksparse::fast_elem_extract (octave_idx_type n) const {
  return n >= 0 && n < dims ().numel () ? part (m, octave::idx_vector (n)) : octave_value ();
}

octave_value octave_blocksparse::do_index_op (const octave_value_list &index, bool) {
  int at = 0;
  try {
    if (index.length () == 2) {
      const octave::idx_vector i = index (0).index_vector ();
      at = 1;
      return part (m, i, index (1).index_vector ());
    }
    if (index.length () == 1)
      return part (m, index (0).index_vector ());
  } catch (octave::index_exception &e) {
    e.set_pos_if_unset (int (index.length ()), at + 1);
    throw;
  }
  return index.length () == 0 ? octave_value (clone ()) : whole ().index_op (index);
}

octave_value octave_blocksparse::subsref (const std::string &type,
                                          const std::list<octave_value_list> &index) {
  octave_value x;
  if (type[0] == '(')
    x = do_index_op (index.front ());
  else if (type[0] == '{')
    x = block (m, index.front ());
  else
    error_with_id ("gpumm:blocksparse:index",
                   "blocksparse: there are elements S(i,j) and blocks S{I,J}, and no fields");
  return x.next_subsref (type, index);
}

octave_value octave_blocksparse::subsasgn (const std::string &,
                                           const std::list<octave_value_list> &,
                                           const octave_value &) {
  error_with_id ("gpumm:blocksparse:assignment",
                 "blocksparse: elements cannot be assigned; make another matrix of blocks, or say "
                 "full (S) or sparse (S)");
}

// ---- transposes ---------------------------------------------------------------------------------

static octave_value transposed (const octave_base_value &x) {
  const block_matrix &m = blocks_of (x);
  block_matrix r;
  r.rows = m.cols;
  r.cols = m.rows;
  r.block_rows = m.block_cols;
  r.block_cols = m.block_rows;
  r.start = int64NDArray (dim_vector (m.grid_cols () + 1, 1), octave_int64 (0));
  r.column = int32NDArray (dim_vector (m.count (), 1));
  octave_int64 *next = memory_of (r.start);
  for (octave_idx_type t = 0; t < m.count (); t++)
    next[m.block_column (t) + 1] += 1;
  for (octave_idx_type j = 0; j < m.grid_cols (); j++)
    next[j + 1] += next[j];
  const dim_vector size (m.block_cols, m.block_rows * m.count ());
  r.values = new_array (m.values, size, [&] (const auto *from, auto *to) {
    const octave_idx_type each = m.block_rows * m.block_cols;
    std::vector<octave_int64> free (next, next + m.grid_cols ());
    for (octave_idx_type i = 0; i < m.grid_rows (); i++)
      for (octave_idx_type t = m.block_begin (i); t < m.block_begin (i + 1); t++) {
        const octave_idx_type at = free[m.block_column (t)].value ();
        free[m.block_column (t)] += 1;
        r.column.xelem (at) = octave_int32 (i);
        for (octave_idx_type u = 0; u < m.block_rows; u++)
          for (octave_idx_type v = 0; v < m.block_cols; v++)
            to[at * each + u * m.block_cols + v] = from[t * each + v * m.block_rows + u];
      }
  });
  return value_of (checked (r, true));
}

static octave_value conjugate_transposed (const octave_base_value &x) {
  const octave_value y = transposed (x);
  return x.iscomplex () ? y.get_rep ().map (octave_base_value::umap_conj) : y;
}

// ---- concatenation ------------------------------------------------------------------------------

// Octave counts a 1x0 part as a row when it places the next part, but not in the size of the
// result.
static void check_place (const dim_vector &a, const dim_vector &b,
                         const Array<octave_idx_type> &place, bool first) {
  for (octave_idx_type d = 0; d < 2 && d < place.numel (); d++)
    if (place (d) + b (d) > a (d) || (first && place (d) != 0))
      error_with_id ("gpumm:unsupported",
                     "blocksparse: concatenation with an empty matrix of 1x0 or 0x1: leave it out, "
                     "or take full (S) or sparse (S)");
}

// a with b inserted at place; only one of them is a blocksparse.
static octave_value joined_full (const octave_base_value &a, const octave_base_value &b,
                                 const Array<octave_idx_type> &place) {
  const auto *x = dynamic_cast<const octave_blocksparse *> (&a);
  const auto *y = dynamic_cast<const octave_blocksparse *> (&b);
  check_place (a.dims (), b.dims (), place, x && x->m.awaits_parts);
  if ((a.iscomplex () && b.is_string ()) || (a.is_string () && b.iscomplex ()))
    error_with_id ("gpumm:unsupported",
                   "blocksparse: complex numbers beside text: use full (S) or sparse (S)");
  return octave::cat_op (x ? x->whole () : shared (a), y ? y->whole () : shared (b), place);
}

// a with b inserted at place, behind the blocks that a has in these rows: Octave inserts the parts
// in their order.
static octave_value joined (const octave_base_value &x, const octave_base_value &y,
                            const Array<octave_idx_type> &place) {
  const block_matrix &a = blocks_of (x), &b = blocks_of (y);
  if (a.values.class_name () != b.values.class_name () || a.block_rows != b.block_rows
      || a.block_cols != b.block_cols || place.numel () != 2 || place (0) % a.block_rows != 0
      || place (1) % a.block_cols != 0)
    return joined_full (x, y, place);
  check_place (x.dims (), y.dims (), place, a.awaits_parts);
  const octave_idx_type i0 = place (0) / a.block_rows, j0 = place (1) / a.block_cols;
  const octave_idx_type count = a.count () + b.count (), each = a.block_rows * a.block_cols;
  block_matrix r = a;
  r.start = int64NDArray (a.start.dims (), octave_int64 (0));
  r.column = int32NDArray (dim_vector (count, 1));
  r.values = with_array (a.values.iscomplex () ? a.values : b.values, [&] (const auto &sample) {
    using array = std::decay_t<decltype (sample)>;
    const array u = octave_value_extract<array> (a.values);
    const array v = octave_value_extract<array> (b.values);
    array values (dim_vector (a.block_rows, a.block_cols * count));
    auto *to = memory_of (values);
    octave_idx_type out = 0;
    const auto append = [&] (const array &from, const block_matrix &m, octave_idx_type i,
                             octave_idx_type j) {
      for (octave_idx_type t = m.block_begin (i); t < m.block_begin (i + 1); t++, out++) {
        r.column.xelem (out) = octave_int32 (j + m.block_column (t));
        std::copy_n (from.data () + t * each, each, to + out * each);
      }
    };
    for (octave_idx_type i = 0; i < a.grid_rows (); i++) {
      append (u, a, i, 0);
      if (i >= i0 && i < i0 + b.grid_rows ())
        append (v, b, i - i0, j0);
      r.start.xelem (i + 1) = octave_int64 (out);
    }
    return octave_value (values);
  });
  return value_of (checked (r, true));
}

// ---- what Octave is told ------------------------------------------------------------------------

// A operator B by a method, which is told the operator's name.
static octave_value operated (const std::string &method, const char *name,
                              const octave_base_value &a, const octave_base_value &b) {
  octave_value_list arguments = ovl (shared (a), shared (b));
  if (method != "gpumm")
    arguments.append (octave_value (name));
  return octave::feval (method, arguments, 1) (0);
}

static void install (octave::type_info &types) {
  check_first (types, "blocksparse");
  octave_blocksparse::register_type (types);
  const int id = octave_blocksparse::static_type_id ();
  // gpumm computes products. Other operators call methods in @blocksparse with names that Octave
  // does not have: a method called plus would recurse if it were not found.
#define OPERATOR(op, method, name)                                                                 \
  install_with_all (types, octave_value::op_##op, id,                                              \
                    [] (const octave_base_value &a, const octave_base_value &b) {                  \
                      return operated (method, name, a, b);                                        \
                    });
  OPERATOR (mul, "gpumm", "mtimes")
  OPERATOR (add, "elementwise", "plus")
  OPERATOR (sub, "elementwise", "minus")
  OPERATOR (el_mul, "elementwise", "times")
  OPERATOR (el_div, "elementwise", "rdivide")
  OPERATOR (el_ldiv, "elementwise", "ldivide")
  OPERATOR (el_pow, "elementwise", "power")
  OPERATOR (div, "matrixwise", "mrdivide")
  OPERATOR (ldiv, "matrixwise", "mldivide")
  OPERATOR (pow, "matrixwise", "mpower")
#undef OPERATOR
  types.install_unary_op (octave_value::op_transpose, id, transposed);
  types.install_unary_op (octave_value::op_hermitian, id, conjugate_transposed);
  types.install_unary_op (octave_value::op_uplus, id, shared);
  types.install_unary_op (octave_value::op_uminus, id, [] (const octave_base_value &x) {
    return octave::feval ("elementwise", ovl (shared (x), 0, "uminus"), 1) (0);
  });
  const int count = types.installed_type_names ().numel ();
  for (int other = 0; other < count; other++)
    if (other != id) {
      types.install_cat_op (id, other, joined_full);
      types.install_cat_op (other, id, joined_full);
    }
  types.install_cat_op (id, id, joined);
}

DEFMETHOD_DLD (__blocksparse__, interp, args, , "For internal use: a blocksparse of its fields.") {
  static bool installed = false;
  if (!installed) {
    interp.mlock (); // `clear all` must not unload the code of live values
    install (interp.get_type_info ());
    installed = true;
  }
  if (args.length () == 0)
    return ovl ();
  const bool given = args (0).type_id () == octave_blocksparse::static_type_id ();
  const std::string word =
      args.length () == 2 && args (1).is_string () ? args (1).string_value () : "";
  if (given && word == "whole")
    return ovl (dynamic_cast<const own_matrix &> (args (0).get_rep ()).whole ());
  if (args.length () != 1 && (given || word != "product"))
    error_with_id ("gpumm:internal", "__blocksparse__: for use by blocksparse only");
  if (given)
    return ovl (fields (blocks_of (args (0).get_rep ())));
  return ovl (value_of (checked (args (0), args.length () == 2)));
}

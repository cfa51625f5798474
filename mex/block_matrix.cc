// block_matrix.cc - see block_matrix.h.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "block_matrix.h"
#include "block_index.h"

#include <octave/lo-array-errwarn.h>
#include <octave/quit.h>

#include "gpumm_tools.h"

static const double MOST_BLOCK_ROWS = 2147483647;        // rows and columns of blocks: int32
static const double MOST_PLACES = 9007199254740992;      // 2^53: places are also numbered in double
static const double MOST_ELEMENTS = 4611686018427387904; // 2^62: the most that Octave can count

gpumm_type engine_type (const octave_value &x) {
  static const gpumm_type types[] = {GPUMM_D,  GPUMM_S,   GPUMM_Z,   GPUMM_C,
                                     GPUMM_I8, GPUMM_I16, GPUMM_I32, GPUMM_I64,
                                     GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_U64};
  static_assert (btyp_float == 1 && btyp_complex == 2 && btyp_float_complex == 3 && btyp_int8 == 4
                     && btyp_uint64 == 11,
                 "the order of Octave's types");
  return types[x.builtin_type ()];
}

template <typename T> static void fill_zeros (T *to, octave_idx_type count) {
  std::fill_n (to, count, T (0));
}

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

gpumm_matrix operand_of (const block_matrix &m) {
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

block_matrix checked (block_matrix m, bool is_trusted) {
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

block_matrix checked (const octave_value &s, bool is_trusted) {
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

octave_scalar_map fields (const block_matrix &m) {
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

octave_value make_full (const block_matrix &m) {
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

octave_value part (const block_matrix &m, const octave::idx_vector &rows,
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

octave_value part (const block_matrix &m, const octave::idx_vector &index) {
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

octave_value block (const block_matrix &m, const octave_value_list &index) {
  const block_index at (index, dim_vector (m.rows, m.cols),
                        dim_vector (m.block_rows, m.block_cols));
  return part (m, at.rows, at.cols);
}

// ---- what is shown ------------------------------------------------------------------------------

std::string summary (const block_matrix &m) {
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
void show_pattern (std::ostream &os, const block_matrix &m) {
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

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
#include <string>
#include <vector>

#include "block_matrix.h"
#include "own_matrix.h"

#include <octave/parse.h>
#include <octave/quit.h>

#include "gpumm_tools.h"

// A function of Octave without a method for blocks gets the full matrix up to this many bytes. A
// larger one could fill the memory unasked, so the user must write full (S) or sparse (S).
static const double MOST_IMPLICIT_BYTES = 1 << 30;

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
    return is_left_out () ? dim_vector (0, 0) : dim_vector (m.rows, m.cols);
  }
  bool issparse () const {
    return in_file ().issparse ();
  }
  std::size_t stored_bytes () const {
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
  // MATLAB's files have no such matrix. A workspace that a signal saves is not an error.
  octave_value for_file () const {
    return octave_dumps_for_matlab () ? without_blocks (octave_value (clone ())) : octave_value ();
  }
  [[noreturn]] void refuse_file () const {
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

  OWN_TYPE (octave_blocksparse, "blocksparse", "blocksparse")
};

static octave_value value_of (const block_matrix &m) {
  return octave_value (new octave_blocksparse (m));
}

static const block_matrix &blocks_of (const octave_base_value &x) {
  return dynamic_cast<const octave_blocksparse &> (x).m;
}

octave_value octave_blocksparse::whole () const {
  const octave_value x = in_file ();
  if (x.is_defined ())
    return x;
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

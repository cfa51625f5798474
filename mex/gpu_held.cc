// gpu_held.cc - gpuArrays without a GPU: a value of Octave, full, sparse or in blocks, for which
// Octave computes. What a device refuses is refused here, too (gpu_value.h, gpu_rules.cc), so a
// script that runs on one machine runs on the other, but for the limits that only a device's sizes
// have: docs/guide/keep-it-on-the-gpu.md lists them.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include "gpuarray.h"
#include "gpumm_folds.h"

#include <octave/parse.h>

using namespace gpumm;

// ---- operators ----------------------------------------------------------------------------------

// Are elements i of a and j of b equal, but for the imaginary part?
static bool agree (const octave_value &a, octave_idx_type i, const octave_value &b,
                   octave_idx_type j) {
  const double x = a.fast_elem_extract (i).complex_value ().real (),
               y = b.fast_elem_extract (j).complex_value ().real ();
  return x == y || (std::isnan (x) && std::isnan (y));
}

static bool are_alike (const octave_value &a, const octave_value &b) {
  return a.isfloat () && a.class_name () == b.class_name () && a.iscomplex () == b.iscomplex ()
         && a.numel () > 1;
}

// Can b be the transpose of a, conjugated or not? Looks at one element beside the diagonal.
static bool may_be_transposed (const octave_value &a, const octave_value &b) {
  return are_alike (a, b) && a.rows () == b.columns () && a.columns () == b.rows ()
         && (a.rows () > 1 || a.iscomplex ()) && agree (a, 1, b, a.rows () == 1 ? 1 : b.rows ());
}

// Can another array b be a copy of a, conjugated or not? Looks at their second elements.
static bool may_be_copied (const octave_value &a, const octave_value &b) {
  return !a.issparse () && are_alike (a, b) && a.dims () == b.dims () && agree (a, 1, b, 1);
}

static octave_value any_by_octave (octave_value::binary_op op, const octave_value &a,
                                   const octave_value &b) {
  return octave::binary_op (type_info (), op, a, b);
}

// What may be symmetric or Hermitian by its operands the engine computes: the transpose of an array
// of the host is another array, whose product Octave's * would round as any other.
static octave_value full_by_octave (octave_value::binary_op op, const octave_value &a,
                                    const octave_value &b) {
  const bool multiplies = op == octave_value::op_mul && a.numel () != 1 && b.numel () != 1;
  return multiplies && may_be_transposed (a, b) ? by_octave ("gpumm", ovl (a, b))
                                                : any_by_octave (op, a, b);
}

// A sparse matrix with a vector for all its rows or columns is in Octave a product with a diagonal
// matrix.
static octave_value sparse_by_octave (octave_value::binary_op op, const octave_value &a,
                                      const octave_value &b) {
  const bool multiplies = op == octave_value::op_el_mul, divides = op == octave_value::op_el_div;
  const shape u = shape_of (a.dims ()), v = shape_of (b.dims ());
  if (multiplies && b.issparse () && a.numel () != 1 && goes_along (u, v)
      && !(a.issparse () && goes_along (v, u)))
    return sparse_by_octave (op, b, a);
  if (!(multiplies || divides) || !a.issparse () || b.numel () == 1 || !goes_along (v, u))
    return any_by_octave (op, a, b);
  octave_value factors = b.full_value ();
  if (divides)
    factors = any_by_octave (octave_value::op_el_div, 1.0, factors);
  const octave_value d = by_octave ("diag", ovl (factors));
  return b.columns () == 1 ? any_by_octave (octave_value::op_mul, d, a)
                           : any_by_octave (octave_value::op_mul, a, d);
}

// Is it a full array of floating point or of truth values? A device refuses no operator of two of
// these but a power of matrices.
static bool is_plain (const octave_value &x) {
  const builtin_type_t type = x.builtin_type (); // unknown of matrices in blocks
  return (type <= btyp_float_complex || type == btyp_bool) && !x.issparse () && !x.is_diag_matrix ()
         && !x.is_perm_matrix ();
}

static octave_value operated (octave_value::binary_op op, const octave_base_value &a,
                              const octave_base_value &b) {
  const octave_value given_a = on_host (a), given_b = on_host (b);
  if (op != octave_value::op_pow && is_plain (given_a) && is_plain (given_b))
    return value_of (full_by_octave (op, given_a, given_b));
  const storage kind = kind_of_both (a, b);
  const any_operand x (kind, op, a, b), y (kind, op, b, a);
  check_operator (kind, op, x, y);
  const auto f = kind == storage::full     ? full_by_octave
                 : kind == storage::sparse ? sparse_by_octave
                                           : any_by_octave;
  return value_of (f (op, x.on_host (), y.on_host ()));
}

// ---- concatenation ------------------------------------------------------------------------------

using held_part = part<octave_value>;

// Several at once: part by part would take quadratic time.
static octave_value united (const std::vector<held_part> &parts, std::size_t first,
                            std::size_t last, bool below) {
  octave_value_list values;
  for (std::size_t i = first; i < last; i++)
    values.append (parts[i].m);
  return by_octave (below ? "vertcat" : "horzcat", values);
}

static octave_value with_part (const octave_value &whole, const held_part &p) {
  Array<octave_idx_type> place (dim_vector (2, 1));
  place (0) = p.row;
  place (1) = p.col;
  return octave::cat_op (type_info (), whole, p.m, place);
}

octave_value gpumm::joined (const octave_value &base, const std::vector<held_part> &parts) {
  const auto numel = [] (const octave_value &x) {
    return double (x.rows ()) * double (x.columns ());
  };
  return joined_rows (base, parts, numel, united, with_part);
}

// ---- the types ----------------------------------------------------------------------------------

// What they have in common; Base says what Octave asks of full arrays, or of others.
template <typename Base> class held : public Base {
public:
  using Base::Base;

  // The value, with all parts of a concatenation.
  virtual const octave_value &value () const = 0;

  gpumm_type type () const {
    return type_of_value (value ());
  }
  int device () const {
    return NO_DEVICE;
  }
  octave_value gathered () const {
    return value ();
  }
  bool is_valid () const {
    return true;
  }
  std::size_t stored_bytes () const {
    return value ().byte_size ();
  }
  octave_idx_type nnz () const {
    return value ().nnz ();
  }
  bool is_true () const {
    return value ().is_true ();
  }
  octave_value transpose (bool conjugates) const {
    return value_of (octave::unary_op (
        type_info (), conjugates ? octave_value::op_hermitian : octave_value::op_transpose,
        value ()));
  }
  octave_value as_sparse () const {
    return value_of (by_octave ("sparse", ovl (value ())));
  }
  octave_value combined (octave_value::binary_op op, const octave_base_value &a,
                         const octave_base_value &b) const {
    return operated (op, a, b);
  }
  octave_value joined (const octave_base_value &a, const octave_base_value &b,
                       const Array<octave_idx_type> &place) const;

protected:
  octave_value mapped (const gpumm::function &f) const {
    return value_of (value ().get_rep ().map (mapper_of (f)));
  }
  octave_value_list folded (gpumm_fold_op op, int dim, int nargout) const {
    if (op == GPUMM_FOLD_LARGEST && value ().isnan ().any (dim).is_true ()) // of a column
      return ovl (value_of (as_class (octave_value (NAN), type_of_fold (op, type ()))));
    const bool orders = has_places (op) || op == GPUMM_FOLD_LARGEST;
    const octave_value_list args = op == GPUMM_FOLD_NORM ? ovl (value ()) // of a column
                                   : orders              ? ovl (value (), Matrix (), dim + 1)
                                                         : ovl (value (), dim + 1);
    octave_value_list y = octave::feval (name_of_fold (op), args, orders ? nargout : 1);
    if (this->kind () == storage::full)
      y (0) = as_class (y (0), type_of_fold (op, type ()));
    for (octave_idx_type i = 0; i < y.length (); i++)
      y (i) = value_of (y (i));
    return y;
  }
};

class octave_gpuheld : public held<gpu_full> {
public:
  explicit octave_gpuheld (const octave_value &x = NDArray (dim_vector (0, 0))) : kept (x) {
  }
  octave_base_value *clone () const {
    return new octave_gpuheld (*this);
  }
  octave_base_value *empty_clone () const {
    return new octave_gpuheld ();
  }
  const octave_value &value () const {
    return kept;
  }

  // A result is real where all imaginary parts are zero.
  octave_value gathered () const {
    return is_as_given ? kept : kept.full_value ();
  }
  dim_vector dims () const {
    return kept.dims ();
  }
  octave_value inverted () const {
    return value_of (octave::unary_op (type_info (), octave_value::op_not, kept));
  }
  octave_value negated () const {
    return value_of (octave::unary_op (type_info (), octave_value::op_uminus, kept));
  }
  octave_value reshape (const dim_vector &size) const {
    return value_of (kept.reshape (size));
  }
  octave_value permute (const Array<int> &order, bool inverse) const {
    return value_of (kept.permute (order, inverse));
  }
  octave_value resize (const dim_vector &size, bool fill) const {
    // concatenation begins so, whatever the dimensions are
    return value_of (size.zero_by_zero () ? sample (type (), false, size)
                                          : kept.resize (size, fill));
  }
  octave_value all (int dim) const {
    return value_of (kept.all (dim));
  }
  octave_value any (int dim) const {
    return value_of (kept.any (dim));
  }
  octave_value diag (octave_idx_type k) const {
    return value_of (kept.diag (k));
  }
  using gpu_full::diag;
  octave::idx_vector index_vector (bool integers) const {
    return kept.index_vector (integers);
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const {
    return value_of ((kept.*type) ());
  }
  octave_value fast_elem_extract (octave_idx_type n) const {
    return kept.fast_elem_extract (n);
  }
  type_conv_info numeric_conversion_function () const;

  void become (const gpu_value &x) {
    kept = x.gathered ();
    is_as_given = false;
  }
  // X(I) = y in place, if nobody else holds the value.
  void put (const octave_value_list &index, const octave_value &y) const {
    octave_value x = kept;
    kept = octave_value ();
    try {
      x.assign (octave_value::op_asn_eq, "(", {index}, y);
    } catch (...) {
      kept = x;
      throw;
    }
    kept = plain_array (x);
  }

protected:
  octave_value part (const octave_value_list &index) const {
    return value_of (octave_value (kept).index_op (index));
  }
  void assign_part (const octave_value_list &index, const octave_value &y) {
    put (index, on_host (y));
  }

private:
  mutable octave_value kept;

  OWN_TYPE (octave_gpuheld, "gpuArray", "gpuArray")
};

// As octave_gpuarray_part.
class octave_gpuheld_part : public octave_gpuheld {
public:
  octave_gpuheld_part () = default;
  explicit octave_gpuheld_part (const octave_gpuheld &x) : octave_gpuheld (x) {
  }
  type_conv_info numeric_conversion_function () const {
    return gpu_value::numeric_conversion_function ();
  }

  OWN_TYPE (octave_gpuheld_part, "part from gpuArray", "gpuArray")
};

octave_base_value::type_conv_info octave_gpuheld::numeric_conversion_function () const {
  if (kept.numel () == 1)
    return gpu_value::numeric_conversion_function ();
  return type_conv_info (
      [] (const octave_base_value &x) -> octave_base_value * {
        return new octave_gpuheld_part (dynamic_cast<const octave_gpuheld &> (x));
      },
      octave_gpuheld_part::static_type_id ());
}

// A sparse matrix or one in blocks.
class held_stored : public held<gpu_joined<octave_value>> {
public:
  explicit held_stored (const octave_value &x) : held (x) {
  }
  const octave_value &value () const {
    return m ();
  }
  dim_vector dims () const {
    return kept.dims (); // the size of the result, before its parts are joined
  }
  octave_value full_value () const {
    return value_of (by_octave ("full", ovl (m ())));
  }

protected:
  octave_value none (const dim_vector &size) const {
    return value_of (m ().resize (dim_vector (0, 0)).resize (size));
  }
  octave_value diagonal (octave_idx_type k) const {
    return value_of (m ().diag (k));
  }
  octave_value part (const octave_value_list &given,
                     const std::vector<octave::idx_vector> &) const {
    return value_of (octave_value (m ()).index_op (given));
  }
};

class octave_gpuheld_sparse : public held_stored {
public:
  explicit octave_gpuheld_sparse (const octave_value &x = SparseMatrix ()) : held_stored (x) {
  }
  octave_base_value *clone () const {
    return new octave_gpuheld_sparse (value ());
  }
  octave_base_value *empty_clone () const {
    return new octave_gpuheld_sparse ();
  }
  storage kind () const {
    return storage::sparse;
  }
  octave_value values () const {
    return value_of (by_octave ("nonzeros", ovl (value ())));
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const {
    const octave_value x = value ();
    return value_of ((x.*type) ());
  }

  OWN_TYPE (octave_gpuheld_sparse, "sparse gpuArray", "gpuArray")
};

class octave_gpuheld_blocks : public held_stored {
public:
  explicit octave_gpuheld_blocks (const octave_value &x = octave_value ()) : held_stored (x) {
  }
  octave_base_value *clone () const {
    return new octave_gpuheld_blocks (value ());
  }
  octave_base_value *empty_clone () const {
    return new octave_gpuheld_blocks ();
  }
  storage kind () const {
    return storage::blocks;
  }
  dim_vector block_size () const {
    const Matrix b = by_octave ("blocksize", ovl (kept)).matrix_value ();
    return dim_vector (octave_idx_type (b (0)), octave_idx_type (b (1)));
  }
  octave_idx_type block_count () const {
    return by_octave ("nnzb", ovl (value ())).idx_type_value ();
  }
  octave_value values () const {
    const octave_value x =
        by_octave ("__blocksparse__", ovl (value ())).scalar_map_value ().contents ("values");
    return value_of (x.reshape (dim_vector (x.numel (), 1)));
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const {
    const octave_value z = (elements ().*type) ();
    return value_of (by_octave (z.class_name ().c_str (), ovl (value ())));
  }

protected:
  octave_value block (const octave_value_list &index) const {
    return value_of (octave_value (value ()).subsref ("{", {index}));
  }

  OWN_TYPE (octave_gpuheld_blocks, "blocksparse gpuArray", "gpuArray")
};

octave_value value_of (const octave_value &held) {
  if (held.issparse ())
    return octave_value (new octave_gpuheld_sparse (held));
  if (is_blocksparse (held.get_rep ()))
    return octave_value (new octave_gpuheld_blocks (held));
  return octave_value (new octave_gpuheld (plain_array (held)));
}

// ---- products with a transpose ------------------------------------------------------------------

// What a' * b and its kin consist of.
struct product_with_transpose {
  octave_value::compound_binary_op both;
  octave_value::unary_op turns;
  bool turns_first;
};

static constexpr product_with_transpose WITH_TRANSPOSE[] = {
    {octave_value::op_trans_mul, octave_value::op_transpose, true},
    {octave_value::op_herm_mul, octave_value::op_hermitian, true},
    {octave_value::op_mul_trans, octave_value::op_transpose, false},
    {octave_value::op_mul_herm, octave_value::op_hermitian, false},
};

// Matrices of one class of floating point are multiplied as on the host, without the transpose.
// What is symmetric or Hermitian by its operands is so exactly there if they are one array.
template <int which>
static octave_value multiplied (const octave_base_value &a, const octave_base_value &b) {
  const product_with_transpose &p = WITH_TRANSPOSE[which];
  const octave_value x = on_host (a), y = on_host (b);
  if (x.isfloat () && x.class_name () == y.class_name () && x.ndims () == 2 && y.ndims () == 2
      && (&a == &b || !may_be_copied (x, y)))
    return value_of (octave::binary_op (type_info (), p.both, x, y));
  const octave_value left = shared (a), right = shared (b);
  const auto turned = [&] (const octave_value &z) {
    return octave::unary_op (type_info (), p.turns, z);
  };
  return octave::binary_op (type_info (), octave_value::op_mul,
                            p.turns_first ? turned (left) : left,
                            p.turns_first ? right : turned (right));
}

static void install_products (octave::type_info &types, int a, int b) {
  types.install_binary_op (WITH_TRANSPOSE[0].both, a, b, multiplied<0>);
  types.install_binary_op (WITH_TRANSPOSE[1].both, a, b, multiplied<1>);
  types.install_binary_op (WITH_TRANSPOSE[2].both, a, b, multiplied<2>);
  types.install_binary_op (WITH_TRANSPOSE[3].both, a, b, multiplied<3>);
}

// ---- concatenation of two -----------------------------------------------------------------------

static octave_value joined_full (const octave_base_value &a, const octave_base_value &b,
                                 const Array<octave_idx_type> &given) {
  const octave_gpuheld *g = dynamic_cast<const octave_gpuheld *> (&a);
  const octave_value y = plain_array (on_host (b));
  const int dims = std::max<int> (a.ndims (), int (given.numel ()));
  const Array<octave_idx_type> place =
      place_of_part (given, a.dims ().redim (dims), y.dims ().redim (dims));
  if (!g || g->is_shared () || g->type () != type_of_value (y) || y.numel () == 0)
    return value_of (octave::cat_op (type_info (), plain_array (on_host (a)), y, place));
  octave_value_list index; // in place: Octave replaces a by the result
  for (int d = 0; d < std::max<int> (dims, y.ndims ()); d++) {
    const octave_idx_type at = d < int (place.numel ()) ? place (d) : 0,
                          count = d < y.ndims () ? y.dims () (d) : 1;
    index.append (octave_value (octave::idx_vector (at, at + count)));
  }
  g->put (index, y);
  return value_of (g->value ());
}

static octave_value joined_sparse (const octave_base_value &a, const octave_base_value &b,
                                   const Array<octave_idx_type> &place) {
  const auto as_part = [] (const octave_base_value &x) {
    check_sparse_part (x);
    const octave_value y = on_host (x);
    return y.issparse () ? y : by_octave ("sparse", ovl (y));
  };
  const octave_gpuheld_sparse *s = dynamic_cast<const octave_gpuheld_sparse *> (&a);
  return held_stored::with_part (s, s && s->base () ? *s->base () : as_part (a), as_part (b),
                                 b.dims (), place);
}

// The result is in blocks if it is in blocks on the host, and full otherwise.
static octave_value joined_blocks (const octave_base_value &a, const octave_base_value &b,
                                   const Array<octave_idx_type> &place) {
  const octave_gpuheld_blocks *s = dynamic_cast<const octave_gpuheld_blocks *> (&a);
  octave_value x = s && s->base () ? *s->base () : on_host (a), y = on_host (b);
  if (is_in_blocks (a) && is_in_blocks (b)) {
    const any_operand u (storage::blocks, octave_value::op_add, x.get_rep (), y.get_rep ()),
        v (storage::blocks, octave_value::op_add, y.get_rep (), x.get_rep ());
    if (fits_blocks (u.x.type, u.block_size (), v.x.type, v.block_size (), place))
      return held_stored::with_part (s, x, y, b.dims (), place);
  }
  const auto as_full = [] (const octave_base_value &z) {
    return is_in_blocks (z) ? value_of (on_host (z).full_value ()) : shared (z);
  };
  return octave::cat_op (type_info (), as_full (a), as_full (b), place);
}

template <typename Base>
octave_value held<Base>::joined (const octave_base_value &a, const octave_base_value &b,
                                 const Array<octave_idx_type> &given) const {
  const storage kind = kind_of_both (a, b);
  if (kind == storage::full)
    return joined_full (a, b, given);
  const Array<octave_idx_type> place = place_of_part (given, a.dims (), b.dims ());
  return (kind == storage::sparse ? joined_sparse : joined_blocks) (a, b, place);
}

void install_gpuheld (octave::type_info &types) {
  octave_gpuheld::register_type (types);
  octave_gpuheld_part::register_type (types);
  install_full (types, octave_gpuheld::static_type_id (), octave_gpuheld_part::static_type_id ());
  octave_gpuheld_sparse::register_type (types);
  install_with_operators (types, octave_gpuheld_sparse::static_type_id ());
  const int full = octave_gpuheld::static_type_id (),
            sparse = octave_gpuheld_sparse::static_type_id ();
  for (const int a : {full, sparse})
    for (const int b : {full, sparse})
      install_products (types, a, b);
  octave_gpuheld_blocks::register_type (types);
  install_with_operators (types, octave_gpuheld_blocks::static_type_id ());
}

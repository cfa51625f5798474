// gpublocks.cc - the type gpuArray of matrices in blocks, as Octave sees it.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gpuarray.h"

using namespace gpumm;

// Matrices with more stored elements than this show only their kind.
static const octave_idx_type MOST_SHOWN = 1000;

class octave_gpublocks : public gpu_stored<blocks> {
public:
  explicit octave_gpublocks (const blocks &x = blocks ()) : gpu_stored (x) {
  }
  octave_gpublocks (const octave_gpublocks &x) : gpu_stored (x.computed ()) {
  }
  octave_base_value *clone () const {
    return new octave_gpublocks (*this);
  }
  octave_base_value *empty_clone () const {
    return new octave_gpublocks ();
  }

  octave_value whole () const {
    if (dims ().numel () != 1)
      say_gather ("this operation needs the %s elements in host memory. Use gather (X)",
                  dims ().str ().c_str ());
    return by_octave ("full", ovl (download (m ())));
  }
  std::size_t byte_size () const {
    const blocks &x = m ();
    if (x.is_octave_held ())
      return x.host.byte_size ();
    drop_zeros (m ());
    const octave_idx_type each = x.block_rows * x.block_cols, down = x.rows / x.block_rows;
    return std::size_t (x.stored) * (std::size_t (each) * gpumm_type_bytes (x.values.type) + 4)
           + std::size_t (down + 1) * sizeof (int64_t);
  }
  octave_idx_type nnz () const {
    return nonzeros_of (operand (false));
  }
  octave_idx_type block_count () const {
    return m ().is_octave_held () ? by_octave ("nnzb", ovl (m ().host)).idx_type_value ()
                                  : drop_zeros (m ()).stored;
  }
  octave_idx_type nzmax () const {
    return block_count () * m ().block_size ().numel ();
  }

  octave_value permute (const Array<int> &order, bool inverse) const {
    boolNDArray (dim_vector (2, 2)).permute (order, inverse); // Octave's check of the order
    if (order.numel () != 2)
      say_gather ("permute of a blocksparse to more dimensions is not available on a device. Use "
                  "gather (X)");
    return order (0) == 0 ? octave_value (clone ()) : transpose (false);
  }
  octave_value reshape (const dim_vector &size) const {
    if (size == dims ())
      return octave_value (clone ());
    say_gather ("reshape of a blocksparse is not available on a device. Use gather (X)");
  }
  // A concatenation begins with a matrix without blocks, which then gets the size of the result.
  octave_value resize (const dim_vector &size, bool) const {
    if (size.ndims () == 2 && (size.zero_by_zero () || block_count () == 0))
      return value_of (none_like (m (), size));
    say_gather ("resize of a blocksparse is not available on a device. Use gather (X)");
  }
  octave_value map (unary_mapper_t f) const;
  octave_value all (int) const {
    say_gather ("all of a blocksparse is not available on a device. Use gather (X)");
  }
  octave_value any (int) const {
    say_gather ("any of a blocksparse is not available on a device. Use gather (X)");
  }
  octave_value diag (octave_idx_type k) const {
    if (k != 0 || dims () (0) == 1 || dims () (1) == 1)
      say_gather (
          "diag (X, K), and diag of a vector, are not available on a device. Use gather (X)");
    return value_of (diagonal_of (operand ()));
  }
  octave_value diag (octave_idx_type, octave_idx_type) const {
    say_gather ("diag (X, M, N) of a blocksparse is not available on a device. Use gather (X)");
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const {
    const octave_value z = (elements ().*type) ();
    const gpumm_type to = type_of_class (z.class_name ());
    return value_of (gpumm::converted (operand (), iscomplex () ? complex_type (to) : to));
  }

  octave_value do_index_op (const octave_value_list &index, bool = false) {
    return index.length () == 0 ? octave_value (clone ())
                                : value_of (part_of (operand (false), index));
  }
  octave_value subsref (const std::string &type, const std::list<octave_value_list> &index) {
    if (type[0] == '(')
      return do_index_op (index.front ()).next_subsref (type, index);
    if (type[0] != '{')
      error_with_id (
          "gpumm:blocksparse:index",
          "blocksparse: a blocksparse has no fields. Write S(i,j) for elements, S{I,J} for blocks");
    return value_of (block_of (operand (false), index.front ())).next_subsref (type, index);
  }
  octave_value subsasgn (const std::string &, const std::list<octave_value_list> &,
                         const octave_value &) {
    say_gather ("elements of a blocksparse cannot be assigned. Make another blocksparse, or use "
                "gather (X)");
  }

  bool print_name_tag (std::ostream &os, const std::string &name) const {
    indent (os);
    os << name << " = ";
    return false;
  }
  bool shows () const {
    return m ().is_octave_held () ? m ().host.nzmax () <= MOST_SHOWN : nzmax () <= MOST_SHOWN;
  }
  void short_disp (std::ostream &os) const {
    os << dims ().str () << " blocksparse gpuArray, " << (iscomplex () ? "complex " : "")
       << class_of (m ().type ()) << ", " << block_count () << " blocks of "
       << m ().block_size ().str ();
  }

private:
  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_gpublocks, "blocksparse gpuArray", "gpuArray");

static const octave_gpublocks *gpublocks_of (const octave_base_value &x) {
  return x.type_id () == octave_gpublocks::static_type_id ()
             ? static_cast<const octave_gpublocks *> (&x)
             : nullptr;
}

octave_value value_of (const blocks &x) {
  return octave_value (new octave_gpublocks (x));
}

bool is_gpublocks (const octave_base_value &x) {
  return gpublocks_of (x) != nullptr;
}

octave_value octave_gpublocks::map (unary_mapper_t f) const {
  const function *const there = device_function (f);
  if ((there && !there->keeps_zero) || f == umap_isnan || f == umap_isinf)
    say_gather ("%s of a blocksparse is not a blocksparse. Use %s (full (X)) or gather (X)",
                there->name, there->name);
  if (there)
    return value_of (mapped (*there, operand (false)));
  say_gather ("%s of a blocksparse is not available on a device. Use %s (gather (X))",
              get_umap_name (f), get_umap_name (f));
}

// ---- operators ----------------------------------------------------------------------------------

static block_operand operand_for (const octave_base_value &x, int device) {
  block_operand o;
  if (const octave_gpublocks *s = gpublocks_of (x)) {
    o.is_blocks = true;
    o.s = moved (s->operand (false), device);
  } else if (is_blocksparse (x)) {
    o.is_blocks = true;
    o.s = upload_blocks (shared (x), device);
  } else if (get_gpuarray (x, o.other.x)) {
    if (o.other.x.device != device)
      o.other.x = moved (o.other.x, device);
  } else if (x.issparse ())
    say_gather ("an operator cannot combine a blocksparse with a sparse matrix on a device. Use "
                "sparse (X) or full (X) of the blocksparse, or gather (X)");
  else
    o.other = operand_of (x.is_diag_matrix () || x.is_perm_matrix () ? x.full_value () : shared (x),
                          device);
  return o;
}

// A matrix of one element counts as a number beside a matrix that is not in blocks.
static bool is_one (const octave_base_value &x) {
  return gpublocks_of (x) && x.numel () == 1;
}

octave_value gpublocks_binary (octave_value::binary_op op, const octave_base_value &a,
                               const octave_base_value &b, const product_options &o) {
  array full;
  blocks result;
  const octave_gpublocks *s = gpublocks_of (a), *t = gpublocks_of (b);
  const bool blocks_a = s || is_blocksparse (a), blocks_b = t || is_blocksparse (b);
  if (blocks_a != blocks_b && (is_one (a) || is_one (b)) && a.numel () != b.numel ())
    return octave::binary_op (type_info (), op, is_one (a) ? a.full_value () : shared (a),
                              is_one (b) ? b.full_value () : shared (b));
  const int device = device_of (a, b);
  block_operand x = operand_for (a, device), y = operand_for (b, device);
  const bool is_blocks = combined (op, x, y, o, result, full);
  if (op == octave_value::op_mul && s)
    s->keep (x.s);
  if (op == octave_value::op_mul && t)
    t->keep (y.s);
  return is_blocks ? value_of (result) : value_of (full);
}

// ---- concatenation ------------------------------------------------------------------------------

// A part that is in blocks.
static blocks part_for (const octave_base_value &x, int device) {
  const octave_gpublocks *s = gpublocks_of (x);
  return s ? moved (s->operand (false), device) : upload_blocks (shared (x), device);
}

// The result is in blocks if it is in blocks on the host, and full otherwise.
octave_value gpublocks_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &given) {
  const Array<octave_idx_type> place = place_of_part (given, a.dims (), b.dims ());
  const int device = device_of (a, b);
  const octave_gpublocks *s = gpublocks_of (a);
  const bool blocks_a = s || is_blocksparse (a);
  const bool blocks_b = gpublocks_of (b) || is_blocksparse (b);
  if (blocks_a && blocks_b) {
    const blocks x = s && s->base () ? *s->base () : part_for (a, device), y = part_for (b, device);
    if (real_type (x.type ()) == real_type (y.type ()) && x.block_size () == y.block_size ()
        && place (0) % x.block_size () (0) == 0 && place (1) % x.block_size () (1) == 0)
      return octave_gpublocks::with_part (s, x, y, place);
  }
  const auto as_full = [device] (bool is_blocks, const octave_base_value &x) {
    return is_blocks ? value_of (implicit_full_of (part_for (x, device))) : shared (x);
  };
  return octave::cat_op (type_info (), as_full (blocks_a, a), as_full (blocks_b, b), place);
}

void install_gpublocks (octave::type_info &types) {
  octave_gpublocks::register_type (types);
  const int id = octave_gpublocks::static_type_id ();
  install_with_operators (types, id);
  types.install_unary_op (octave_value::op_not, id, [] (const octave_base_value &x) {
    return octave::unary_op (type_info (), octave_value::op_not, x.full_value ());
  });
  types.install_unary_op (octave_value::op_uplus, id, shared);
  types.install_unary_op (octave_value::op_uminus, id, [] (const octave_base_value &x) {
    return octave::binary_op (type_info (), octave_value::op_mul, octave_value (-1.0), shared (x));
  });
}

// ---- for the named functions --------------------------------------------------------------------

static blocks argument (const octave_value &x, bool drops_zeros = true) {
  return gpublocks_of (x.get_rep ())->operand (drops_zeros);
}

octave_value_list blocks_fold (gpumm_fold_op op, const octave_value &value, int dim) {
  if (op != GPUMM_FOLD_SUM || dim > 1)
    say_gather ("%s of a blocksparse is not available on a device. Use gather (X)", fold_names[op]);
  const blocks x = argument (value);
  check_narrow (x.type ()); // no sums in 64-bit classes
  return ovl (value_of (sum_of (x, dim)));
}

octave_value blocks_values (const octave_value &x) {
  return value_of (values_of (argument (x)));
}

octave_value blocks_sparse (const octave_value &x) {
  return value_of (sparse_of (argument (x)));
}

dim_vector blocks_size (const octave_value &x) {
  return gpublocks_of (x.get_rep ())->m ().block_size ();
}

double blocks_count (const octave_value &x) {
  return double (gpublocks_of (x.get_rep ())->block_count ());
}

bool blocks_equal (const octave_value &a, const octave_value &b) {
  const blocks x = argument (a), y = moved (argument (b), x.device);
  return x.size () == y.size () && x.block_size () == y.block_size () && equal (x, y);
}

octave_value blocks_dropped (const octave_value &x, double most) {
  return value_of (without_small (argument (x, false), most));
}

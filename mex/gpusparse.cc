// gpusparse.cc - the type gpuArray of sparse matrices, as Octave sees it.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gpuarray.h"

using namespace gpumm;

// Matrices with more stored entries than this show only their kind.
static const octave_idx_type MOST_SHOWN = 1000;

class octave_gpusparse : public gpu_stored<sparse> {
public:
  octave_gpusparse () : gpu_stored (upload_sparse (octave_value (SparseMatrix ()), NO_DEVICE)) {
  }
  explicit octave_gpusparse (const sparse &x) : gpu_stored (x) {
  }
  octave_gpusparse (const octave_gpusparse &x) : gpu_stored (x.computed ()) {
  }
  octave_base_value *clone () const {
    return new octave_gpusparse (*this);
  }
  octave_base_value *empty_clone () const {
    return new octave_gpusparse ();
  }

  octave_value whole () const {
    if (dims ().numel () != 1)
      say_gather ("this operation needs the %s entries in host memory. Use gather (X)",
                  dims ().str ().c_str ());
    return download (m ());
  }
  octave_value whole_sparse () const {
    return whole ();
  }
  std::size_t byte_size () const {
    const sparse &x = m ();
    if (x.is_octave_held ())
      return x.host.byte_size ();
    drop_zeros (m ());
    const std::size_t each = sizeof (int32_t) + gpumm_type_bytes (x.values.type);
    return std::size_t (x.stored) * each + std::size_t (x.cols + 1) * sizeof (int64_t);
  }
  octave_idx_type nnz () const {
    return m ().is_octave_held () ? m ().host.nnz () : drop_zeros (m ()).stored;
  }
  octave_idx_type nzmax () const {
    return nnz ();
  }
  bool issparse () const {
    return true;
  }
  // As Octave's sparse matrices, with one element, too.
  bool is_matrix_type () const {
    return true;
  }
  bool is_scalar_type () const {
    return false;
  }
  octave::idx_vector index_vector (bool integers) const {
    return download (m ()).index_vector (integers);
  }

  octave_value permute (const Array<int> &order, bool inverse) const {
    octave_value (SparseMatrix (2, 2)).permute (order, inverse); // Octave's check of the order
    return order (0) == 0 ? octave_value (clone ()) : transpose (false);
  }
  octave_value reshape (const dim_vector &size) const {
    if (size == dims ())
      return octave_value (clone ());
    say_gather ("reshape of a sparse matrix is not available on a device. Use gather (X)");
  }
  // A concatenation begins with a matrix without entries, which then gets the size of the result.
  octave_value resize (const dim_vector &size, bool) const {
    if (size.ndims () == 2 && (size.zero_by_zero () || nnz () == 0))
      return value_of (none_like (m (), size));
    say_gather ("resize of a sparse matrix is not available on a device. Use gather (X)");
  }
  octave_value map (unary_mapper_t f) const;
  octave_value all (int) const {
    say_gather ("all of a sparse matrix is not available on a device. Use gather (X)");
  }
  octave_value any (int dim) const {
    if (dims ().any_zero ())
      return value_of (
          upload_sparse (octave_value (SparseMatrix (dims ())).any (dim), m ().device));
    const int along = dim < 0 ? dims ().first_non_singleton () : dim;
    return value_of (folded (GPUMM_FOLD_ANY, operand (false), along));
  }
  octave_value diag (octave_idx_type k) const {
    return value_of (diagonal_of (operand (), k));
  }
  octave_value diag (octave_idx_type, octave_idx_type) const {
    say_gather ("diag (X, M, N) of a sparse matrix is not available on a device. Use gather (X)");
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const {
    const octave_value z = (octave_value (by_octave ("sparse", ovl (elements ()))).*type) ();
    if (m ().is_octave_held () || !z.issparse () || m ().type () != GPUMM_B)
      return m ().is_octave_held () ? value_of (upload_sparse ((m ().host.*type) (), NO_DEVICE))
                                    : octave_value (clone ());
    sparse x = operand ();
    x.values = gpumm::converted (x.values, GPUMM_D);
    x.twin = std::make_shared<sparse> ();
    return value_of (x);
  }

  octave_value do_index_op (const octave_value_list &index, bool resize_ok = false) {
    if (resize_ok)
      say_gather ("an index cannot enlarge a gpuArray here. Use gather (X)");
    return value_of (part_of (operand (), index));
  }
  octave_value subsref (const std::string &type, const std::list<octave_value_list> &index) {
    if (type[0] != '(')
      no_fields ();
    return do_index_op (index.front ()).next_subsref (type, index);
  }
  octave_value subsasgn (const std::string &, const std::list<octave_value_list> &,
                         const octave_value &) {
    say_gather ("parts of a sparse matrix on a device cannot be assigned. Use gather (X)");
  }

  bool print_as_scalar () const {
    return !shows ();
  }
  bool shows () const {
    return nnz () <= MOST_SHOWN;
  }
  void short_disp (std::ostream &os) const {
    os << dims ().str () << " sparse gpuArray, " << (iscomplex () ? "complex " : "")
       << class_of (m ().type ()) << ", " << nnz () << " nonzero";
  }

private:
  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_gpusparse, "sparse gpuArray", "gpuArray");

static const octave_gpusparse *gpusparse_of (const octave_base_value &x) {
  return x.type_id () == octave_gpusparse::static_type_id ()
             ? static_cast<const octave_gpusparse *> (&x)
             : nullptr;
}

octave_value value_of (const sparse &x) {
  return octave_value (new octave_gpusparse (x));
}

bool is_gpusparse (const octave_value &x) {
  return gpusparse_of (x.get_rep ()) != nullptr;
}

octave_value octave_gpusparse::map (unary_mapper_t f) const {
  const function *const there = device_function (f);
  if (there && !there->keeps_zero)
    say_gather ("%s gives nonzeros where X is zero. Use %s (full (X)) or gather (X)", there->name,
                there->name);
  if (there)
    return value_of (mapped (*there, operand (false)));
  say_gather ("%s of a sparse matrix is not available on a device. Use %s (gather (X))",
              get_umap_name (f), get_umap_name (f));
}

// ---- operators ----------------------------------------------------------------------------------

// An operand of OP. As in Octave, a permutation matrix is full except for `*`, and a diagonal
// matrix is full for `.*`.
static sparse_operand operand_for (octave_value::binary_op op, const octave_base_value &x,
                                   int device, bool drops_zeros) {
  sparse_operand o;
  if (const octave_gpusparse *s = gpusparse_of (x)) {
    o.is_sparse = true;
    o.s = moved (s->operand (drops_zeros), device);
  } else if (get_gpuarray (x, o.other.x)) {
    if (o.other.x.device != device)
      o.other.x = moved (o.other.x, device);
  } else if (x.issparse () || (op == octave_value::op_mul && x.is_perm_matrix ())) {
    o.is_sparse = true;
    o.s = upload_sparse (shared (x), device);
  } else if (x.is_diag_matrix () && x.numel () != 1 && op != octave_value::op_el_mul)
    o.diagonal = shared (x);
  else
    o.other = operand_of (shared (x), device);
  return o;
}

octave_value gpusparse_binary (octave_value::binary_op op, const octave_base_value &a,
                               const octave_base_value &b, const product_options &o) {
  array full;
  sparse result;
  const int device = device_of (a, b);
  const octave_gpusparse *s = gpusparse_of (a), *t = gpusparse_of (b);
  const bool multiplies = op == octave_value::op_mul,
             drops_zeros = !multiplies && s && t && s->dims () == t->dims ()
                           && !same_pattern (s->m (), t->m ());
  sparse_operand x = operand_for (op, a, device, drops_zeros),
                 y = operand_for (op, b, device, drops_zeros);
  const bool is_sparse = combined (op, x, y, o, result, full);
  if (multiplies && s)
    s->keep (x.s);
  if (multiplies && t)
    t->keep (y.s);
  return is_sparse ? value_of (result) : value_of (full);
}

// ---- concatenation ------------------------------------------------------------------------------

// A part as a sparse matrix. Only classes that can be joined with Octave's sparse matrices are
// taken.
static sparse part_for (const octave_base_value &x, int device) {
  array full;
  if (const octave_gpusparse *s = gpusparse_of (x))
    return moved (s->operand (false), device);
  const bool is_there = get_gpuarray (x, full);
  const gpumm_type type = is_there ? full.type : type_of_class (x.class_name ());
  if (real_type (type) != GPUMM_D && type != GPUMM_B)
    say_gather (
        "a sparse matrix can be concatenated only with double and logical ones. Use gather (X)");
  return is_there ? sparse_of (moved (full, device)) : upload_sparse (shared (x), device);
}

octave_value gpusparse_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &given) {
  const Array<octave_idx_type> place = place_of_part (given, a.dims (), b.dims ());
  const int device = device_of (a, b);
  const octave_gpusparse *s = gpusparse_of (a);
  const sparse x = s && s->base () ? *s->base () : part_for (a, device);
  return octave_gpusparse::with_part (s, x, part_for (b, device), place);
}

void install_gpusparse (octave::type_info &types) {
  octave_gpusparse::register_type (types);
  const int id = octave_gpusparse::static_type_id ();
  install_with_operators (types, id);
  types.install_unary_op (octave_value::op_not, id, [] (const octave_base_value &) -> octave_value {
    say_gather ("! X of a sparse matrix would have few zeros. Use ! full (X) or gather (X)");
  });
  types.install_unary_op (octave_value::op_uplus, id, [] (const octave_base_value &x) {
    return gpusparse_of (x)->islogical () ? shared (x).as_double () : shared (x);
  });
  types.install_unary_op (octave_value::op_uminus, id, [] (const octave_base_value &x) {
    return octave::binary_op (type_info (), octave_value::op_mul, octave_value (-1.0), shared (x));
  });
}

// ---- for the named functions --------------------------------------------------------------------

static sparse argument (const octave_value &x, bool drops_zeros = true) {
  return gpusparse_of (x.get_rep ())->operand (drops_zeros);
}

octave_value_list sparse_fold (gpumm_fold_op op, const octave_value &x, int dim, int nargout) {
  if (nargout > 1)
    say_gather ("[Y, I] = %s of a sparse matrix is not available on a device. Use full (X) or "
                "gather (X)",
                fold_names[op]);
  const bool orders = op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN;
  return ovl (value_of (folded (op, argument (x, orders), dim)));
}

octave_value sparse_values (const octave_value &x) {
  return value_of (values_of (argument (x)));
}

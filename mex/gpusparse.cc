// gpusparse.cc - the type gpuArray of sparse matrices, as Octave sees it.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gpuarray.h"

using namespace gpumm;

class octave_gpusparse : public device_stored<sparse> {
public:
  explicit octave_gpusparse (const sparse &x = sparse ()) : device_stored (x) {
  }
  octave_gpusparse (const octave_gpusparse &x) : device_stored (x.computed ()) {
  }
  octave_base_value *clone () const {
    return new octave_gpusparse (*this);
  }
  octave_base_value *empty_clone () const {
    return new octave_gpusparse ();
  }

  storage kind () const {
    return storage::sparse;
  }
  std::size_t stored_bytes () const {
    const sparse &x = drop_zeros (m ());
    const std::size_t each = sizeof (int32_t) + gpumm_type_bytes (x.values.type);
    return std::size_t (x.stored) * each + std::size_t (x.cols + 1) * sizeof (int64_t);
  }
  octave_idx_type nnz () const {
    return drop_zeros (m ()).stored;
  }
  octave_value as_sparse () const {
    return octave_value (clone ());
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const {
    const octave_value z = (octave_value (by_octave ("sparse", ovl (elements ()))).*type) ();
    if (!z.issparse () || m ().type () != GPUMM_B)
      return octave_value (clone ());
    sparse x = operand ();
    x.values = gpumm::converted (x.values, GPUMM_D);
    x.twin = std::make_shared<sparse> ();
    return value_of (x);
  }

protected:
  octave_value diagonal (octave_idx_type k) const {
    if (dims ().any_zero ())
      return none (dim_vector (0, 0));
    const bool is_vector = dims () (0) == 1 || dims () (1) == 1;
    return value_of (is_vector ? matrix_with_diagonal (operand ()) : diagonal_of (operand (), k));
  }
  octave_value_list folded (gpumm_fold_op op, int dim, int) const {
    const bool orders = has_places (op);
    return ovl (value_of (gpumm::folded (op, operand (orders), dim)));
  }
  octave_value part (const octave_value_list &,
                     const std::vector<octave::idx_vector> &index) const {
    return value_of (part_of (operand (), index));
  }

  OWN_TYPE (octave_gpusparse, "sparse gpuArray", "gpuArray")
};

octave_value value_of (const sparse &x) {
  return octave_value (new octave_gpusparse (x));
}

// ---- concatenation ------------------------------------------------------------------------------

// A part as a sparse matrix.
static sparse part_for (const octave_base_value &x, int device) {
  array full;
  if (const auto *s = stored_as<sparse> (x))
    return moved (s->operand (false), device);
  check_sparse_part (x);
  return get_gpuarray (x, full) ? as_sparse (moved (full, device))
                                : upload_sparse (shared (x), device);
}

octave_value gpusparse_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &given) {
  const Array<octave_idx_type> place = place_of_part (given, a.dims (), b.dims ());
  const int device = device_of (a, b);
  const auto *s = stored_as<sparse> (a);
  const sparse x = s && s->base () ? *s->base () : part_for (a, device);
  return octave_gpusparse::with_part (s, x, part_for (b, device), b.dims (), place);
}

void install_gpusparse (octave::type_info &types) {
  octave_gpusparse::register_type (types);
  install_with_operators (types, octave_gpusparse::static_type_id ());
}

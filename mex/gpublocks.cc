// gpublocks.cc - the type gpuArray of matrices in blocks, as Octave sees it.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gpuarray.h"

using namespace gpumm;

class octave_gpublocks : public device_stored<blocks> {
public:
  explicit octave_gpublocks (const blocks &x = blocks ()) : device_stored (x) {
  }
  octave_gpublocks (const octave_gpublocks &x) : device_stored (x.computed ()) {
  }
  octave_base_value *clone () const {
    return new octave_gpublocks (*this);
  }
  octave_base_value *empty_clone () const {
    return new octave_gpublocks ();
  }

  storage kind () const {
    return storage::blocks;
  }
  std::size_t stored_bytes () const {
    const blocks &x = drop_zeros (m ());
    const octave_idx_type each = x.block_rows * x.block_cols, down = x.rows / x.block_rows;
    return std::size_t (x.stored) * (std::size_t (each) * gpumm_type_bytes (x.values.type) + 4)
           + std::size_t (down + 1) * sizeof (int64_t);
  }
  octave_idx_type nnz () const {
    return nonzeros_of (operand (false));
  }
  dim_vector block_size () const {
    return dims_of (kept.block_size ()); // that of all parts
  }
  octave_idx_type block_count () const {
    return drop_zeros (m ()).stored;
  }
  octave_value as_sparse () const {
    return value_of (sparse_of (is_wide (type ()) ? as_type (operand (), GPUMM_D) : operand ()));
  }
  octave_value elements_as (octave_value (octave_value::*type) () const) const {
    const octave_value z = (elements ().*type) ();
    const gpumm_type to = type_of_class (z.class_name ());
    return value_of (as_type (operand (), iscomplex () ? complex_type (to) : to));
  }

protected:
  octave_value diagonal (octave_idx_type) const {
    return value_of (diagonal_of (operand ()));
  }
  octave_value_list folded (gpumm_fold_op, int dim, int) const {
    return ovl (value_of (sum_of (operand (), dim)));
  }
  octave_value part (const octave_value_list &,
                     const std::vector<octave::idx_vector> &index) const {
    return value_of (part_of (operand (false), index));
  }
  octave_value block (const octave_value_list &index) const {
    return value_of (block_of (operand (false), index));
  }

  OWN_TYPE (octave_gpublocks, "blocksparse gpuArray", "gpuArray")
};

octave_value value_of (const blocks &x) {
  return octave_value (new octave_gpublocks (x));
}

// ---- concatenation ------------------------------------------------------------------------------

// A part that is in blocks.
static blocks part_for (const octave_base_value &x, int device) {
  const auto *s = stored_as<blocks> (x);
  return s ? moved (s->operand (false), device) : upload_blocks (shared (x), device);
}

// The result is in blocks if it is in blocks on the host, and full otherwise.
octave_value gpublocks_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &given) {
  const Array<octave_idx_type> place = place_of_part (given, a.dims (), b.dims ());
  const int device = device_of (a, b);
  const auto *s = stored_as<blocks> (a);
  const bool blocks_a = is_in_blocks (a), blocks_b = is_in_blocks (b);
  if (blocks_a && blocks_b) {
    const blocks x = s && s->base () ? *s->base () : part_for (a, device), y = part_for (b, device);
    if (fits_blocks (x.type (), dims_of (x.block_size ()), y.type (), dims_of (y.block_size ()),
                     place))
      return octave_gpublocks::with_part (s, x, y, b.dims (), place);
  }
  const auto as_full = [device] (bool is_blocks, const octave_base_value &x) {
    return is_blocks ? value_of (implicit_full_of (part_for (x, device))) : shared (x);
  };
  return octave::cat_op (type_info (), as_full (blocks_a, a), as_full (blocks_b, b), place);
}

void install_gpublocks (octave::type_info &types) {
  octave_gpublocks::register_type (types);
  install_with_operators (types, octave_gpublocks::static_type_id ());
}

// ---- for the named functions --------------------------------------------------------------------

bool blocks_equal (const octave_value &x, const octave_value &y) {
  const blocks a = stored_as<blocks> (x.get_rep ())->operand (),
               b = moved (stored_as<blocks> (y.get_rep ())->operand (), a.device);
  return a.size () == b.size () && a.block_size () == b.block_size () && equal (a, b);
}

octave_value blocks_dropped (const octave_value &x, double most) {
  const blocks m = stored_as<blocks> (x.get_rep ())->operand (false);
  const array numbers = is_float (m.type ()) ? m.values : as_type (m.values, GPUMM_D);
  return value_of (without_small (m, numbers, most));
}

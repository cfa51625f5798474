// gpuarray.h - functions that the types of gpuArray (full, sparse and block matrices) call in each
// other.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_GPUARRAY_H
#define GPUMM_GPUARRAY_H

#include "gpu_value.h"

// ---- operators ----------------------------------------------------------------------------------

// How a and b are stored: the kind that decides which rules hold for them.
storage kind_of_both (const octave_base_value &a, const octave_base_value &b);

// An error for what a device does not compute of operands of this kind. Is the result sparse?
bool check_operator (storage kind, octave_value::binary_op op, const gpumm::any_operand &a,
                     const gpumm::any_operand &b);

// A part that is put into a sparse gpuArray: an error for other classes than Octave's sparse
// matrices have.
void check_sparse_part (const octave_base_value &x);

// Can a matrix in blocks be put at this place among the blocks of another one?
bool fits_blocks (gpumm_type a, const dim_vector &block_a, gpumm_type b, const dim_vector &block_b,
                  const Array<octave_idx_type> &place);

// The place where Octave inserts a part of this size in a concatenation. Octave counts an empty
// part of 1x0 or 0x1 before it, but the size of the whole does not: an error if other places were
// wrong, too.
Array<octave_idx_type> place_of_part (const Array<octave_idx_type> &given, const dim_vector &whole,
                                      const dim_vector &part);

// Installs the operators of two values, transposes and concatenation for one of the types, with
// values of any type; and those that only full arrays have, whose parts are of a type, too.
void install_with_operators (octave::type_info &types, int id);
void install_full (octave::type_info &types, int id, int part);

// A value of the host as a gpuArray that Octave holds, where there is no device; their types.
octave_value value_of (const octave_value &held);
void install_gpuheld (octave::type_info &types);

namespace gpumm {
octave_value joined (const octave_value &base, const std::vector<part<octave_value>> &parts);
}

// A sparse matrix or one in blocks, M here, which may be a concatenation that is not finished.
template <typename M> class gpu_joined : public gpu_stored {
public:
  explicit gpu_joined (const M &x) : kept (x) {
  }

  // The matrix.
  M &m () const {
    if (!parts.empty ()) {
      kept = gpumm::joined (kept, parts);
      parts.clear ();
    }
    return kept;
  }

  // What the parts of a concatenation that is not finished are put into.
  const M *base () const {
    return parts.empty () ? nullptr : &kept;
  }

  // a, which has this base, with a part of this size at this place. If nobody else holds a, its
  // parts are taken: a copy for each part would take quadratic time.
  static octave_value with_part (const gpu_joined *a, const M &base, const M &part,
                                 const dim_vector &size, const Array<octave_idx_type> &place) {
    std::vector<gpumm::part<M>> list;
    if (a && a->is_shared ())
      list = a->parts;
    else if (a)
      list.swap (a->parts);
    if (!size.any_zero ())
      list.push_back ({part, place (0), place (1)});
    const octave_value c = value_of (base);
    dynamic_cast<const gpu_joined &> (c.get_rep ()).parts.swap (list);
    return c;
  }

protected:
  mutable M kept;
  mutable std::vector<gpumm::part<M>> parts; // of a concatenation
};

// ---- on a device --------------------------------------------------------------------------------

// The array in a full gpuArray for use in an expression, if x is one.
bool get_gpuarray (const octave_base_value &x, gpumm::array &to);

// A full gpuArray, or an array of the host, on this device.
gpumm::array array_on (const octave_value &x, int device);

// What sparse matrices and matrices in blocks, M here, have in common.
template <typename M> class device_stored : public gpu_joined<M> {
public:
  using gpu_joined<M>::gpu_joined;
  using gpu_joined<M>::m;
  using gpu_joined<M>::nnz;
  using gpu_joined<M>::is_left_out;
  using gpu_joined<M>::is_shared;

  gpumm_type type () const {
    return m ().type ();
  }
  int device () const {
    return kept.device;
  }
  octave_value gathered () const {
    return download (operand ());
  }
  bool is_valid () const {
    return gpumm::is_usable (m ().start);
  }
  void maybe_economize () {
    computed ();
  }

  // For use in an expression. If others hold the value, too, it is computed, and rid of zeros, once
  // for all.
  M operand (bool drops_zeros = true) const {
    if (is_shared ()) {
      computed ();
      if (drops_zeros)
        drop_zeros (m ());
    }
    return m ();
  }

  dim_vector dims () const {
    if (is_left_out ())
      return dim_vector (0, 0);
    return gpumm::dims_of (kept.size ()); // of the result, before its parts are joined
  }
  bool is_true () const {
    return (dims ().numel () <= 1 || nnz () == dims ().numel ()) && gathered ().is_true ();
  }
  octave_value transpose (bool conjugates) const {
    return value_of (transposed (operand (false), conjugates));
  }
  octave_value full_value () const {
    return value_of (full_of (operand (false)));
  }
  octave_value values () const {
    return value_of (values_of (operand ()));
  }

  // A product has checked x, which is this value, for zeros, so no other operation needs to check
  // again.
  void keep (const M &x) const {
    if (kept.device == x.device)
      m () = x;
  }

protected:
  octave_value none (const dim_vector &size) const {
    return value_of (none_like (m (), gpumm::shape_of (size)));
  }
  octave_value mapped (const gpumm::function &f) const {
    return value_of (gpumm::mapped (f, operand (false), gpumm::mapped_type (f, type ())));
  }

  const M &computed () const {
    ready (m ().values);
    return kept;
  }

  using gpu_joined<M>::kept;
};

// The gpuArray of an M that x is, or null.
template <typename M> const device_stored<M> *stored_as (const octave_base_value &x) {
  return dynamic_cast<const device_stored<M> *> (&x);
}

// An error that says gather if one of the arguments of the function NAME is stored sparse or in
// blocks.
void need_full (const char *name, const octave_value_list &args);

// The arguments after the first.
inline octave_value_list rest_of (const octave_value_list &args, int first = 1) {
  return args.slice (first, args.length () - first);
}

// The row of a named function, or null; its results.
struct function_row;
const function_row *find_function (const std::string &name);
std::vector<std::string> function_names ();

// What gpuArray () returns, whose fields make arrays; its type.
octave_value makers ();
void install_makers (octave::type_info &types);
octave_value_list call_function (const function_row &row, const octave_value_list &args,
                                 int nargout);

// A function without a row: Octave computes single elements, and arrays are refused.
octave_value_list of_numbers (const std::string &name, const octave_value_list &args, int nargout);

// a / b or a \ b, where the divisor is a matrix of the host, or a full one there.
octave_value divided (octave_value::binary_op op, const octave_base_value &a,
                      const octave_base_value &b);

// Both operands of an operator on full arrays.
std::pair<gpumm::operand, gpumm::operand> operands_of (const octave_base_value &a,
                                                       const octave_base_value &b);

// The device of the first gpuArray of two values.
int device_of (const octave_base_value &a, const octave_base_value &b);

// Registers the types and their operators, that of full arrays first.
void install_gpufull (octave::type_info &types);
void install_gpusparse (octave::type_info &types);
void install_gpublocks (octave::type_info &types);

// a OP b, if neither is sparse or in blocks and one is on the device; a with b inserted.
octave_value gpufull_binary (octave_value::binary_op op, const octave_base_value &a,
                             const octave_base_value &b, const gpumm::product_options &o);
octave_value gpufull_joined (const octave_base_value &a, const octave_base_value &b,
                             const Array<octave_idx_type> &place);

// a OP b in any format, of which one is on the device. The options are those of a product.
octave_value combined_there (octave_value::binary_op op, const octave_base_value &a,
                             const octave_base_value &b, const gpumm::product_options &o);

// a with b inserted, if one of them is sparse, neither is in blocks, and one is on the device.
octave_value gpusparse_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &place);

// The same for matrices in blocks.
octave_value gpublocks_joined (const octave_base_value &a, const octave_base_value &b,
                               const Array<octave_idx_type> &place);
bool blocks_equal (const octave_value &x, const octave_value &y);
octave_value blocks_dropped (const octave_value &x, double most);

#endif

// operand.h - an operand of an operator in any format: as the rules see it, with a GPU or without
// one, and as the work on a device takes it.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_OPERAND_H
#define GPUMM_OPERAND_H

#include "arrays/blocks.h"
#include "device_array.h"

// How a matrix stores its elements: all, those that are not zero, or blocks.
enum class storage { full, sparse, blocks };

class gpu_value;

// An array or a matrix as a gpuArray.
octave_value value_of (const gpumm::array &x);
octave_value value_of (const gpumm::sparse &x);
octave_value value_of (const gpumm::blocks &x);

namespace gpumm {

// x has the type and the size in any format. On a device a full operand is in x, or a number, and
// the others are in s or b.
struct any_operand : operand {
  storage kind = storage::full;
  bool is_diagonal = false; // a diagonal matrix of the host beside a sparse matrix
  sparse s;
  blocks b;

  // given beside `other`, where one of them is stored so.
  any_operand (storage one, octave_value::binary_op op, const octave_base_value &given,
               const octave_base_value &other);

  // Brings it to this device; there a sparse matrix that others hold, too, drops its zeros for all.
  void bring (int device, bool drops_zeros);
  // A product has dropped zeros of it: its gpuArray drops them, too.
  void keep () const;

  // All elements, on the device; an error if a matrix in blocks is too large for that.
  array full () const;
  octave_value on_host () const;
  octave_value as_given () const;
  bool is_there () const {
    return there != nullptr;
  }
  // Are only some elements stored? Is it a number, and stored as one?
  bool is_stored () const {
    return kind != storage::full || is_diagonal;
  }
  bool is_full_number () const {
    return kind == storage::full && x.is_scalar ();
  }
  dim_vector block_size () const;

private:
  const gpu_value *there;
  octave_value value; // of the host
};

} // namespace gpumm

#endif

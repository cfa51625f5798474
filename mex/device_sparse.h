// device_sparse.h - sparse matrices on a device for Octave: values from and to the host, and
// Octave's rules for their operators, whose work engine/arrays does.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_SPARSE_H
#define GPUMM_DEVICE_SPARSE_H

#include "operand.h"

namespace gpumm {

// The value is a sparse, diagonal or permutation matrix.
sparse upload_sparse (const octave_value &value, int device);
octave_value download (sparse x);

// The sparse matrix with the entries of a full one, or Octave's error.
sparse as_sparse (const array &x);

// Is v a vector that applies to each column or each row of a matrix of this size?
bool goes_along (const shape &v, const shape &size);

// Comparisons and logical operators with empty matrices: the sizes of Octave's results follow no
// rule of other operators, so Octave computes them.
bool has_own_sizes (octave_value::binary_op op, const shape &a, const shape &b);

// If both operands are sparse and one is a number, these operators of Octave also apply to zeros
// that are not stored; and these of Octave 11.
bool takes_zeros (octave_value::binary_op op);
bool zeros_count (octave_value::binary_op op);

// a OP b on a device, of which one is sparse, as a gpuArray. The rules allow it and say whether the
// result is sparse. A product drops zeros of its operands; the options are its own.
octave_value combined_sparse (octave_value::binary_op op, any_operand &a, any_operand &b,
                              bool is_sparse, const product_options &o);

// S(I,J), S(J) of a vector.
sparse part_of (sparse x, std::vector<octave::idx_vector> index);

// The product of two matrices M in host memory, where gpumm takes no memory for long lines.
template <typename M> octave_value product_on_host (M a, M b) {
  const auto read = [] (M &x) -> const char * {
    if (x.conjugated && !x.turned)
      x = straight (x);
    const char *op = !x.turned ? "none" : x.conjugated ? "ctranspose" : "transpose";
    x.turned = x.conjugated = false;
    return op;
  };
  const char *op_a = read (a), *op_b = read (b);
  return by_octave ("gpumm",
                    ovl (download (a), download (b), "TransposeA", op_a, "TransposeB", op_b));
}

} // namespace gpumm

#endif

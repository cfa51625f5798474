// device_sparse.h - sparse matrices on a device for Octave: values from and to the host, and
// Octave's rules for their operators, whose work engine/arrays does.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_SPARSE_H
#define GPUMM_DEVICE_SPARSE_H

#include "arrays/blocks.h"
#include "device_array.h"

namespace gpumm {

// The value is a sparse, diagonal or permutation matrix.
sparse upload_sparse (const octave_value &value, int device);
octave_value download (sparse x);

// The sparse matrix with the entries of a full one, or Octave's error.
sparse as_sparse (const array &x);

// An operand of an operator whose other operand is sparse.
struct sparse_operand {
  bool is_sparse = false;
  sparse s;
  operand other;
  octave_value diagonal; // a diagonal matrix of the host
};

// Is v a vector that applies to each column or each row of a matrix of this size?
bool goes_along (const dim_vector &v, const dim_vector &size);

// Comparisons and logical operators with empty matrices: the sizes of Octave's results follow no
// rule of other operators, so Octave computes them.
bool has_own_sizes (octave_value::binary_op op, const dim_vector &a, const dim_vector &b);

// If both operands are sparse and one is a number, these operators of Octave also apply to zeros
// that are not stored; and these of Octave 11.
bool takes_zeros (octave_value::binary_op op);
bool zeros_count (octave_value::binary_op op);

// a OP b, which the rules allow, with a sparse result, or a full one where they say so. Returns
// true if the result is sparse; otherwise it is in `full`. A product drops zeros of its
// operands; the options are its own.
bool combined (octave_value::binary_op op, sparse_operand &a, sparse_operand &b, bool is_sparse,
               const product_options &o, sparse &result, array &full);

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

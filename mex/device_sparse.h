// device_sparse.h - sparse matrices on a device: their operations, with Octave's rules.
//
// The stored values are an array of device_array.h, so elementwise operations are programs:
// S .* (abs (S) > tol) is one pass. Matrices share patterns until a pattern changes. Two matrices
// with the same buffers have the same pattern.
//
// drop_zeros looks for values that have become zero before zeros can matter, and drops them, so
// nobody sees a stored zero.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_SPARSE_H
#define GPUMM_DEVICE_SPARSE_H

#include "device_array.h"

namespace gpumm {

// What sparse matrices and matrices in blocks, M here, have in common. Both store values and a
// pattern in compressed columns, or in compressed block rows.
template <typename M> struct stored_matrix {
  int device = NO_DEVICE;
  octave_idx_type rows = 0, cols = 0, stored = 0; // as stored; the number of entries or blocks
  array start, index, values;
  bool turned = false, conjugated = false; // read transposed; read conjugated
  bool may_store_zeros = false;            // a stored entry or block may be zero
  array zero;                              // after a product: is a stored entry or block zero?
  std::shared_ptr<M> twin;                 // the transpose of the stored matrix, if it was made

  dim_vector size () const {
    return turned ? dim_vector (cols, rows) : dim_vector (rows, cols);
  }
  gpumm_type type () const {
    return values.type;
  }
};

// A part of a concatenation, which begins at this row and column, from 0.
template <typename M> struct part {
  M m;
  octave_idx_type row, col;
};

struct sparse : stored_matrix<sparse> {
  bool thinned = false; // most stored values may be zero, as after a mask
};

// The value is a sparse, diagonal or permutation matrix.
sparse upload_sparse (const octave_value &value, int device);
octave_value download (sparse x);

// x on this device, as moved () of arrays.
sparse moved (const sparse &x, int device);

// Drops stored zeros. Waits if it is not known whether there are any.
const sparse &drop_zeros (sparse &x);

sparse transposed (sparse x, bool conjugates);

// Do they share the buffers of their patterns?
bool same_pattern (const sparse &a, const sparse &b);

// Conversions to a full array and back.
array full_of (sparse x);
sparse sparse_of (const array &x);

// The stored values, as an array.
array values_of (sparse x);

// An operand of an operator whose other operand is sparse.
struct sparse_operand {
  bool is_sparse = false;
  sparse s;
  operand other;
  octave_value diagonal; // a diagonal matrix of the host
};

// Is v a vector that applies to each column or each row of a matrix of this size?
bool goes_along (const dim_vector &v, const dim_vector &size);

// If both operands are sparse and one is a number, these operators of Octave also apply to zeros
// that are not stored; and these of Octave 11.
bool takes_zeros (octave_value::binary_op op);
bool zeros_count (octave_value::binary_op op);

// a OP b, which the rules allow, with a sparse result, or a full one where they say so. Returns
// true if the result is sparse; otherwise it is in `full`. A product drops zeros of its
// operands; the options are its own.
bool combined (octave_value::binary_op op, sparse_operand &a, sparse_operand &b, bool is_sparse,
               const product_options &o, sparse &result, array &full);

sparse mapped (const function &f, sparse x);

// Sums and extremes of columns (dim 0) or rows (1).
sparse folded (gpumm_fold_op op, sparse x, int dim);

// The k-th diagonal as a column, or for a vector the matrix with this diagonal.
sparse diagonal_of (sparse x, octave_idx_type k);

// S(I,J), S(J) of a vector.
sparse part_of (sparse x, std::vector<octave::idx_vector> index);

// A matrix of this size without entries, of x's type and on x's device.
sparse none_like (const sparse &x, const dim_vector &size);

// The parts, row by row, put into base where it has no entries.
sparse joined (const sparse &base, const std::vector<part<sparse> > &parts);

} // namespace gpumm

#endif

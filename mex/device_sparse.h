// device_sparse.h - sparse matrices on a device: their operations, with Octave's rules.
//
// The stored values are an array of device_array.h, so what is done to each of them is a program of its:
// S .* (abs (S) > tol) is one pass. Patterns are made anew where they change, and shared where not; two
// matrices with the same buffers have the same pattern.
//
// A value that may have become zero is looked for where it can matter (settle), and then dropped, so that
// nobody sees a stored zero.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_SPARSE_H
#define GPUMM_DEVICE_SPARSE_H

#include "device_array.h"

namespace gpumm {

struct sparse {
  int device = NO_DEVICE;
  octave_value host; // with NO_DEVICE: the matrix
  // as stored: compressed columns
  octave_idx_type rows = 0, cols = 0, stored = 0;
  array start, index, values;
  bool turned = false, conjugated = false; // this matrix is what is stored, transposed; conjugated
  bool unsure = false;                     // a stored value may be zero
  bool thinned = false;                    // and perhaps most of them are: after a mask, say
  array zero;                              // after a product: says whether one is
  std::shared_ptr<sparse> twin;            // where there is one: the transpose of what is stored

  dim_vector size () const {
    return is_hosted () ? host.dims () : turned ? dim_vector (cols, rows) : dim_vector (rows, cols);
  }
  bool is_hosted () const {
    return device == NO_DEVICE;
  }
  bool is_scalar () const {
    return size ().numel () == 1;
  }
  gpumm_type type () const;
};

// Of an octave_value that is sparse, a diagonal or a permutation matrix.
sparse upload_sparse (const octave_value &value, int device);
octave_value download (sparse x);

// x on that device, as of an array.
sparse moved (const sparse &x, int device);

// Drops what is zero. Waits where that is not known.
const sparse &settle (sparse &x);

sparse transposed (sparse x, bool conjugates);

// Do they share what says where their values are?
bool same_pattern (const sparse &a, const sparse &b);

// Full and back.
array full_of (sparse x);
sparse sparse_of (const array &x);

// The stored values, as an array.
array values_of (sparse x);

// One operand of an operator of which another is sparse.
struct sparse_operand {
  bool is_sparse = false;
  sparse s;
  operand other;
  octave_value diagonal; // a diagonal matrix of the host
};

// The result is sparse, or else *full. A product settles its operands.
bool combined (octave_value::binary_op op, sparse_operand &a, sparse_operand &b, sparse &result,
               array &full);

sparse mapped (const function &f, sparse x);
sparse applied_sparse (sparse x, gpumm_map_step step, gpumm_type type);

// Sums and extremes of columns (dim 0) or rows (1).
sparse folded (gpumm_fold_op op, sparse x, int dim);

// The k-th diagonal as a column, or of a vector the matrix that has it.
sparse diagonal_of (sparse x, octave_idx_type k);

// S(I,J), S(J) of a vector.
sparse part_of (sparse x, const octave_value_list &given);

// A matrix of this size without entries, of x's type and where x is.
sparse none_like (const sparse &x, const dim_vector &size);

// a with b inserted where a has no entries, the first of them at this row and column, from 0.
sparse inserted (sparse a, sparse b, octave_idx_type row, octave_idx_type col);

} // namespace gpumm

#endif

// device_blocks.h - matrices in blocks on a device: their operations, with the rules of blocksparse.
//
// As for sparse matrices (device_sparse.h) the blocks are an array of device_array.h, so what is done to
// each element is a program of its: 1.5 * X - 0.5 * Y is one pass where the patterns are the same. The
// pattern of blocks is a sparse matrix, which the same kernels unite, transpose and thin out.
//
// A block that may have become zero is looked for where it can matter (settle), and then dropped.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_BLOCKS_H
#define GPUMM_DEVICE_BLOCKS_H

#include "device_sparse.h"

namespace gpumm {

struct blocks {
  int device = NO_DEVICE;
  octave_value host; // with NO_DEVICE: the blocksparse
  // as stored: compressed block rows
  octave_idx_type rows = 0, cols = 0, block_rows = 1, block_cols = 1, stored = 0;
  array start, index, values; // index: the block columns; values: block_rows * block_cols x stored
  bool turned = false, conjugated = false; // this matrix is what is stored, transposed; conjugated
  bool unsure = false;                     // a stored block may be zero
  array zero;                              // after a product: says whether one is
  std::shared_ptr<blocks> twin;            // where there is one: the transpose of what is stored

  dim_vector size () const {
    return is_hosted () ? host.dims () : turned ? dim_vector (cols, rows) : dim_vector (rows, cols);
  }
  bool is_hosted () const {
    return device == NO_DEVICE;
  }
  dim_vector block_size () const;
  gpumm_type type () const;
};

// Is it a blocksparse of the host?
bool is_blocksparse (const octave_base_value &x);

blocks upload_blocks (const octave_value &value, int device);
octave_value download (blocks x);

// x on that device, as of an array.
blocks moved (const blocks &x, int device);

// Drops blocks that are zero. Waits where that is not known.
const blocks &settle (blocks &x);

blocks transposed (blocks x, bool conjugates);

// Full and sparse, and back from full.
array full_of (blocks x);
sparse sparse_of (blocks x);
blocks blocks_of (const array &x, const dim_vector &block_size);

// X(I,J), and the element X(K): full, as of a blocksparse of the host. X{I,J}, a block. One look.
array part_of (blocks x, const octave_value_list &given);
array block_of (blocks x, const octave_value_list &given);

// A matrix of this size without blocks, of x's type and where x is: in blocks of x's size, or, where they do
// not divide it, of one element.
blocks none_like (const blocks &x, const dim_vector &size);

// a with b, of one class and block size, inserted where a has no blocks, the first element at this row and
// column, from 0.
blocks inserted (blocks a, blocks b, octave_idx_type row, octave_idx_type col);

// As full_of, but an error where the matrix is too large to be made unasked.
array implicit_full_of (const blocks &x);

// The stored elements, as a column.
array values_of (blocks x);

// Elements that are not zero. Waits.
octave_idx_type nonzeros_of (blocks x);

// One operand of an operator of which another is in blocks.
struct block_operand {
  bool is_blocks = false;
  blocks s;
  operand other;
};

// The result is in blocks, or else *full. A product settles its operands.
bool combined (octave_value::binary_op op, block_operand &a, block_operand &b, blocks &result,
               array &full);

blocks mapped (const function &f, blocks x);
blocks converted (blocks x, gpumm_type type);

// Are the elements of two matrices of one size and block size equal? Waits.
bool equal (blocks a, blocks b);

// Without the blocks whose Frobenius norm is at most this.
blocks without_small (blocks x, double most);

// Sums of columns (dim 0) or rows (1); the diagonal. Both full.
array sum_of (blocks x, int dim);
array diagonal_of (blocks x);

} // namespace gpumm

#endif

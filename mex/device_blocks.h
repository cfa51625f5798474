// device_blocks.h - operations of matrices in blocks on a device, with the rules of blocksparse.
//
// As in device_sparse.h, the elements are an array of device_array.h, so elementwise operations are
// programs: 1.5 * X - 0.5 * Y is one pass if the patterns are equal. The pattern of blocks is a
// sparse matrix: the kernels of sparse matrices unite, transpose and thin out patterns of blocks,
// too.
//
// drop_zeros looks for blocks that have become zero before they can matter, and drops them.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_BLOCKS_H
#define GPUMM_DEVICE_BLOCKS_H

#include "device_sparse.h"

namespace gpumm {

// index has the block columns, and values is block_rows * block_cols x stored.
struct blocks : stored_matrix<blocks> {
  octave_idx_type block_rows = 1, block_cols = 1; // as stored

  dim_vector block_size () const {
    return turned ? dim_vector (block_cols, block_rows) : dim_vector (block_rows, block_cols);
  }
};

// Is it a blocksparse of the host?
bool is_blocksparse (const octave_base_value &x);

blocks upload_blocks (const octave_value &value, int device);
octave_value download (blocks x);

// x on this device, as moved () of arrays.
blocks moved (const blocks &x, int device);

// Drops zero blocks. Waits if it is not known whether there are any.
const blocks &drop_zeros (blocks &x);

blocks transposed (blocks x, bool conjugates);

// Conversions to full and sparse, and from full.
array full_of (blocks x);
sparse sparse_of (blocks x);
blocks blocks_of (const array &x, const dim_vector &block_size);

// X(I,J) and the element X(K), which are full, as for a blocksparse of the host; the block X{I,J}.
// Waits once.
array part_of (blocks x, std::vector<octave::idx_vector> index);
array block_of (blocks x, const octave_value_list &given);

// A matrix of this size without blocks, of x's type and on x's device. Its blocks have the size of
// x's, or one element if that size does not divide the matrix.
blocks none_like (const blocks &x, const dim_vector &size);

// The parts, row by row, put into base where it has no blocks. All have one class and block size.
blocks joined (const blocks &base, const std::vector<part<blocks> > &parts);

// As full_of, but an error if the matrix is too large to be made implicitly.
array implicit_full_of (const blocks &x);

// The stored elements, as a column.
array values_of (blocks x);

// The number of elements that are not zero. Waits.
octave_idx_type nonzeros_of (blocks x);

// An operand of an operator whose other operand is in blocks.
struct block_operand {
  bool is_blocks = false;
  blocks s;
  operand other;
};

// a OP b, which the rules allow. Returns true if the result is in blocks; otherwise it is in
// `full`. A product drops zeros of its operands; the options are its own.
bool combined (octave_value::binary_op op, block_operand &a, block_operand &b,
               const product_options &o, blocks &result, array &full);

blocks mapped (const function &f, blocks x);
blocks converted (blocks x, gpumm_type type);

// Are the elements of two matrices of one size and block size equal? Waits.
bool equal (blocks a, blocks b);

// x without the blocks whose Frobenius norm is at most `most`.
blocks without_small (blocks x, double most);

// Sums of columns (dim 0) or rows (1); the diagonal. Both full.
array sum_of (blocks x, int dim);
array diagonal_of (blocks x, octave_idx_type k = 0);

} // namespace gpumm

#endif

// blocks.h - matrices in blocks that stay on a device.
//
// As in sparse.h, the elements are an array, so elementwise operations are programs:
// 1.5 * X - 0.5 * Y is one pass if the patterns are equal. The pattern of blocks is a sparse
// matrix: the kernels of sparse matrices unite, transpose and thin out patterns of blocks, too.
//
// drop_zeros looks for blocks that have become zero before they can matter, and drops them.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_BLOCKS_H
#define GPUMM_BLOCKS_H

#include "sparse.h"

namespace gpumm {

// index has the block columns, and values is block_rows * block_cols x stored.
struct blocks : stored_matrix<blocks> {
  int64_t block_rows = 1, block_cols = 1; // as stored

  shape block_size () const {
    return turned ? shape (block_cols, block_rows) : shape (block_rows, block_cols);
  }
};

// ---- memory -------------------------------------------------------------------------------------

// Memory for a matrix of these sizes, and for a matrix with blocks of x's block size.
blocks new_blocks (int device, gpumm_type type, const blocks &sizes, int64_t stored,
                   const array *start = nullptr);

// A matrix of this size without blocks, of x's type and on x's device. Its blocks have the size of
// x's, or one element if that size does not divide the matrix.
blocks none_like (const blocks &x, const shape &size);

// x on this device, as moved () of arrays.
blocks moved (const blocks &x, int device);

// Drops zero blocks. Waits if it is not known whether there are any.
const blocks &drop_zeros (blocks &x);

blocks transposed (const blocks &x, bool conjugates);
blocks converted (blocks x, gpumm_type type);

// Conversions to full and sparse, and from full.
array full_of (blocks x);
sparse sparse_of (blocks x);
blocks blocks_of (const array &x, const shape &block_size);

// The stored elements, as a column; the number of those that are not zero (waits).
array values_of (blocks x);
int64_t nonzeros_of (blocks x);

// ---- patterns -----------------------------------------------------------------------------------

// The pattern of blocks, read by columns, as the pattern of the transpose. Without values.
gpumm_matrix grid_of (const blocks &x);

// 0, step, ..., count * step, in the type of offsets and places.
array multiples (int device, int64_t count, int64_t step);

// The entries that are in both of two patterns: their marks in a, and their places in a and in b.
// Waits for their number.
struct meeting {
  marks in_a;
  int64_t count;
  array from_a, from_b;
  meeting (int device, const gpumm_matrix &a, const gpumm_matrix &b);
};

// The blocks at these places; zeros with blocks put at these places; an array that nobody else
// holds, with blocks put at these places.
array taken (const array &values, const array &places);
array put_among_zeros (const array &blocks, const array &places, int64_t count);
void put (const array &blocks, const array &places, const array &whole);

// ---- for the functions of stored.h: as those of sparse.h ----------------------------------------

marks marks_of (blocks &x);
blocks packed (blocks x, const marks &m, int64_t kept);
blocks twin_of (blocks &x);
gpumm_matrix stored_of (blocks &x);
blocks new_result (const gpumm_matrix &described, const blocks &a, const array &start);
int64_t lines_of_product (const blocks &a, const blocks &b);

// ---- operators and functions --------------------------------------------------------------------

// a OP b of two matrices of one size and block size, at all places where one of them stores a
// block. real: the real type of the result.
blocks combined (gpumm_map_op op, blocks a, blocks b, gpumm_type real);

// f of the elements; type: the real type of the results.
blocks mapped (const function &f, blocks x, gpumm_type type);

// Are the elements of two matrices of one size and block size equal? Waits.
bool equal (blocks a, blocks b);

// x, with these elements as floating-point numbers, without the blocks whose Frobenius norm is at
// most `most`. Waits.
blocks without_small (blocks x, const array &numbers, double most);

// Sums of columns (dim 0) or rows (1); the diagonal. Both full.
array sum_of (blocks x, int dim);
array diagonal_of (blocks x);

// ---- products -----------------------------------------------------------------------------------

// Would a * b need memory for far more block columns than there are blocks?
bool has_long_lines (const blocks &a, const blocks &b);

// a * b in this type, and drops zeros of a and b, all in one read; blocks times full (left) or full
// times blocks.
blocks multiplied (blocks &a, blocks &b, gpumm_type type, const product_options &o);
array multiplied_full (blocks &s, array d, bool left, const product_options &o);

// ---- parts --------------------------------------------------------------------------------------

// X(I,J), which is full. Waits once.
array part_of (const blocks &x, const selection &rows, const selection &cols);

// The parts, row by row, put into base where it has no blocks. All have one class and block size.
blocks joined (const blocks &base, const std::vector<part<blocks>> &parts);

} // namespace gpumm

#endif

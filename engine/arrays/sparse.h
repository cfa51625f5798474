// sparse.h - sparse matrices that stay on a device.
//
// The stored values are an array of array.h, so elementwise operations are programs:
// S .* (abs (S) > tol) is one pass. Matrices share patterns until a pattern changes. Two matrices
// with the same buffers have the same pattern.
//
// drop_zeros looks for values that have become zero before zeros can matter, and drops them, so
// nobody sees a stored zero.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_SPARSE_H
#define GPUMM_SPARSE_H

#include "stored.h"

namespace gpumm {

struct sparse : stored_matrix<sparse> {
  bool thinned = false; // most stored values may be zero, as after a mask
};

// ---- memory -------------------------------------------------------------------------------------

// Memory for a matrix. If start is given, it becomes the offsets.
sparse new_sparse (int device, gpumm_type type, int64_t rows, int64_t cols, int64_t stored,
                   const array *start = nullptr);

// A matrix of this size without entries, of x's type and on x's device.
sparse none_like (const sparse &x, const shape &size);

// x on this device, as moved () of arrays.
sparse moved (const sparse &x, int device);

// Drops stored zeros. Waits if it is not known whether there are any.
const sparse &drop_zeros (sparse &x);

sparse transposed (const sparse &x, bool conjugates);

// Do they share the buffers of their patterns?
bool same_pattern (const sparse &a, const sparse &b);

// Conversions to a full array and back, from one of type B, D or Z.
array full_of (sparse x);
sparse sparse_of (const array &x);

// The stored values, as an array.
array values_of (sparse x);

// ---- for the functions of stored.h --------------------------------------------------------------

// Marks the entries of x that are not zero; the marked entries.
marks marks_of (sparse &x);
sparse packed (sparse x, const marks &m, int64_t kept);

// The transpose of the stored matrix, made once and kept with the matrix: most programs that need
// it need it again.
sparse twin_of (sparse &x);

// The matrix as it is stored, for the engine; memory for a product like a's, and its lines.
gpumm_matrix stored_of (sparse &x);
sparse new_result (const gpumm_matrix &described, const sparse &a, const array &start);
int64_t lines_of_product (const sparse &a, const sparse &b);

// ---- operators and functions --------------------------------------------------------------------

// x as truth values. In sparse matrices NaN is true.
sparse as_truth (sparse x);

// a OP b of two matrices of one size: at all places where one of them stores an entry, or only
// (unites is false) where both do.
sparse combined (bool unites, gpumm_map_op op, sparse a, sparse b);

// x with each row (or column) multiplied by, or divided by, an element of a full vector.
sparse scaled (bool divides, sparse x, array factors, bool by_rows);

// f of the entries; type: the real type of the results.
sparse mapped (const function &f, sparse x, gpumm_type type);

// Sums and extremes of columns (dim 0) or rows (1).
sparse folded (gpumm_fold_op op, sparse x, int dim);

// ---- products -----------------------------------------------------------------------------------

// Drops the zeros of factors that may be mostly zeros, before a product counts them. Waits then.
void drop_zeros_of_thinned (sparse &a, sparse &b);

// Would a * b need memory for far more rows than there are entries?
bool has_long_lines (const sparse &a, const sparse &b);

// a * b, and drops zeros of a and b, all in one read; sparse times full (left) or full times
// sparse.
sparse multiplied (sparse &a, sparse &b, const product_options &o);
array multiplied_full (sparse &s, array d, bool left, const product_options &o);

// ---- parts --------------------------------------------------------------------------------------

// The k-th diagonal of a matrix as a column; the matrix with x, a vector, for its diagonal.
sparse diagonal_of (sparse x, int64_t k);
sparse matrix_with_diagonal (sparse x);

// S(:,J) and S(I,:)
sparse columns_of (sparse x, const selection &which);
sparse rows_of (sparse x, const selection &which);

// The parts, row by row, put into base where it has no entries.
sparse joined (const sparse &base, const std::vector<part<sparse>> &parts);

} // namespace gpumm

#endif

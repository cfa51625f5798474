// device_sparse_parts.h - functions that the files of device_sparse share.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_SPARSE_PARTS_H
#define GPUMM_DEVICE_SPARSE_PARTS_H

#include "device_sparse.h"
#include "device_stored.h"

namespace gpumm {

// Memory for a matrix. If start is given, it becomes the offsets.
sparse new_sparse (int device, gpumm_type type, index_type rows, index_type cols, index_type stored,
                   const array *start = nullptr);

// Marks the entries of x that are not zero.
marks marks_of (sparse &x);

// The marked entries.
sparse packed (sparse x, const marks &m, index_type kept);

// The transpose of the stored matrix, made once and kept with the matrix: most programs that need
// it need it again.
sparse twin_of (sparse &x);

// x as truth values. In sparse matrices NaN is true.
sparse as_truth (sparse x);

// a * b, and drops zeros of a and b, all in one read; sparse times full (left) or full times
// sparse.
sparse multiplied (sparse &a, sparse &b, const product_options &o);
array multiplied_full (sparse &s, array d, bool left, const product_options &o);

// The matrix as it is stored, for the engine; memory for a product like a's.
gpumm_matrix stored_of (sparse &x);
sparse new_result (const gpumm_matrix &shape, const sparse &a, const array &start);
index_type lines_of_product (const sparse &a, const sparse &b);

// x with each row (or column) multiplied by, or divided by, an element of a full vector.
sparse scaled (bool divides, sparse x, array factors, bool by_rows);

} // namespace gpumm

#endif

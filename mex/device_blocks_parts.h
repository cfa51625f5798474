// device_blocks_parts.h - functions that the files of device_blocks share.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_BLOCKS_PARTS_H
#define GPUMM_DEVICE_BLOCKS_PARTS_H

#include "device_blocks.h"
#include "device_stored.h"

namespace gpumm {

// Memory for a matrix of these sizes, and for a matrix with blocks of x's block size.
blocks new_blocks (int device, gpumm_type type, const blocks &sizes, index_type stored,
                   const array *start = nullptr);

// The pattern of blocks, read by columns, as the pattern of the transpose. Without values.
gpumm_matrix grid_of (const blocks &x);

// The matrix as it is stored, for the engine.
gpumm_matrix stored_of (blocks &x);

// The transpose of the stored matrix, made once and kept with the matrix.
blocks twin_of (blocks &x);

// Marks the blocks that are not zero.
marks marks_of (blocks &x);

// The marked blocks.
blocks packed (blocks x, const marks &m, index_type kept);

// The blocks at these places; zeros with blocks put at these places; an array that nobody else
// holds, with blocks put at these places.
array taken (const array &values, const array &places);
array put_among_zeros (const array &blocks, const array &places, index_type count);
void put (const array &blocks, const array &places, const array &whole);

// 0, step, ..., count * step, in the type of offsets and places.
array multiples (int device, index_type count, index_type step);

// The entries that are in both of two patterns: their marks in a, and their places in a and in b.
struct meeting {
  marks in_a;
  index_type count;
  array from_a, from_b;
  meeting (int device, const gpumm_matrix &a, const gpumm_matrix &b);
};

} // namespace gpumm

#endif

// vectors.h - vectors on a device, which patterns of sparse matrices and of blocks consist of.
//
// Sparse matrices and matrices in blocks both stand on this file, so it knows neither of their
// structs. The comment of a function that reads numbers back says "Waits".
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_VECTORS_H
#define GPUMM_VECTORS_H

#include "array.h"

namespace gpumm {

array vector (int device, gpumm_type type, int64_t count);

array to_device (int device, gpumm_type type, int64_t count, const void *from);

// The view of a vector, which may be missing.
gpumm_view view (const array &x);

// A matrix on a device as gpumm_sparse_work takes it: its pattern, by columns, and its values.
gpumm_matrix pattern_of (int64_t rows, int64_t cols, const array &start, const array &index);
void set_values (gpumm_matrix &m, const array &values);

void run_sparse_work (const gpumm_sparse_work &w);

// Reads results of a device together, with one wait.
class read_back {
public:
  void add (const array &x, int64_t place, int64_t count, void *to);
  void now ();

private:
  std::vector<array> arrays; // stay until then
  std::vector<gpumm_read> list;
};

// One count. Waits.
int64_t read_one (const array &x, int64_t place);

// Which entries of a matrix are marked (GPUMM_SPARSE_KEEP).
struct marks {
  array words, before;

  marks (int device, int64_t stored)
      : words (vector (device, GPUMM_U64, GPUMM_MARK_WORDS (stored))),
        before (vector (device, GPUMM_I64, GPUMM_MARK_WORDS (stored) + 1)) {
  }

  void attach (gpumm_sparse_work &w) const {
    w.marks = view_of (words);
    w.before = view_of (before);
  }

  // Waits.
  int64_t count () const {
    return read_one (before, words.numel ());
  }
};

// Marks the entries of a that are not zero.
marks marks_of (int device, const gpumm_matrix &a);

// Marks the entries of a that the pattern of b has, too. Returns work with both patterns and the
// marks.
gpumm_sparse_work matched (const gpumm_matrix &a, const gpumm_matrix &b, const marks &m);

// Moves blocks of `each` elements between the array of all blocks and one of the blocks at these
// places.
void move_blocks (bool puts, const array &part, const array &whole, const array &places,
                  int64_t each);

// Puts the values, or one value, at these places of x, whose buffer nobody else holds.
void put_at (const array &places, const array &values, const array &x);

// Where the entries of x, in the order of its columns, are not zero: a column of places from 1, as
// find gives them. Waits.
array places_of (array x);

// The values at these places, or zeros with the values put at these places. Places of type D are
// from 1, of type I64 from 0.
array picked (bool put, array values, const array &places, int64_t count);

// The number of entries that are not zero, of an array without a pending program. Waits.
int64_t nonzeros_of (const array &x);

} // namespace gpumm

#endif

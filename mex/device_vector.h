// device_vector.h - vectors on a device, which patterns of sparse matrices and of blocks consist
// of.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_VECTOR_H
#define GPUMM_DEVICE_VECTOR_H

#include "device_array.h"

namespace gpumm {

using index_type = octave_idx_type;

array vector (int device, gpumm_type type, index_type count);

array to_device (int device, gpumm_type type, index_type count, const void *from);

// The view of a vector, which may be missing.
gpumm_view view (const array &x);

// A matrix on a device as gpumm_sparse_work takes it: its pattern, by columns, and its values.
gpumm_matrix pattern_of (index_type rows, index_type cols, const array &start, const array &index);
void set_values (gpumm_matrix &m, const array &values);

void run (const gpumm_sparse_work &w);

// Reads results of a device together, with one wait.
class read_back {
public:
  void add (const array &x, index_type place, index_type count, void *to);
  void now ();

private:
  std::vector<array> arrays; // stay until then
  std::vector<gpumm_read> list;
};

// One count. Waits.
index_type read_one (const array &x, index_type place);

// Which entries of a matrix are marked (GPUMM_SPARSE_KEEP).
struct marks {
  array words, before;

  marks (int device, index_type stored)
      : words (vector (device, GPUMM_U64, GPUMM_MARK_WORDS (stored))),
        before (vector (device, GPUMM_I64, GPUMM_MARK_WORDS (stored) + 1)) {
  }

  void attach (gpumm_sparse_work &w) const {
    w.marks = view_of (words);
    w.before = view_of (before);
  }

  // Waits.
  index_type count () const {
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
                  index_type each);

// The values at these places, or zeros with the values put at these places.
array picked (bool put, array values, const array &places, index_type count);

// An array that is nonzero where x is nonzero or NaN. 64-bit integers have no arithmetic on a
// device, so their halves are tested.
array not_zero (const array &x);

// The number of entries that are not zero, of an array without a pending program. Waits.
octave_idx_type nonzeros_of (const array &x);

} // namespace gpumm

#endif

// block_index.h - the index of a block, S{I,J}, for matrices in blocks of the host and of a device.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_BLOCK_INDEX_H
#define GPUMM_BLOCK_INDEX_H

#include <cmath>

#include <octave/oct.h>

// The rows and columns of a block in a matrix of this size, or the error.
struct block_index {
  octave::idx_vector rows, cols;

  block_index (const octave_value_list &index, const dim_vector &size, const dim_vector &block) {
    bool numbers = index.length () == 2;
    for (octave_idx_type d = 0; numbers && d < 2; d++)
      numbers = index (d).isnumeric () && index (d).numel () == 1 && index (d).isreal ();
    if (!numbers)
      error_with_id ("gpumm:blocksparse:index",
                     "blocksparse: the index of a block must be two numbers, S{I,J}");
    const double i = index (0).double_value (), j = index (1).double_value ();
    const octave_idx_type down = size (0) / block (0), across = size (1) / block (1);
    if (!(i >= 1 && i <= double (down) && i == std::floor (i) && j >= 1 && j <= double (across)
          && j == std::floor (j)))
      error_with_id ("gpumm:blocksparse:index",
                     "blocksparse: there is no block {%g,%g}. The matrix has %ldx%ld blocks", i, j,
                     long (down), long (across));
    const octave_idx_type row = octave_idx_type (i - 1) * block (0),
                          col = octave_idx_type (j - 1) * block (1);
    rows = octave::idx_vector (row, row + block (0));
    cols = octave::idx_vector (col, col + block (1));
  }
};

#endif

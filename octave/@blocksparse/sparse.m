## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sparse (S): as Octave's sparse matrix, the elements as double.

function A = sparse (S)

  [at, ~, v] = find (double (S.values(:)));
  at = at(:) - 1;
  each = S.block_rows * S.block_cols;
  block = floor (at / each) + 1;
  i = mod (at, S.block_rows) + (block_rows (S)(block) - 1) * S.block_rows;
  j = floor (mod (at, each) / S.block_rows) + double (S.column(block)) * S.block_cols;
  A = sparse (i + 1, j + 1, v(:), S.rows, S.cols);

endfunction

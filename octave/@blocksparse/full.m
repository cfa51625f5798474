## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## full (S): the matrix with all its zeros.

function A = full (S)

  b = [S.block_rows, S.block_cols];
  grid = [S.rows, S.cols] ./ b;
  A = zeros (prod (b), prod (grid), class (S.values)); # the blocks, column by column
  A(:,block_rows (S) + double (S.column) * grid(1)) = reshape (S.values, prod (b), []);
  A = reshape (permute (reshape (A, b(1), b(2), grid(1), grid(2)), [1, 3, 2, 4]), S.rows, S.cols);

endfunction

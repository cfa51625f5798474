## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## S.', or S' where conjugate is true.

function T = turned (S, conjugate)

  [column, order] = sort (S.column); # stable: rows stay in order within a column
  count = accumarray (double (column) + 1, 1, [S.cols / S.block_cols, 1]);
  values = permute (reshape (S.values, S.block_rows, S.block_cols, []), [2, 1, 3])(:,:,order);
  if (conjugate)
    values = conj (values);
  endif
  T = S;
  [T.rows, T.cols] = deal (S.cols, S.rows);
  [T.block_rows, T.block_cols] = deal (S.block_cols, S.block_rows);
  T.start = int64 ([0; cumsum(count)]);
  T.column = int32 (block_rows (S)(order) - 1);
  T.values = reshape (values, T.block_rows, []);

endfunction

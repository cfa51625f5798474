## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## A blocksparse of the size of s = struct (S), with the blocks VALUES, a column of elements each,
## at the places P, which ascend.  Blocks that are zero are left out.

function S = from_places (s, p, values)

  across = s.cols / s.block_cols;
  count = accumarray (floor (p / across) + 1, 1, [s.rows / s.block_rows, 1]);
  s.start = int64 ([0; cumsum(count(:))]);
  s.column = int32 (mod (p, across));
  s.values = reshape (values, s.block_rows, []);
  S = blocksparse (s);

endfunction

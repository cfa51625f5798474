## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## A blocksparse with the size and block size of s = struct (S).  Column t of VALUES is the block at
## place P(t); P ascends.  Zero blocks are removed.

function S = from_places (s, p, values)

  across = s.cols / s.block_cols;
  count = accumarray (floor (p / across) + 1, 1, [s.rows / s.block_rows, 1]);
  s.start = int64 ([0; cumsum(count(:))]);
  s.column = int32 (mod (p, across));
  s.values = reshape (values, s.block_rows, []);
  S = blocksparse (s);

endfunction

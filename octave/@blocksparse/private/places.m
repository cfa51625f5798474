## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The places of the blocks of s = struct (S), numbered row by row from 0, as a column.

function p = places (s)

  p = (block_rows (s) - 1) * (s.cols / s.block_cols) + double (s.column);

endfunction

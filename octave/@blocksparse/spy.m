## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## spy (S, ...): a plot of where blocks are.

function spy (S, varargin)

  spy (sparse (block_rows (S), double (S.column) + 1, 1, S.rows / S.block_rows, ...
               S.cols / S.block_cols), varargin{:});
  xlabel (sprintf ("%d blocks of %dx%d", numel (S.column), S.block_rows, S.block_cols));

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## spy (S, ...): plots the places of the blocks.

function spy (S, varargin)

  s = struct (S);
  spy (sparse (block_rows (s), double (s.column) + 1, 1, s.rows / s.block_rows, ...
               s.cols / s.block_cols), varargin{:});
  xlabel (sprintf ("%d blocks of %dx%d", numel (s.column), s.block_rows, s.block_cols));

endfunction

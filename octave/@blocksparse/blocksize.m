## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## blocksize (S): [rows, columns] of a block.

function b = blocksize (S)

  s = struct (S);
  b = [s.block_rows, s.block_cols];

endfunction

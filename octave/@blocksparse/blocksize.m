## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## blocksize (S): [rows, columns] of a block.

function b = blocksize (S)

  b = [S.block_rows, S.block_cols];

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## blocksize (X): [rows, columns] of a block of a matrix in blocks

function b = blocksize (X)

  need_blocks ("blocksize", X);
  b = __gpuarray__ ("block size", X);

endfunction

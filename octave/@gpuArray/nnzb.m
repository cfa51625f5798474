## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## nnzb (X): the number of blocks with a nonzero element, of a matrix in blocks

function n = nnzb (X)

  need_blocks ("nnzb", X);
  n = __gpuarray__ ("blocks", X);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## Is the gpuArray X a matrix in blocks?

function yes = is_blocks (X)

  yes = strcmp (typeinfo (X), "blocksparse gpuArray");

endfunction

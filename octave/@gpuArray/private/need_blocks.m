## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## An error unless the gpuArray X is a matrix in blocks. NAME is the function.

function need_blocks (name, X)

  if (! is_blocks (X))
    error ("gpumm:invalid", "%s: X must be a blocksparse, or a gpuArray of one", name);
  endif

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## X = elements_of (X): of a struct, which is a blocksparse, its blocks, and else the matrix itself.

function X = elements_of (X)

  if (isstruct (X))
    X = X.values;
  endif

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## A sparse logical matrix, true where S is nonzero.

function P = pattern (S)

  [i, j] = nonzero (S);
  P = sparse (i, j, true, rows (S), columns (S));

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isinf (S): a sparse logical matrix.

function P = isinf (S)

  [i, j, v] = nonzero (S);
  is = isinf (v);
  P = sparse (i(is), j(is), true, rows (S), columns (S));

endfunction

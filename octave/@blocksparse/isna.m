## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isna (S): a sparse logical matrix.

function P = isna (S)

  [i, j, v] = nonzero (S);
  is = isna (v);
  P = sparse (i(is), j(is), true, rows (S), columns (S));

endfunction

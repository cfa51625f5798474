## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isnan (S): a sparse logical matrix.

function P = isnan (S)

  [i, j, v] = nonzero (S);
  is = isnan (v);
  P = sparse (i(is), j(is), true, rows (S), columns (S));

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## X = turned_pages (X, OP): X with each page transposed; OP is 0: no, 1: transpose, 2: ctranspose.

function X = turned_pages (X, op)

  if (op)
    X = permute (X, [2, 1, 3:ndims(X)]);
  endif
  if (op == 2 && iscomplex (X))
    X = conj (X);
  endif

endfunction

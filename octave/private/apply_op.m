## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## Y = apply_op (X, OP): X, its transpose (OP = 1) or its conjugate transpose (OP = 2).

function X = apply_op (X, op)

  if (op == 1)
    X = X.';
  elseif (op == 2)
    X = X';
  endif

endfunction

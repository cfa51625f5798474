## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## nnz (S): elements that are not zero.

function n = nnz (S)

  n = sum (S.values(:) != 0);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## nnzb (S): blocks that have an element that is not zero.

function n = nnzb (S)

  n = numel (struct (S).column);

endfunction

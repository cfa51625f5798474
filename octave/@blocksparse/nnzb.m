## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## nnzb (S): the number of blocks with a nonzero element.

function n = nnzb (S)

  n = numel (struct (S).column);

endfunction

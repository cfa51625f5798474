## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## single (S): the same with elements of class single.

function S = single (S)

  S = converted (S, "single");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## S * T: the product, by gpumm.

function C = mtimes (S, T)

  C = gpumm (S, T);

endfunction

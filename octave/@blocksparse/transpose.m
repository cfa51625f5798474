## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## transpose (S): S.'

function T = transpose (S)

  T = turned (S, false);

endfunction

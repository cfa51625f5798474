## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## ndims (S): 2

function n = ndims (S)

  n = 2;

endfunction

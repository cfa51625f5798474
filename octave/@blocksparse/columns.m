## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## columns (S)

function n = columns (S)

  n = S.cols;

endfunction

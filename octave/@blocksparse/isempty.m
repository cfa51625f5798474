## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isempty (S)

function yes = isempty (S)

  yes = S.rows == 0 || S.cols == 0;

endfunction

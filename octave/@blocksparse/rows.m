## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## rows (S)

function n = rows (S)

  n = S.rows;

endfunction

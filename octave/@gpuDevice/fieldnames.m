## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## fieldnames (D)

function names = fieldnames (D)

  names = fieldnames (fields_of (D));

endfunction

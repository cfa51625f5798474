## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## istriu (S)

function yes = istriu (S)

  yes = istriu (pattern (S));

endfunction

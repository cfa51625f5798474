## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## istril (S)

function yes = istril (S)

  yes = istril (pattern (S));

endfunction

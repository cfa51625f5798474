## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isdiag (S)

function yes = isdiag (S)

  yes = isdiag (pattern (S));

endfunction

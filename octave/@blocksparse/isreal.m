## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isreal (S)

function yes = isreal (S)

  yes = isreal (S.values);

endfunction

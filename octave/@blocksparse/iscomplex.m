## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## iscomplex (S)

function yes = iscomplex (S)

  yes = iscomplex (S.values);

endfunction

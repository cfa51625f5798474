## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isfloat (S): are the elements double or single?

function yes = isfloat (S)

  yes = isfloat (S.values);

endfunction

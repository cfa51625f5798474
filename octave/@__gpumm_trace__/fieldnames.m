## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## names = fieldnames (trace)

function names = fieldnames (trace)

  names = fieldnames (trace.fields);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isinteger (S): are the elements of an integer class?

function yes = isinteger (S)

  yes = isinteger (struct (S).values);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## double (S): the same with elements of class double.

function S = double (S)

  S = converted (S, "double");

endfunction

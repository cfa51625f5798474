## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## S == T: a full logical matrix.

function yes = eq (S, T)

  yes = full (S) == full (T);

endfunction

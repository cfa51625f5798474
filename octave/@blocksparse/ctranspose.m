## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## ctranspose (S): S', with elements conjugated.

function T = ctranspose (S)

  T = turned (S, true);

endfunction

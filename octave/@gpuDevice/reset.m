## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## reset (D): releases the memory that gpumm keeps between calls.

function reset (D)

  wait (D);
  gpumm_reset ();

endfunction

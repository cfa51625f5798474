## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## What a statement without a semicolon shows.

function display (S)

  printf ("%s = ", inputname (1, false));
  disp (S);

endfunction

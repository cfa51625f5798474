## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## Shows a variable: its name and the fields.

function display (D)

  printf ("%s =\n\n%s\n", inputname (1, false), disp (D));

endfunction

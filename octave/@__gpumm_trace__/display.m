## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## What Octave shows of a variable: its name and the table.

function display (trace)

  printf ("%s =\n\n%s\n", inputname (1, false), disp (trace));

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## x = not_empty (x)
##
## Returns x, the result of a student's function.  An empty x is an error: the function is not
## written yet.

function x = not_empty (x)
  if (isempty (x))
    error ("gpumm:not-answered", "the function returns []");
  endif
endfunction

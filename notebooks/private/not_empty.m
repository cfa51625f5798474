## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## x = not_empty (x)
##
## What a function that answers an exercise returned; where that is [], it is still the empty one.

function x = not_empty (x)
  if (isempty (x))
    error ("gpumm:not-answered", "the function returns []");
  endif
endfunction

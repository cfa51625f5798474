## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## solved (id, right)
## ids = solved ()
##
## Remembers whether the last answer to the exercise ID was right.  Without arguments: the solved
## exercises.

function ids = solved (id, right)
  persistent known = {};
  mlock (); # "clear all" in a notebook keeps the score
  if (nargin == 0)
    ids = known;
  elseif (right)
    known = union (known, {id});
  else
    known = setdiff (known, {id});
  endif
endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## solved (id, right)
## ids = solved ()
##
## Remembers whether the last answer to an exercise was right; the exercises whose last answer was.

function ids = solved (id, right)
  persistent known = {};
  mlock (); # "clear all" in a notebook does not take what was solved
  if (nargin == 0)
    ids = known;
  elseif (right)
    known = union (known, {id});
  else
    known = setdiff (known, {id});
  endif
endfunction

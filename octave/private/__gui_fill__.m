## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## X = __gui_fill__ (what, m, n, seed, most)
## names = __gui_fill__ ()
##
## An m x n matrix filled as gpumm_gui does, or what, where that is a matrix; of it the first rows
## and columns, so many at most.  Random numbers are those of the seed, and the user's generator is
## left as it was.

function X = __gui_fill__ (what, m, n, seed, most = Inf)

  if (nargin == 0)
    X = {"random", "ones", "identity", "counting"};
    return;
  endif
  r = min (m, most);
  c = min (n, most);
  if (isnumeric (what))
    X = what(1:r,1:c);
    return;
  endif

  switch (what)
    case "random"
      state = rand ("twister");
      unwind_protect
        rand ("twister", seed);
        X = rand (m, c)(1:r,:) - 0.5; # column by column, the last ones are not missed
      unwind_protect_cleanup
        rand ("twister", state);
      end_unwind_protect
    case "ones"
      X = ones (r, c);
    case "identity"
      X = full (eye (r, c));
    case "counting" # along the rows, as one reads
      X = (0:r - 1).' * n + (1:c);
  endswitch

endfunction

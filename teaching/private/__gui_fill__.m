## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## X = __gui_fill__ (what, m, n, seed, most)
## names = __gui_fill__ ()
##
## The first rows and columns (at most `most` of each) of an m x n matrix.  `what` names the
## elements, or is the matrix itself.  Random numbers come from the seed; the user's generator is
## restored.

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
        X = rand (m, c)(1:r,:) - 0.5; # filled by columns, so the first c columns do not depend on n
      unwind_protect_cleanup
        rand ("twister", state);
      end_unwind_protect
    case "ones"
      X = ones (r, c);
    case "identity"
      X = full (eye (r, c));
    case "counting" # along the rows
      X = (0:r - 1).' * n + (1:c);
  endswitch

endfunction

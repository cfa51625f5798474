## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## trace (S)

function t = trace (S)

  if (issquare (S) && numel (S) > 1) # a number keeps its class
    t = sum (diag (S, 0));
  else
    t = by_full ("trace", S);
  endif

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## logical (X): X != 0.  NaN is an error, as in Octave.

function R = logical (X)

  if (islogical (X))
    R = X;
    return;
  endif
  if (isfloat (X) && ! isempty (X))
    if (nnz (isnan (X)) > 0)
      logical (NaN); # Octave's error
    endif
  endif
  R = X != 0;

endfunction

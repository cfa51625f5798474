## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## logical (X): X != 0.  NaN is an error, as in Octave.

function R = logical (X)

  if (islogical (X))
    R = X;
    return;
  endif
  if (isfloat (X) && ! isempty (X))
    wrong = isnan (X);
    if (issparse (X))
      has_nan = nnz (wrong) > 0;
    else
      has_nan = __gpuarray__ ("fold", "any", wrong(:), 1);
    endif
    if (has_nan)
      logical (NaN); # Octave's error
    endif
  endif
  R = X != 0;

endfunction

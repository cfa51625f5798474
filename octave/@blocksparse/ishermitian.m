## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## ishermitian (S, TOL): without the full matrix if TOL is not given.

function yes = ishermitian (varargin)

  if (nargin == 1 && isfloat (varargin{1}) && ! isempty (varargin{1}))
    S = varargin{1};
    yes = issquare (S);
    if (yes && diff (blocksize (S)) == 0)
      yes = isequal (S, S');
    elseif (yes)
      yes = by_full ("ishermitian", S);
    endif
  else
    yes = by_full ("ishermitian", varargin{:});
  endif

endfunction

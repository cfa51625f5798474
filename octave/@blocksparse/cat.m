## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cat (DIM, ...): [S, T] or [S; T]; for other DIM computed from the full matrices.

function C = cat (dim, varargin)

  if (isequal (dim, 2))
    C = horzcat (varargin{:});
  elseif (isequal (dim, 1))
    C = vertcat (varargin{:});
  else
    C = by_full ("cat", dim, varargin{:});
  endif

endfunction

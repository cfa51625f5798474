## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## any (S, DIM): of each column or row, as a full logical vector.

function R = any (S, varargin)

  dim = dimension (S, varargin);
  if (dim == 0)
    R = by_full ("any", S, varargin{:});
  else
    R = logical (down_columns (@any, S, dim));
  endif

endfunction

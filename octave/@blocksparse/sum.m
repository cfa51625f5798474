## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sum (S, DIM): of each column or row, as a full vector.

function R = sum (S, varargin)

  dim = dimension (S, varargin);
  if (dim == 0)
    R = by_full ("sum", S, varargin{:});
  else
    R = down_columns (@sum, S, dim);
  endif

endfunction

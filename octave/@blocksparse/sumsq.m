## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sumsq (S, DIM): of each column or row, as a full vector.

function R = sumsq (S, varargin)

  dim = dimension (S, varargin);
  if (dim == 0)
    R = by_full ("sumsq", S, varargin{:});
  else
    R = down_columns (@sumsq, S, dim);
  endif

endfunction

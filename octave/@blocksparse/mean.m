## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## mean (S, DIM): of each column or row, as a full vector.

function R = mean (S, varargin)

  dim = dimension (S, varargin);
  if (dim == 0 || ! isfloat (S))
    R = by_full ("mean", S, varargin{:});
  else
    R = sum (S, dim) / size (S, dim);
  endif

endfunction

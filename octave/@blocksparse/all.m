## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## all (S, DIM): of each column or row, as a full logical vector.

function R = all (S, varargin)

  dim = dimension (S, varargin);
  if (dim == 0)
    R = by_full ("all", S, varargin{:});
  else
    [R, some] = down_columns (@all, S, dim);
    R = R & ! some;
  endif

endfunction

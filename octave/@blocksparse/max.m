## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## max (S), max (S, [], DIM): of each column or row, as a full vector.

function varargout = max (S, varargin)

  dim = 0;
  if (nargout < 2 && (nargin == 1 || (nargin == 3 && isempty (varargin{1}))))
    dim = dimension (S, varargin(2:end));
  endif
  if (dim == 0 || ! isreal (S))
    [varargout{1:nargout}] = by_full ("max", S, varargin{:});
  else
    [R, some] = down_columns (@(x, d) max (x, [], d), S, dim);
    R(some) = max (R(some), 0);
    varargout{1} = R;
  endif

endfunction

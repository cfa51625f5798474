## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [I, J, V] = find (S): the same as for the full matrix, without making it.

function varargout = find (varargin)

  S = varargin{1};
  if (nargin != 1 || isrow (S) || isempty (S) || nargout > 3)
    [varargout{1:nargout}] = by_full ("find", varargin{:});
  else
    [i, j, v] = nonzero (S);
    if (nargout < 2)
      varargout{1} = (j - 1) * rows (S) + i;
    else
      varargout = {i, j, v}(1:nargout);
    endif
  endif

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## size (S), size (S, DIM, ...), [M, N, ...] = size (S): as of a full matrix.

function varargout = size (S, varargin)

  if (nargin == 1 && nargout < 2)
    varargout{1} = [S.rows, S.cols];
  else
    [varargout{1:max(nargout, 1)}] = size (sparse (S.rows, S.cols), varargin{:});
  endif

endfunction

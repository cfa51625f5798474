## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## num2cell (...): computed from the full matrix.

function varargout = num2cell (varargin)

  [varargout{1:nargout}] = by_full ("num2cell", varargin{:});

endfunction

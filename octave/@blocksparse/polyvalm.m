## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## polyvalm (...): computed from the full matrix.

function varargout = polyvalm (varargin)

  [varargout{1:nargout}] = by_full ("polyvalm", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## prod (...): computed from the full matrix.

function varargout = prod (varargin)

  [varargout{1:nargout}] = by_full ("prod", varargin{:});

endfunction

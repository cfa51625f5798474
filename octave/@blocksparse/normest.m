## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## normest (...): computed from the full matrix.

function varargout = normest (varargin)

  [varargout{1:nargout}] = by_full ("normest", varargin{:});

endfunction

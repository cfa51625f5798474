## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cumsum (...): computed from the full matrix.

function varargout = cumsum (varargin)

  [varargout{1:nargout}] = by_full ("cumsum", varargin{:});

endfunction

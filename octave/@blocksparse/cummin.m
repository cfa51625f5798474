## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cummin (...): computed from the full matrix.

function varargout = cummin (varargin)

  [varargout{1:nargout}] = by_full ("cummin", varargin{:});

endfunction

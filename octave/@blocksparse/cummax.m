## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cummax (...): computed from the full matrix.

function varargout = cummax (varargin)

  [varargout{1:nargout}] = by_full ("cummax", varargin{:});

endfunction

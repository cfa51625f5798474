## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## polyval (...): computed from the full matrix.

function varargout = polyval (varargin)

  [varargout{1:nargout}] = by_full ("polyval", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## swapbytes (...): computed from the full matrix.

function varargout = swapbytes (varargin)

  [varargout{1:nargout}] = by_full ("swapbytes", varargin{:});

endfunction

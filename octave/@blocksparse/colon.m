## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## colon (...): computed from the full matrix.

function varargout = colon (varargin)

  [varargout{1:nargout}] = by_full ("colon", varargin{:});

endfunction

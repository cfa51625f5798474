## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## idivide (...): computed from the full matrix.

function varargout = idivide (varargin)

  [varargout{1:nargout}] = by_full ("idivide", varargin{:});

endfunction

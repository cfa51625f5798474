## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## diff (...): computed from the full matrix.

function varargout = diff (varargin)

  [varargout{1:nargout}] = by_full ("diff", varargin{:});

endfunction

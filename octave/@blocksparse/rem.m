## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## rem (...): computed from the full matrix.

function varargout = rem (varargin)

  [varargout{1:nargout}] = by_full ("rem", varargin{:});

endfunction

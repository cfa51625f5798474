## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitor (...): computed from the full matrix.

function varargout = bitor (varargin)

  [varargout{1:nargout}] = by_full ("bitor", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## mode (...): computed from the full matrix.

function varargout = mode (varargin)

  [varargout{1:nargout}] = by_full ("mode", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitxor (...): computed from the full matrix.

function varargout = bitxor (varargin)

  [varargout{1:nargout}] = by_full ("bitxor", varargin{:});

endfunction

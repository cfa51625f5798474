## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## mod (...): computed from the full matrix.

function varargout = mod (varargin)

  [varargout{1:nargout}] = by_full ("mod", varargin{:});

endfunction

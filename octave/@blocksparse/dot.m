## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## dot (...): computed from the full matrix.

function varargout = dot (varargin)

  [varargout{1:nargout}] = by_full ("dot", varargin{:});

endfunction

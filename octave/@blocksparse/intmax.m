## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## intmax (...): computed from the full matrix.

function varargout = intmax (varargin)

  [varargout{1:nargout}] = by_full ("intmax", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## gcd (...): computed from the full matrix.

function varargout = gcd (varargin)

  [varargout{1:nargout}] = by_full ("gcd", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## intmin (...): computed from the full matrix.

function varargout = intmin (varargin)

  [varargout{1:nargout}] = by_full ("intmin", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sinewave (...): computed from the full matrix.

function varargout = sinewave (varargin)

  [varargout{1:nargout}] = by_full ("sinewave", varargin{:});

endfunction

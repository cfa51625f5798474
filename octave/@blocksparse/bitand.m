## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitand (...): computed from the full matrix.

function varargout = bitand (varargin)

  [varargout{1:nargout}] = by_full ("bitand", varargin{:});

endfunction

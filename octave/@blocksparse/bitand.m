## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitand (...), of the full matrix.

function varargout = bitand (varargin)

  [varargout{1:nargout}] = by_full ("bitand", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitshift (...): computed from the full matrix.

function varargout = bitshift (varargin)

  [varargout{1:nargout}] = by_full ("bitshift", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitget (...): computed from the full matrix.

function varargout = bitget (varargin)

  [varargout{1:nargout}] = by_full ("bitget", varargin{:});

endfunction

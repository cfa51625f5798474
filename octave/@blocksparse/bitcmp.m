## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitcmp (...): computed from the full matrix.

function varargout = bitcmp (varargin)

  [varargout{1:nargout}] = by_full ("bitcmp", varargin{:});

endfunction

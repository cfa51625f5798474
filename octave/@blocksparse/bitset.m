## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitset (...): computed from the full matrix.

function varargout = bitset (varargin)

  [varargout{1:nargout}] = by_full ("bitset", varargin{:});

endfunction

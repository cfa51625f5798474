## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitunpack (...): computed from the full matrix.

function varargout = bitunpack (varargin)

  [varargout{1:nargout}] = by_full ("bitunpack", varargin{:});

endfunction

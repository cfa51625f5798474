## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## autoreg_matrix (...): computed from the full matrix.

function varargout = autoreg_matrix (varargin)

  [varargout{1:nargout}] = by_full ("autoreg_matrix", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## median (...): computed from the full matrix.

function varargout = median (varargin)

  [varargout{1:nargout}] = by_full ("median", varargin{:});

endfunction

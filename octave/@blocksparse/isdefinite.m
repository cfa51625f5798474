## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isdefinite (...): computed from the full matrix.

function varargout = isdefinite (varargin)

  [varargout{1:nargout}] = by_full ("isdefinite", varargin{:});

endfunction

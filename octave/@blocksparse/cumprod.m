## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cumprod (...): computed from the full matrix.

function varargout = cumprod (varargin)

  [varargout{1:nargout}] = by_full ("cumprod", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## flintmax (...): computed from the full matrix.

function varargout = flintmax (varargin)

  [varargout{1:nargout}] = by_full ("flintmax", varargin{:});

endfunction

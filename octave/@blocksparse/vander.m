## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## vander (...): computed from the full matrix.

function varargout = vander (varargin)

  [varargout{1:nargout}] = by_full ("vander", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## mat2str (...): computed from the full matrix.

function varargout = mat2str (varargin)

  [varargout{1:nargout}] = by_full ("mat2str", varargin{:});

endfunction

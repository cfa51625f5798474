## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## nth_element (...): computed from the full matrix.

function varargout = nth_element (varargin)

  [varargout{1:nargout}] = by_full ("nth_element", varargin{:});

endfunction

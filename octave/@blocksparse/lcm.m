## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## lcm (...): computed from the full matrix.

function varargout = lcm (varargin)

  [varargout{1:nargout}] = by_full ("lcm", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## lcm (...), of the full matrix.

function varargout = lcm (varargin)

  [varargout{1:nargout}] = by_full ("lcm", varargin{:});

endfunction

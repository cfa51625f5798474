## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## min (X), min (X, [], DIM), min (X, Y), [m, i] = min (X, ...)

function varargout = min (varargin)

  [varargout{1:max (1, nargout)}] = extreme ("min", varargin);

endfunction

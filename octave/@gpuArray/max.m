## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## max (X), max (X, [], DIM), max (X, Y), [m, i] = max (X, ...)

function varargout = max (varargin)

  [varargout{1:max (1, nargout)}] = extreme ("max", varargin);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bicg (A, B, TOL, MAXIT, M1, M2, ...)

function varargout = bicg (varargin)

  [varargout{1:max (1, nargout)}] = preconditioned ("bicg", varargin, {{"notransp"}, {"transp"}});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## tfqmr (A, B, TOL, MAXIT, M1, M2, ...)

function varargout = tfqmr (varargin)

  [varargout{1:max (1, nargout)}] = preconditioned ("tfqmr", varargin);

endfunction

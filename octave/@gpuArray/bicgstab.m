## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bicgstab (A, B, TOL, MAXIT, M1, M2, ...)

function varargout = bicgstab (varargin)

  [varargout{1:max (1, nargout)}] = preconditioned ("bicgstab", varargin);

endfunction

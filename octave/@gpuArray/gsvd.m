## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## gsvd (...): an error that says gather; without this method Octave's own says less.

function varargout = gsvd (varargin)

  not_there ("gsvd", "(A, B)");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## expint (...): an error that says gather; without this method Octave's own says less.

function varargout = expint (varargin)

  not_there ("expint", "(X)");

endfunction

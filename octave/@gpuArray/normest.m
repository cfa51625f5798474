## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## normest (...): an error that says gather; without this method Octave's own says less.

function varargout = normest (varargin)

  not_there ("normest", "(X)");

endfunction

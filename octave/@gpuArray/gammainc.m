## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## gammainc (...): an error that says gather; without this method Octave's own says less.

function varargout = gammainc (varargin)

  not_there ("gammainc", "(X)");

endfunction

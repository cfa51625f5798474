## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## polyval (...): an error that says gather; without this method Octave's own says less.

function varargout = polyval (varargin)

  not_there ("polyval", "(X)");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cummin (...): an error that says gather; without this method Octave's own says less.

function varargout = cummin (varargin)

  not_there ("cummin", "(X)");

endfunction

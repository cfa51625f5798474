## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cummax (...): an error that says gather; without this method Octave's own says less.

function varargout = cummax (varargin)

  not_there ("cummax", "(X)");

endfunction

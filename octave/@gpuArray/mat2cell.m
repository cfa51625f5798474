## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## mat2cell (...): an error that says gather; without this method Octave's own says less.

function varargout = mat2cell (varargin)

  not_there ("mat2cell", "(X)");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## swapbytes (...): an error that says gather; without this method Octave's own says less.

function varargout = swapbytes (varargin)

  not_there ("swapbytes", "(X)");

endfunction

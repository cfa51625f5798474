## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## ellipj (...): an error that says gather; without this method Octave's own says less.

function varargout = ellipj (varargin)

  not_there ("ellipj", "(X)");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## polyvalm (...): an error that says gather; without this method Octave's own says less.

function varargout = polyvalm (varargin)

  not_there ("polyvalm", "(X)");

endfunction

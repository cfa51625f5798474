## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bessely (...): an error that says gather; without this method Octave's own says less.

function varargout = bessely (varargin)

  not_there ("bessely", "(X)");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## gradient (...): an error that says gather; without this method Octave's own says less.

function varargout = gradient (varargin)

  not_there ("gradient", "(X)");

endfunction

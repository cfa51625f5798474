## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## mode (...): an error that says gather; without this method Octave's own says less.

function varargout = mode (varargin)

  not_there ("mode", "(X)");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## airy (...): an error that says gather; without this method Octave's own says less.

function varargout = airy (varargin)

  not_there ("airy", "(X)");

endfunction

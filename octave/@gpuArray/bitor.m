## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitor (...): an error that says gather; without this method Octave's own says less.

function varargout = bitor (varargin)

  not_there ("bitor", "(X)");

endfunction

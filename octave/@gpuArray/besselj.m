## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## besselj (...): an error that says gather; without this method Octave's own says less.

function varargout = besselj (varargin)

  not_there ("besselj", "(X)");

endfunction

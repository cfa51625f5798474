## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## besselk (...): an error that says gather; without this method Octave's own says less.

function varargout = besselk (varargin)

  not_there ("besselk", "(X)");

endfunction

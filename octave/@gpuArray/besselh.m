## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## besselh (...): an error that says gather; without this method Octave's own says less.

function varargout = besselh (varargin)

  not_there ("besselh", "(X)");

endfunction

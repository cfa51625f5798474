## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## gcd (...): an error that says gather; without this method Octave's own says less.

function varargout = gcd (varargin)

  not_there ("gcd", "(X)");

endfunction

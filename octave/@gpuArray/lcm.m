## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## lcm (...): an error that says gather; without this method Octave's own says less.

function varargout = lcm (varargin)

  not_there ("lcm", "(X)");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitand (...): an error that says gather; without this method Octave's own says less.

function varargout = bitand (varargin)

  not_there ("bitand", "(X)");

endfunction

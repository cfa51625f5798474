## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitxor (...): an error that says gather; without this method Octave's own says less.

function varargout = bitxor (varargin)

  not_there ("bitxor", "(X)");

endfunction

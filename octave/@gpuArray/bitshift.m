## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitshift (...): an error that says gather; without this method Octave's own says less.

function varargout = bitshift (varargin)

  not_there ("bitshift", "(X)");

endfunction

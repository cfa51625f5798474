## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitget (...): an error that says gather; without this method Octave's own says less.

function varargout = bitget (varargin)

  not_there ("bitget", "(X)");

endfunction

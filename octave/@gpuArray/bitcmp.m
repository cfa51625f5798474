## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitcmp (...): an error that says gather; without this method Octave's own says less.

function varargout = bitcmp (varargin)

  not_there ("bitcmp", "(X)");

endfunction

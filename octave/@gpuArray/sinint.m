## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sinint (...): an error that says gather; without this method Octave's own says less.

function varargout = sinint (varargin)

  not_there ("sinint", "(X)");

endfunction

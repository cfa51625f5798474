## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cosint (...): an error that says gather; without this method Octave's own says less.

function varargout = cosint (varargin)

  not_there ("cosint", "(X)");

endfunction

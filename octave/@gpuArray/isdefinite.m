## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isdefinite (...): an error that says gather; without this method Octave's own says less.

function varargout = isdefinite (varargin)

  not_there ("isdefinite", "(X)");

endfunction

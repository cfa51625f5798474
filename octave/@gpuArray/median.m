## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## median (...): an error that says gather; without this method Octave's own says less.

function varargout = median (varargin)

  not_there ("median", "(X)");

endfunction

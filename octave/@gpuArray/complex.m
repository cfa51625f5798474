## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## complex (...): an error that says gather; without this method Octave's own says less.

function varargout = complex (varargin)

  not_there ("complex", "(X)");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## besseli (...): an error that says gather; without this method Octave's own says less.

function varargout = besseli (varargin)

  not_there ("besseli", "(X)");

endfunction

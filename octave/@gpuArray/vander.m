## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## vander (...): an error that says gather; without this method Octave's own says less.

function varargout = vander (varargin)

  not_there ("vander", "(X)");

endfunction

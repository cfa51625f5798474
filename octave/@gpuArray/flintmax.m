## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## flintmax (...): an error that says gather; without this method Octave's own says less.

function varargout = flintmax (varargin)

  not_there ("flintmax", "(X)");

endfunction

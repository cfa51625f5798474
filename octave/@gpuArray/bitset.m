## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitset (...): an error that says gather; without this method Octave's own says less.

function varargout = bitset (varargin)

  not_there ("bitset", "(X)");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## nth_element (...): an error that says gather; without this method Octave's own says less.

function varargout = nth_element (varargin)

  not_there ("nth_element", "(X)");

endfunction

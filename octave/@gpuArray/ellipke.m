## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## ellipke (...) of numbers; else an error that says gather. Octave's own says less.

function varargout = ellipke (varargin)

  [varargout{1:max (1, nargout)}] = of_numbers ("ellipke", varargin);

endfunction

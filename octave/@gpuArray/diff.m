## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## diff (...) of numbers; else an error that says gather. Octave's own says less.

function varargout = diff (varargin)

  [varargout{1:max (1, nargout)}] = of_numbers ("diff", varargin);

endfunction

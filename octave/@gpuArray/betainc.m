## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## betainc (...) of numbers; else an error that says gather. Octave's own says less.

function varargout = betainc (varargin)

  [varargout{1:max (1, nargout)}] = of_numbers ("betainc", varargin);

endfunction

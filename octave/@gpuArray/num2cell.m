## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## num2cell (...) of numbers; without this method Octave's own takes integers for double.

function R = num2cell (varargin)

  R = of_numbers ("num2cell", varargin);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## rem (...) of numbers; without this method Octave's own takes integers for double.

function R = rem (varargin)

  R = of_numbers ("rem", varargin);

endfunction

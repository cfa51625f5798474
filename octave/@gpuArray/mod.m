## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## mod (...) of numbers; without this method Octave's own takes integers for double.

function R = mod (varargin)

  R = of_numbers ("mod", varargin);

endfunction

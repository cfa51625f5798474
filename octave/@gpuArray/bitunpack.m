## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## bitunpack (...) of numbers; without this method Octave's own takes integers for double.

function R = bitunpack (varargin)

  R = of_numbers ("bitunpack", varargin);

endfunction

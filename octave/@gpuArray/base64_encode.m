## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## base64_encode (...) of numbers; without this method Octave's own takes integers for double.

function R = base64_encode (varargin)

  R = of_numbers ("base64_encode", varargin);

endfunction

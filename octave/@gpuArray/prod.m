## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## prod (X), prod (X, DIM), with "native" or "double"

function R = prod (X, varargin)

  R = folded ("prod", "fold", X, varargin);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sum (X), sum (X, DIM), with "native" or "double"

function R = sum (X, varargin)

  R = folded ("sum", "fold", X, varargin);

endfunction

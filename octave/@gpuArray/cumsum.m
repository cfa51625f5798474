## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cumsum (X), cumsum (X, DIM)

function R = cumsum (X, varargin)

  R = folded ("cumsum", "scan", X, varargin);

endfunction

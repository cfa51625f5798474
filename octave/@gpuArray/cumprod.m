## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## cumprod (X), cumprod (X, DIM)

function R = cumprod (X, varargin)

  R = folded ("cumprod", "scan", X, varargin);

endfunction

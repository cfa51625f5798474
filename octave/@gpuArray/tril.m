## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## tril (X), tril (X, K)

function R = tril (varargin)

  R = triangle ("tril", varargin);

endfunction

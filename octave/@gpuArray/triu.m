## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## triu (X), triu (X, K)

function R = triu (varargin)

  R = triangle ("triu", varargin);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## tril (S, K): a blocksparse.

function T = tril (varargin)

  T = triangle ("tril", @le, varargin{:});

endfunction

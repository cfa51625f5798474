## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## triu (S, K): a blocksparse.

function T = triu (varargin)

  T = triangle ("triu", @ge, varargin{:});

endfunction

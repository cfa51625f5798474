## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isbanded (S, LOWER, UPPER)

function yes = isbanded (S, varargin)

  if (isa (S, "blocksparse"))
    S = pattern (S);
  endif
  varargin = whole (varargin);
  yes = isbanded (S, varargin{:});

endfunction

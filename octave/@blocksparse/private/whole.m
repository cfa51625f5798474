## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## Converts each blocksparse in the cell array LIST to a full matrix.  Fails if the full matrix is
## too large.

function list = whole (list)

  for i = 1:numel (list)
    if (isa (list{i}, "blocksparse"))
      list{i} = __blocksparse__ (list{i}, "whole");
    endif
  endfor

endfunction

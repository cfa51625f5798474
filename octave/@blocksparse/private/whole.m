## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The arguments in the cell array LIST with full matrices for blocksparse ones: an error where
## these would fill the memory.

function list = whole (list)

  for i = 1:numel (list)
    if (isa (list{i}, "blocksparse"))
      list{i} = __blocksparse__ (list{i}, "whole");
    endif
  endfor

endfunction

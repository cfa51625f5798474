## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The block row of each block of s = struct (S), from 1, as a column.

function I = block_rows (s)

  begins = double (s.start(1:end-1)) + 1; # a block row more at each, empty ones together
  count = numel (s.column);
  I = zeros (count, 1);
  if (count > 0)
    I = cumsum (accumarray (begins, 1, [count + 1, 1]))(1:count);
  endif

endfunction

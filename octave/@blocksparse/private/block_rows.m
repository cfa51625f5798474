## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The block row, from 1, of each block of s = struct (S), as a column.

function I = block_rows (s)

  begins = double (s.start(1:end-1)) + 1; # the first block of each block row; empty rows repeat it
  count = numel (s.column);
  I = zeros (count, 1);
  if (count > 0)
    I = cumsum (accumarray (begins, 1, [count + 1, 1]))(1:count);
  endif

endfunction

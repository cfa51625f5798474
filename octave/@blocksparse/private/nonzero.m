## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [I, J, V] = nonzero (S): rows, columns and values of the nonzero elements, column by column.

function [i, j, v] = nonzero (S)

  s = struct (S);
  at = find (s.values(:) != 0);
  v = s.values(at);
  v = v(:);
  in = at(:) - 1;
  each = s.block_rows * s.block_cols;
  t = floor (in / each) + 1;
  in = mod (in, each);
  i = (block_rows (s)(t) - 1) * s.block_rows + mod (in, s.block_rows) + 1;
  j = double (s.column(t)(:)) * s.block_cols + floor (in / s.block_rows) + 1;
  [i, order] = sort (i);
  [j, then] = sort (j(order)); # stable
  i = i(then);
  v = v(order(then));

endfunction

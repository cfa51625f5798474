## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## R = down_columns (F, S, DIM): applies F along dimension DIM of S.  F (X, 1) reduces each column
## of a full matrix X.  SOME is true for columns (DIM 2: rows) of S in which a block is missing.
##
## F gets the stacked blocks of a block column, without the zeros between them.  Block columns with
## the same number of blocks share one call.  R is 0 for a block column without blocks.

function [R, some] = down_columns (f, S, dim)

  if (dim == 2)
    S = S.';
  endif
  s = struct (S);
  b = [s.block_rows, s.block_cols];
  across = s.cols / b(2);
  j = double (s.column) + 1;
  count = accumarray (j, 1, [across, 1]);
  [~, order] = sort (j); # stable: rows stay in order
  first = cumsum ([1; count(1:end-1)]);
  values = reshape (s.values, [b, numel(j)]);
  R = zeros (b(2), across, class (f (s.values([]), 1)));
  for n = unique (count(count > 0)).'
    these = find (count == n);
    t = order(first(these).' + (0:n-1).');
    X = permute (reshape (values(:,:,t), [b, n, numel(these)]), [1, 3, 2, 4]);
    R(:,these) = reshape (f (reshape (X, b(1) * n, []), 1), b(2), []);
  endfor
  R = reshape (R, 1, []);
  some = reshape (repmat (count.' * b(1) < s.rows, b(2), 1), 1, []);
  if (dim == 2)
    R = R.';
    some = some.';
  endif

endfunction

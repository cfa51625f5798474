## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## S(i,j), S(i): a full matrix; S{I,J}: one block.

function varargout = subsref (S, s)

  index = s(1).subs;
  switch (s(1).type)
    case "()"
      if (numel (index) == 2)
        x = elements (S, index{:});
      elseif (numel (index) == 1 && ischar (index{1}))
        x = full (S)(:);
      elseif (numel (index) == 1)
        k = index{1};
        if (islogical (k))
          k = find (k);
        endif
        x = zeros (size (k), class (S.values));
        k = (1:S.rows*S.cols)(k) - 1; # with Octave's own errors
        for t = 1:numel (k)
          i = mod (k(t), S.rows);
          j = floor (k(t) / S.rows);
          b = block (S, {floor(i / S.block_rows) + 1, floor(j / S.block_cols) + 1});
          x(t) = b(mod (i, S.block_rows) + 1, mod (j, S.block_cols) + 1);
        endfor
      else
        error ("gpumm:blocksparse:index", "blocksparse: there are two dimensions");
      endif
    case "{}"
      x = block (S, index);
    otherwise
      error ("gpumm:blocksparse:index", ["blocksparse: there are elements S(i,j) and blocks " ...
                                         "S{I,J}, and no fields"]);
  endswitch
  if (numel (s) > 1)
    x = subsref (x, s(2:end));
  endif
  varargout{1} = x; # Octave asks for numel (S) values of S.name, to hear of the error

endfunction

function x = block (S, index)
  grid = [S.rows / S.block_rows, S.cols / S.block_cols];
  if (numel (index) != 2 || ! all (cellfun (@(k) isnumeric (k) && isscalar (k), index)))
    error ("gpumm:blocksparse:index", "blocksparse: a block is S{I,J} with two numbers");
  endif
  place = cellfun (@double, index);
  if (any (place < 1 | place > grid | place != fix (place)))
    error ("gpumm:blocksparse:index", "blocksparse: there is no block {%g,%g} in %dx%d of them", ...
           place, grid);
  endif
  x = zeros (S.block_rows, S.block_cols, class (S.values));
  t = double (S.start(place(1))) + 1:double (S.start(place(1)+1));
  t = t(S.column(t) == place(2) - 1);
  if (! isempty (t))
    x = S.values(:,(t - 1)*S.block_cols+(1:S.block_cols));
  endif
endfunction

## Made of the blocks that the indices touch.
function x = elements (S, i, j)
  i = (1:S.rows)(i)(:); # with Octave's own errors
  j = (1:S.cols)(j)(:);
  [I, ~, at_i] = unique (floor ((i - 1) / S.block_rows) + 1);
  [J, ~, at_j] = unique (floor ((j - 1) / S.block_cols));
  t = zeros (0, 1);
  start = zeros (numel (I) + 1, 1);
  column = zeros (S.cols / S.block_cols, 1); # of the part, from 1; 0 where it is not in it
  column(J+1) = 1:numel (J);
  for q = 1:numel (I)
    of_row = (double (S.start(I(q))) + 1:double (S.start(I(q)+1))).';
    of_row = of_row(column(double (S.column(of_row)) + 1) > 0);
    t = [t; of_row];
    start(q+1) = numel (t);
  endfor
  values = reshape (S.values, S.block_rows * S.block_cols, []);
  part = S;
  part.rows = numel (I) * S.block_rows;
  part.cols = numel (J) * S.block_cols;
  part.start = int64 (start);
  part.column = int32 (column(double (S.column(t)) + 1) - 1);
  part.values = reshape (values(:,t), S.block_rows, []);
  x = full (part)((at_i(:) - 1) * S.block_rows + mod (i - 1, S.block_rows) + 1, ...
                  (at_j(:) - 1) * S.block_cols + mod (j - 1, S.block_cols) + 1);
endfunction

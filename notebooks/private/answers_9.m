## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_9 (number, x)
##
## Why x is not the answer to an exercise of notebook 9; "" if it is the answer.

function why = answers_9 (number, x)

  why = "";
  switch (number)

    case 1
      n = 12;
      [k, j] = ndgrid (1:n);
      B = sparse ((k + j / 100) .* (mod (k .* j, 5) == 3)); # rows 5 and 10 are empty
      cases = {[2, 3, 7, 12], [1, -2, 3, 0.5]; [5, 8], [2, -3]; 3, 1; 5, 4; [], []};
      for i = 1:rows (cases)
        [column, value] = cases{i,:};
        log = containers.Map ();
        log("read") = [];
        read = @(k) row_and_log (B, k, log);
        [c, v] = x (column, value, read, n);
        if (i == 1)
          not_empty (c);
        endif
        right = zeros (1, n);
        if (! isempty (column))
          right = value * full (B(column,:));
        endif
        given = sprintf ("for a row of A with columns %s", mat2str (column));
        if (! (isnumeric (c) && isnumeric (v) && numel (c) == numel (v)))
          why = "return two vectors of the same length: columns and values";
        elseif (numel (unique (c)) < numel (c))
          why = sprintf (["%s your columns are %s: a column occurs once in C, with the sum of its " ...
                          "products"], given, mat2str (c(:).'));
        elseif (any (diff (c(:)) < 0))
          why = sprintf ("%s your columns %s do not ascend", given, mat2str (c(:).'));
        elseif (! isequal (c(:).', find (right)))
          why = sprintf ("%s you return the columns %s, but C has %s", given, mat2str (c(:).'), ...
                         mat2str (find (right)));
        elseif (any (abs (v(:).' - right(right != 0)) > 1e-12 * norm (right)))
          why = sprintf ("%s the columns are right, but the values are not", given);
        elseif (! isequal (sort (log("read")), column))
          why = sprintf (["the result is right, but %s you read %d rows of B; read row k only " ...
                          "where A(i,k) is stored, and once"], given, numel (log("read")));
        endif
        if (! isempty (why))
          return;
        endif
      endfor

    case 2
      n = 1000;
      A = speye (n);
      A(1,:) = A(:,1) = 1;
      products = full (sum ((A != 0) * sum (A != 0, 2)));
      elements = nnz (A * A);
      if (! is_number (x, 2))
        why = "the answer must be two numbers, [multiplications, elements]";
      elseif (x(1) == 2 * products)
        why = "this counts the additions, too";
      elseif (x(1) == n ^ 3)
        why = "these are the multiplications of full matrices";
      elseif (x(1) == n ^ 2)
        why = ["this is right for the elements in column 1 of A, which select row 1; the others " ...
               "select a row, too"];
      elseif (x(1) != products)
        why = ["the multiplications are wrong: an element in column k of A takes one for each " ...
               "element of row k"];
      elseif (x(2) == nnz (A))
        why = "C is no arrow: what does row 1 of A add to a row of C?";
      elseif (x(2) != elements)
        why = "the multiplications are right, but the number of elements is not";
      endif

    case 3
      fit = @(elements, each) floor (204800 / (each * 2 ^ nextpow2 (1.5 * elements)));
      right = [fit(700, 12), fit(300, 12)];
      if (! is_number (x, 2))
        why = "the answer must be two numbers, [by the upper bound, by the symbolic pass]";
      elseif (isequal (x(:).', fliplr (right)))
        why = "these are the right numbers in the wrong order";
      elseif (isequal (x(:).', [fit(700, 8), fit(300, 8)]))
        why = "a place has a column, too, not only a sum";
      elseif (x(1) != right(1))
        why = ["the tables by the upper bound are wrong: take the smallest power of two of which " ...
               "the products fill 2/3 at most"];
      elseif (x(2) != right(2))
        why = ["the tables by the symbolic pass are wrong: take the smallest power of two of " ...
               "which the elements fill 2/3 at most"];
      endif

  endswitch

endfunction

## Row k of B, and a note in the log that it was read.
function [c, v] = row_and_log (B, k, log)
  log("read") = [log("read"), k];
  [~, c, v] = find (B(k,:));
  c = c(:).';
  v = v(:).';
endfunction

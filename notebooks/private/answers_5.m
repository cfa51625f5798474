## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_5 (number, x)
##
## Why x is not the answer to an exercise of notebook 5; "" if it is the answer.

function why = answers_5 (number, x)

  why = "";
  switch (number)

    case 1
      counts = [2, 0, 3, 1, 0];
      pointer = 1 + [0, cumsum(counts)];
      if (! isnumeric (x) || ! isvector (x))
        why = "the answer must be a vector";
      elseif (isequal (x(:).', counts))
        why = "these are the numbers of blocks; the pointer says where each row begins";
      elseif (isequal (x(:).', pointer(1:end-1)))
        why = "the last entry is missing; it says where the last row ends";
      elseif (isequal (x(:).', pointer - 1))
        why = "the first entry must be 1, because Octave counts from 1";
      elseif (numel (x) != numel (pointer))
        why = "the pointer has one entry more than there are block rows";
      elseif (! isequal (x(:).', pointer))
        i = find (x(:).' != pointer, 1);
        why = sprintf ("entry %d is not %g; count the blocks in the rows before", i, x(i));
      endif

    case 2
      ## A number in both, neighbours, lists of different length, an empty list; the first case also
      ## finds a function that is still empty.
      cases = {[1, 4, 7], [2, 4, 7, 9]; [3, 5], [1, 2, 8]; [2], [1, 2, 3, 4]; ...
               find(rand (1, 50) < 0.4), find(rand (1, 50) < 0.4); [], [1, 2]; [5, 6], []};
      not_empty (x (cases{1,:}));
      for i = 1:rows (cases)
        k = x (cases{i,:});
        both = intersect (cases{i,:});
        if (! isequal (k(:), both(:)))
          why = sprintf ("the numbers in both %s and %s are %s, but yours are %s", ...
                         mat2str (cases{i,1}), mat2str (cases{i,2}), mat2str (both(:).'), ...
                         mat2str (k(:).'));
          return;
        endif
      endfor
      why = broken_rule (x, {"while"}, ...
                         {"intersect", "ismember", "any", "find", "lookup", "unique", "sort", ...
                          "union", "setdiff", "setxor"});

    case 3
      A = int8 ([100, 100, -100; 1, 2, 3; -128, -128, 1]);
      B = int8 ([1, 127; 1, 127; 1, -128]);
      C = not_empty (x (A, B));
      right = int8 (double (A) * double (B));
      if (! strcmp (class (C), "int8"))
        why = sprintf ("the result must be int8, but yours is %s", class (C));
      elseif (! isequal (size (C), size (right)))
        why = sprintf ("3 x 3 times 3 x 2 is 3 x 2, but your result is %d x %d", size (C));
      elseif (C(1,1) != right(1,1))
        why = sprintf (["100*1 + 100*1 - 100*1 is %d, but yours is %d: the sum saturates ", ...
                        "before it is complete"], right(1,1), C(1,1));
      elseif (! isequal (C, right))
        [i, j] = find (C != right, 1);
        why = sprintf ("C(%d,%d) is %d, but yours is %d", i, j, right(i,j), C(i,j));
      endif

  endswitch

endfunction

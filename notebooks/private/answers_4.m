## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_4 (number, x)
##
## Why x is not the answer to an exercise of notebook 4; "" if it is the answer.

function why = answers_4 (number, x)

  why = "";
  switch (number)

    case 1
      count_and_multiply (); # from 0
      A = rand (6) - 0.5;
      B = rand (6) - 0.5;
      C = not_empty (x (A, B, @count_and_multiply));
      products = count_and_multiply ();
      if (! isequal (size (C), [6, 6]))
        why = sprintf ("A and B are 6 x 6, so C must be 6 x 6; yours is %d x %d", size (C));
      elseif (max (abs (C - A * B)(:)) > 1e-13)
        wrong = {};
        halves = {1:3, 4:6};
        for i = 1:2
          for j = 1:2
            if (max (abs (C - A * B)(halves{i},halves{j})(:)) > 1e-13)
              wrong{end+1} = sprintf ("C%d%d", i, j);
            endif
          endfor
        endfor
        why = ["these blocks differ from those of A*B: ", strjoin(wrong, ", ")];
      elseif (products == 0)
        why = "C is right, but your function never calls multiply";
      elseif (products != 7)
        why = sprintf ("C is right, but it took %d products of halves", products);
      endif

    case 2
      if (! is_number (x))
        why = "the answer must be one number";
      elseif (x == 8 ^ 10)
        why = "this is n^3, the number for the plain product";
      elseif (x == 7 * 10 || x == 7 * 512 ^ 3)
        why = "the step is done ten times: each of the seven products becomes seven again";
      elseif (x != 7 ^ 10)
        why = "each step makes seven products of one; after ten steps the halves are numbers";
      endif

    case 3
      plain = @(n) n .^ 3 + (n .^ 3 - n .^ 2);
      step = @(n) 7 * plain (n / 2) + 18 * (n / 2) .^ 2;
      if (! is_number (x) || x < 2 || mod (x, 2) != 0)
        why = "the answer must be one even number";
      elseif (step (x) >= plain (x))
        why = sprintf ("for n = %d the step takes %d operations, the plain product takes %d", x, ...
                       step (x), plain (x));
      elseif (step (x - 2) < plain (x - 2))
        why = "the step takes fewer operations for a smaller n, too";
      endif

  endswitch

endfunction

## The product of two halves, counted.  Without arguments: returns the count and sets it to 0.
function P = count_and_multiply (X, Y)
  persistent count = 0;
  if (nargin == 0)
    P = count;
    count = 0;
    return;
  endif
  if (rows (X) > 3 || columns (Y) > 3)
    error ("multiply takes halves, not %d x %d by %d x %d", size (X), size (Y));
  endif
  count++;
  P = X * Y;
endfunction

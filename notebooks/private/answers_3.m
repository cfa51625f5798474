## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_3 (number, x)
##
## Why x is not the answer to an exercise of notebook 3; "" if it is the answer.

function why = answers_3 (number, x)

  why = "";
  switch (number)

    case 1
      p = 6;
      q = 4;
      if (! is_number (x))
        why = "the answer must be one number";
      elseif (x == p + q)
        why = "these are the reads for one l; all multiply-adds of the tile share them";
      elseif (abs (x - p * q / (p + q)) < 1e-3)
        why = "these are the multiply-adds for each read; the question is the other way round";
      elseif (abs (x - (p + q) / (p * q)) > 5e-3) # 0.42 is right, too
        why = ["for each l the thread reads 6 numbers of A and 4 of B; how many multiply-adds " ...
               "does it do with them?"];
      endif

    case 2
      A = rand (5, 3) - 0.5;
      B = rand (3, 4) - 0.5;
      C = zeros (5, 4);
      for l = 1:3
        C = not_empty (x (C, A(:,l), B(l,:)));
        if (! isequal (size (C), [5, 4]))
          why = sprintf ("a column of 5 times a row of 4 is 5 x 4, but your C is %d x %d", ...
                         rows (C), columns (C));
          return;
        endif
      endfor
      if (max (abs (C - A(:,3) * B(3,:))(:)) < 1e-14)
        why = "your function drops the C that it was given";
      elseif (max (abs (C - A * B)(:)) > 1e-14)
        why = "after three steps C is not A*B; each step adds a(i) * b(j) to element (i,j)";
      else
        why = broken_rule (x, {"for", "while", "do"}, ...
                           {"mtimes", "times", "kron", "blkmm", "bsxfun", "gpumm", ...
                            "gpumm_kernel"}, {"a", "b"}, 1);
      endif

    case 3
      multiprocessors = 132;
      if (! is_number (x) || x <= 0)
        why = "the answer must be one positive number";
      elseif (mod (x, 64) != 0)
        why = "n must be a multiple of 64";
      elseif (x == 64 * multiprocessors)
        why = "the blocks form a grid: n / 64 blocks down and n / 64 blocks across";
      elseif ((x / 64) ^ 2 < multiprocessors)
        why = sprintf ("n = %d has only %d blocks", x, (x / 64) ^ 2);
      elseif ((x / 64 - 1) ^ 2 >= multiprocessors)
        why = "a smaller n has enough blocks, too";
      endif

  endswitch

endfunction

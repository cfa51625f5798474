## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_3 (number, x)
##
## Why x is not the answer to an exercise of notebook 3; "" if it is.

function why = answers_3 (number, x)

  why = "";
  switch (number)

    case 1
      p = 6;
      q = 4;
      if (! is_number (x))
        why = "the answer is one number";
      elseif (x == p + q)
        why = "these are the reads for one l; they serve all multiply-adds of the tile";
      elseif (abs (x - p * q / (p + q)) < 1e-3)
        why = "these are multiply-adds for each read, the other way round";
      elseif (abs (x - (p + q) / (p * q)) > 5e-3) # 0.42 is right, too
        why = "for each l it reads 6 numbers of A and 4 of B; how many multiply-adds can it make?";
      endif

    case 2
      A = rand (5, 3) - 0.5;
      B = rand (3, 4) - 0.5;
      C = zeros (5, 4);
      for l = 1:3
        C = not_empty (x (C, A(:,l), B(l,:)));
        if (! isequal (size (C), [5, 4]))
          why = sprintf ("a column of 5 by a row of 4 adds to a C of 5 x 4; yours is %d x %d", ...
                         rows (C), columns (C));
          return;
        endif
      endfor
      if (max (abs (C - A(:,3) * B(3,:))(:)) < 1e-14)
        why = "it forgets the C that it had";
      elseif (max (abs (C - A * B)(:)) > 1e-14)
        why = "after all three steps C is not A*B; element (i,j) grows by a(i) * b(j)";
      else
        why = broken_rule (x, {"for", "while", "do"}, ...
                           {"mtimes", "times", "kron", "blkmm", "bsxfun", "gpumm", ...
                            "gpumm_kernel"}, {"a", "b"}, 1);
      endif

    case 3
      multiprocessors = 132;
      if (! is_number (x) || x <= 0)
        why = "the answer is one positive number";
      elseif (mod (x, 64) != 0)
        why = "n is to be a multiple of 64";
      elseif (x == 64 * multiprocessors)
        why = "the blocks lie in a grid: so many down, and as many across";
      elseif ((x / 64) ^ 2 < multiprocessors)
        why = sprintf ("there are only %d blocks", (x / 64) ^ 2);
      elseif ((x / 64 - 1) ^ 2 >= multiprocessors)
        why = sprintf ("n = %d has %d blocks already", x - 64, (x / 64 - 1) ^ 2);
      endif

  endswitch

endfunction

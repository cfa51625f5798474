## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_1 (number, x)
##
## Why x is not the answer to an exercise of notebook 1; "" if it is the answer.

function why = answers_1 (number, x)

  why = "";
  switch (number)

    case 1
      m = 200;
      k = 300;
      n = 100;
      if (! is_number (x))
        why = "the answer must be one number";
      elseif (x == m * n * k)
        why = "this counts the multiplications only; each comes with an addition";
      elseif (x != 2 * m * n * k)
        why = ["how many elements does C have, and how many multiplications and additions " ...
               "does each take?"];
      endif

    case 2
      A = rand (5, 7) - 0.5;
      B = rand (7, 4) - 0.5;
      C = A * B;
      for i = 1:5
        for j = 1:4
          c = not_empty (x (i, j, A, B));
          if (! is_number (c))
            why = "a thread must return one number";
            return;
          elseif (abs (c - C(i,j)) > 1e-14)
            why = sprintf (["for random A (5 x 7) and B (7 x 4), C(%d,%d) is %g, but your ", ...
                            "thread returns %g; take row i of A and column j of B"], ...
                           i, j, C(i,j), c);
            return;
          endif
        endfor
      endfor
      why = broken_rule (x, {"for", "while", "do"}, ...
                         {"mtimes", "times", "dot", "kron", "blkmm", "bsxfun", "gpumm", ...
                          "gpumm_kernel", "three_loops"}, {"A", "B"}, 0);

    case 3
      if (! is_number (x))
        why = "the answer must be one number";
        return;
      endif
      n = 160;
      persistent trace = []; # to count takes a second
      if (isempty (trace))
        [~, trace] = gpumm_kernel ("tiled", ones (n), ones (n), "Tile", 16, "Backend", "cpu");
      endif
      counted = trace.load.total.elements;
      if (x == 2 * n ^ 3)
        why = "this is what naive loads; with a tile, several threads use each number";
      elseif (x == counted / 2)
        why = "this counts one matrix; the kernel loads A and B";
      elseif (x != counted)
        why = ["how many blocks are there, how many pairs of tiles does each load, and how " ...
               "many numbers does a tile have?"];
      endif

  endswitch

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_1 (number, x)
##
## Why x is not the answer to an exercise of notebook 1; "" if it is.

function why = answers_1 (number, x)

  why = "";
  switch (number)

    case 1
      m = 200;
      k = 300;
      n = 100;
      if (! is_number (x))
        why = "the answer is one number";
      elseif (x == m * n * k)
        why = "these are the multiplications; each of them comes with an addition";
      elseif (x != 2 * m * n * k)
        why = ["C has 200 x 100 elements; each is a sum of 300 products, as many ", ...
               "multiplications and, counted as above, additions"];
      endif

    case 2
      A = rand (5, 7) - 0.5;
      B = rand (7, 4) - 0.5;
      C = A * B;
      for i = 1:5
        for j = 1:4
          c = not_empty (x (i, j, A, B));
          if (! is_number (c))
            why = "a thread makes one number";
            return;
          elseif (abs (c - C(i,j)) > 1e-14)
            why = sprintf (["for random A (5 x 7) and B (7 x 4), C(%d,%d) is %g, and your ", ...
                            "thread makes %g; it walks along row i of A and column j of B"], ...
                           i, j, C(i,j), c);
            return;
          endif
        endfor
      endfor
      why = broken_rule (x, {"for", "while", "do"}, ...
                         {"mtimes", "times", "dot", "kron", "blkmm", "bsxfun", "gpumm", ...
                          "gpumm_kernel", "three_loops"}, {"A", "B"}, 0);

    case 3
      n = 160;
      [~, trace] = gpumm_kernel ("tiled", ones (n), ones (n), "Tile", 16, "Backend", "cpu");
      counted = trace.load.total.elements;
      if (! is_number (x))
        why = "the answer is one number";
      elseif (x == 2 * n ^ 3)
        why = "so many does naive load; a tile lets each be used 16 times";
      elseif (x == counted / 2)
        why = "these are the loads of one matrix; A and B are both loaded";
      elseif (x != counted)
        why = sprintf (["each of the %d blocks loads %d pairs of tiles, and a tile has ", ...
                        "16 x 16 numbers"], trace.blocks, n / 16);
      endif

  endswitch

endfunction

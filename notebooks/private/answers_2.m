## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_2 (number, x)
##
## Why x is not the answer to an exercise of notebook 2; "" if it is the answer.

function why = answers_2 (number, x)

  why = "";
  switch (number)

    case 1
      [~, trace] = gpumm_kernel ("tiled", ones (100, 1), ones (1, 70), "Tile", 16, ...
                                 "Backend", "cpu");
      if (! is_number (x, 2))
        why = "the answer must be two numbers, [down, across]";
      elseif (isequal (x(:).', fix ([100, 70] / 16)))
        why = sprintf ("%d x %d blocks cover only %d x %d of C; the rest needs blocks, too", ...
                       x, 16 * x);
      elseif (isequal (x(:).', fliplr (trace.grid)))
        why = "the rows of C give the blocks down, the columns give the blocks across";
      elseif (! isequal (x(:).', trace.grid))
        why = sprintf ("a grid of %g x %g covers %g x %g", x, 16 * x);
      endif

    case 2
      if (! is_number (x))
        why = "the answer must be one number";
        return;
      endif
      [~, trace] = gpumm_kernel ("tiled", ones (65), ones (65), "Tile", 32, "Backend", "cpu");
      useful = trace.flops.needed / trace.flops.done;
      close_to = @(y) abs (x - y) <= 0.005;
      if (abs (x - 100 * useful) <= 0.5)
        why = "this is in percent; the answer must be a number from 0 to 1";
      elseif (close_to (65 / 96) || close_to ((65 / 96) ^ 2))
        why = "three sizes are rounded up: m, n and the inner size";
      elseif (close_to ((65 / 64) ^ 3) || close_to ((64 / 65) ^ 3))
        why = "65 is rounded up to the next multiple of 32, not to the nearest one";
      elseif (! close_to (useful))
        why = "divide the operations needed, 2 n^3, by those done, 2 p^3; p is n rounded up";
      endif

    case 3
      widths = [8, 10, 12, 16, 20, 24, 32];
      whole = widths(mod (widths .^ 2, 32) == 0);
      if (! isnumeric (x))
        why = "the answer must be a vector of widths";
      elseif (! all (ismember (x, widths)))
        why = "some of these widths are not in the question";
      elseif (any (mod (x .^ 2, 32)))
        w = x(mod (x .^ 2, 32) > 0)(1);
        why = sprintf ("a block of width %d has %d threads; its last warp has %d", w, w ^ 2, ...
                       mod (w ^ 2, 32));
      elseif (! isempty (setdiff (whole, x)))
        why = "a width is missing; divide the threads of each block by those of a warp";
      endif

  endswitch

endfunction

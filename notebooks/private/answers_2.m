## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_2 (number, x)
##
## Why x is not the answer to an exercise of notebook 2; "" if it is.

function why = answers_2 (number, x)

  why = "";
  switch (number)

    case 1
      [~, trace] = gpumm_kernel ("tiled", ones (100, 1), ones (1, 70), "Tile", 16, ...
                                 "Backend", "cpu");
      if (! is_number (x, 2))
        why = "the answer is two numbers, [down, across]";
      elseif (isequal (x(:).', fix ([100, 70] / 16)))
        why = sprintf ("%d x %d blocks cover only %d x %d of C; the rest needs blocks, too", ...
                       x, 16 * x);
      elseif (isequal (x(:).', fliplr (trace.grid)))
        why = "down goes with the rows of C, across with its columns";
      elseif (! isequal (x(:).', trace.grid))
        why = sprintf ("a grid of %g x %g covers %g x %g", x, 16 * x);
      endif

    case 2
      [~, trace] = gpumm_kernel ("tiled", ones (65), ones (65), "Tile", 32, "Backend", "cpu");
      useful = trace.flops.needed / trace.flops.done;
      close_to = @(y) abs (x - y) <= 0.005;
      if (! is_number (x))
        why = "the answer is one number";
      elseif (abs (x - 100 * useful) <= 0.5)
        why = "this is in percent; the answer is from 0 to 1";
      elseif (close_to (65 / 96) || close_to ((65 / 96) ^ 2))
        why = "all three sizes are rounded up: m, n and the inner one";
      elseif (close_to ((65 / 64) ^ 3) || close_to ((64 / 65) ^ 3))
        why = "65 is rounded up to the next multiple of 32, not to the nearest";
      elseif (! close_to (useful))
        why = "it is those needed, 2 n^3, by those done, 2 p^3; p is n rounded up";
      endif

    case 3
      widths = [8, 10, 12, 16, 20, 24, 32];
      whole = widths(mod (widths .^ 2, 32) == 0);
      if (! isnumeric (x))
        why = "the answer is a vector of widths";
      elseif (! all (ismember (x, widths)))
        why = "these are not all among the widths of the question";
      elseif (any (mod (x .^ 2, 32)))
        w = x(mod (x .^ 2, 32) > 0)(1);
        why = sprintf ("a block of width %d has %d threads, and the last warp %d", w, w ^ 2, ...
                       mod (w ^ 2, 32));
      elseif (! isempty (setdiff (whole, x)))
        w = setdiff (whole, x)(1);
        why = sprintf ("one is missing: its blocks have %d threads, %d whole warps", w ^ 2, ...
                       w ^ 2 / 32);
      endif

  endswitch

endfunction

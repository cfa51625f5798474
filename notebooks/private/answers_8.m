## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_8 (number, x)
##
## Why x is not the answer to an exercise of notebook 8; "" if it is the answer.

function why = answers_8 (number, x)

  why = "";
  switch (number)

    case 1
      passes = @(matrices) 1e3 * matrices * 8 * 8192 ^ 2 / 4000e9;
      close_to = @(y) abs (x - y) <= 0.01 * y;
      if (! is_number (x))
        why = "the answer must be one number";
      elseif (close_to (passes (3)))
        why = "Y must be written, too";
      elseif (close_to (passes (8)))
        why = "these are three passes, one for each operator; the question asks for one pass";
      elseif (close_to (passes (4) / 8))
        why = "an element has eight bytes, not one";
      elseif (close_to (passes (4) / 1e3))
        why = "this is in seconds; the question asks for milliseconds";
      elseif (! close_to (passes (4)))
        why = "divide the bytes that are read and written by the bytes that the GPU moves a second";
      endif

    case 2
      cases = [4096, 55e9, 55e12, 0.1; 4096, 55e9, 55e12, 0.5; 1000, 50e9, 20e12, 0.01; ...
               100000, 50e9, 1e12, 0.5; 512, 12e9, 300e9, 0.3; 700, 10e9, 5e12, 0.9];
      for i = 1:rows (cases)
        [n, link, flops, share] = num2cell (cases(i,:)){:};
        p = not_empty (x (n, link, flops, share));
        part = @(p) 1 / (1 + p * n * link / (12 * flops)); # of the transfers
        right = max (1, ceil (12 * flops / (n * link) * (1 - share) / share));
        given = sprintf ("for n = %d, link %g, flops %g and share %g", n, link, flops, share);
        if (! is_number (p))
          why = "the answer must be one number";
        elseif (p == right)
          continue;
        elseif (p != fix (p) || p < 1)
          why = sprintf ("%s you return %g, which is no number of products", given, p);
        elseif (part (p) > share)
          why = sprintf ("%s you return %d, but then the transfers take %.3g of the time", ...
                         given, p, part (p));
        else
          why = sprintf ("%s you return %d, but fewer products are enough", given, p);
        endif
        return;
      endfor

    case 3
      right = steps_of_numbers (0.01, 1e-8);
      growth = ceil (log (1 / 0.01) / log (1.5));
      if (! is_number (x, 2))
        why = "the answer must be two numbers, [predicted, measured]";
      elseif (x(2) == right + 1)
        why = ["newton_schulz has a distance before the first step, too: did you measure " ...
               "distances or steps?"];
      elseif (x(2) != right)
        why = "the measured number is not the number of steps that the iteration takes";
      elseif (x(1) == growth)
        why = sprintf (["you predict %d steps, but measure %d: after the growth by 1.5 a step, " ...
                        "the last digits take steps, too"], x);
      elseif (x(1) != right)
        why = sprintf ("you predict %d steps, but measure %d", x);
      endif

  endswitch

endfunction

## The steps that one singular value takes until it is as near to 1 as the tolerance asks for.
function steps = steps_of_numbers (s, tolerance)
  steps = 0;
  while (abs (s ^ 2 - 1) > tolerance)
    s = 1.5 * s - 0.5 * s ^ 3;
    steps++;
  endwhile
endfunction

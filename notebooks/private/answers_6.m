## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_6 (number, x)
##
## Why x is not the answer to an exercise of notebook 6; "" if it is the answer.

function why = answers_6 (number, x)

  why = "";
  switch (number)

    case 1
      peak = 20000;
      bandwidth = 2000;
      if (! is_number (x))
        why = "the answer must be one number";
      elseif (abs (x - bandwidth / peak) < 1e-9)
        why = "these are bytes for each operation";
      elseif (abs (x - 8 * peak / bandwidth) < 1e-9)
        why = "these are operations for each double; the question asks for each byte";
      elseif (abs (x - peak / bandwidth) > 1e-9)
        why = "find the intensity for which intensity times bandwidth reaches the peak";
      endif

    case 2
      peak = 20000e9;
      link = 50e9;
      crossing = @(bytes) bytes * peak / (2 * link); # bytes n^2 / link = 2 n^3 / peak
      close_to = @(y) abs (x - y) <= 1;
      if (! is_number (x))
        why = "the answer must be one number";
      elseif (close_to (crossing (3)))
        why = "an element has eight bytes, not one";
      elseif (close_to (crossing (16)))
        why = "C must come down, too";
      elseif (close_to (2 * crossing (24)))
        why = "the product does 2 n^3 operations, not n^3";
      elseif (! close_to (crossing (24)))
        why = "the card moves three matrices of 8 n^2 bytes and does 2 n^3 operations";
      endif

    case 3
      cases = [3, 4, 2, 4; 1, 1, 1, 1; 5, 1, 1, 10; 1, 2, 6, 3; 2, 2, 2, 8];
      for i = 1:rows (cases)
        t = cases(i,1:3);
        panels = cases(i,4);
        seconds = not_empty (x (t(1), t(2), t(3), panels));
        right = simulated (t / panels, panels);
        if (! is_number (seconds))
          why = "the answer must be one number";
        elseif (panels > 1 && abs (seconds - sum (t)) < 1e-9)
          why = "this is the sum of the stages: nothing overlaps";
        elseif (abs (seconds - max (t)) < 1e-9)
          why = ["the longest stage alone leaves out the first panel's way in and the last " ...
                 "panel's way out"];
        elseif (abs (seconds - right) > 1e-9)
          why = sprintf ("stages of %g, %g and %g in %d panels take %g, but yours returns %g", ...
                         cases(i,:), right, seconds);
        endif
        if (! isempty (why))
          return;
        endif
      endfor

  endswitch

endfunction

## The time by the timeline, panel by panel.
function ready = simulated (stages, panels)
  free = zeros (1, 3);
  for p = 1:panels
    ready = 0;
    for s = 1:3
      ready = free(s) = max (free(s), ready) + stages(s);
    endfor
  endfor
endfunction

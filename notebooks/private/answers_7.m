## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = answers_7 (number, x)
##
## Why x is not the answer to an exercise of notebook 7; "" if it is the answer.

function why = answers_7 (number, x)

  why = "";
  switch (number)

    case 1
      values = [5, -5, 0, 127, 128, -128, 129, 1000, -1000, 2 ^ 39 + 77, 3 - 2 ^ 38];
      for p = [256, 251, 7]
        for v = values
          r = not_empty (x (v, p));
          right = mod (v, p);
          right -= p * (right >= p / 2);
          if (! is_number (r))
            why = "a residue must be a number";
          elseif (r == right)
            continue;
          elseif (r == mod (v, p))
            why = sprintf ("for %d modulo %d you return %d, which does not lie around 0", v, p, r);
          elseif (mod (r - v, p) != 0)
            why = sprintf ("%d is no residue of %d modulo %d: they differ by %d", r, v, p, ...
                           v - r);
          else
            why = sprintf ("for %d modulo %d you return %d, but the residue is %d", v, p, r, right);
          endif
          return;
        endfor
      endfor
      if (! isequal (size (x ([1, 2; 3, 4], 3)), [2, 2]))
        why = "the function must take a matrix, element by element";
      else
        why = broken_rule (x, {"mod"}, {"round"});
      endif

    case 2
      moduli = [256, 255, 253, 251, 247, 241];
      largest = 1000 * 255 ^ 2;
      if (! is_number (x) || x < 1 || x > numel (moduli) || x != fix (x))
        why = "the answer must be a small whole number";
      elseif (prod (moduli(1:x)) <= 2 * largest)
        why = sprintf (["the product of the first %d is %d, but a result may be as large as " ...
                        "1000 * 255 * 255 = %d"], x, prod (moduli(1:x)), largest);
      elseif (prod (moduli(1:x-1)) > 2 * largest)
        why = sprintf ("%d moduli are enough, but fewer are enough, too", x);
      endif

    case 3
      cases = [17, 5, 7; -17, 5, 7; 0, 9, 11; 32000, 256, 255; -32000, 256, 255; 12345, 253, 251];
      for c = cases.'
        [v, p1, p2] = num2cell (c){:};
        symmetric = @(r, p) r - p * (r >= p / 2);
        r = [symmetric(mod (v, p1), p1), symmetric(mod (v, p2), p2)];
        y = not_empty (x (r(1), p1, r(2), p2));
        made = sprintf ("for residues %d modulo %d and %d modulo %d you return", r(1), p1, r(2), ...
                        p2);
        if (! is_number (y))
          why = "the answer must be one number";
        elseif (y == v)
          continue;
        elseif (mod (y - v, p1 * p2) == 0)
          why = sprintf ("%d has these residues, but the number around zero is %d", y, v);
        elseif (mod (y - v, p1) == 0)
          why = sprintf ("%s %d, which is right modulo %d only", made, y, p1);
        else
          why = sprintf ("%s %d, but the number is %d", made, y, v);
        endif
        return;
      endfor

  endswitch

endfunction

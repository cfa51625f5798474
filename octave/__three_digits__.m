## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## text = __three_digits__ (x)
##
## A time, rate or size for people: three digits, or all digits before the point.  %.3g alone would
## print 1721 as 1.72e+03.

function text = __three_digits__ (x)
  digits = 3;
  if (abs (x) >= 999.5 && abs (x) < 1e15)
    digits = floor (log10 (abs (x) + 0.5)) + 1;
  endif
  text = sprintf ("%.*g", digits, x);
endfunction

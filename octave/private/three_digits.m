## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## text = three_digits (x)
##
## A time, rate or size for people: three digits, or all digits before the point.  %.3g alone would
## print 1721 as 1.72e+03.

function text = three_digits (x)
  text = sprintf ("%.*g", max (3, floor (log10 (abs (x) + 0.5)) + 1), x);
endfunction

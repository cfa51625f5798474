## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## X = whole_factor (NAME, X): Alpha or Beta of an integer product as the double that the engine
## takes, or an error where X is no whole number or a double does not hold it exactly.

function x = whole_factor (name, x)

  if (! (isreal (x) && x == fix (x)))
    error ("gpumm:bad-value", "gpumm: %s of an integer product must be an integer", name);
  elseif (x > flintmax () || x < -flintmax ())
    error ("gpumm:bad-value", ["gpumm: %s of an integer product must be an integer from -2^53 to " ...
                               "2^53, which a double holds exactly"], name);
  endif
  x = double (x);

endfunction

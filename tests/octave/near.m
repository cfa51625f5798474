## tol = near (WANTED): the rounding that may differ, relative to what is larger than 1; for
## compare.
## SPDX-License-Identifier: BSD-3-Clause

function tol = near (wanted)

  type = underlyingType (wanted);
  tol = merge (strcmp (type, "single"), 1e-6, ...
               1e-15 * (1 + ! issparse (wanted))) * max (abs (full (wanted)), 1);

endfunction

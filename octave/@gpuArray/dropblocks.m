## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## dropblocks (X, TOL): X without the blocks whose Frobenius norm is at most TOL

function X = dropblocks (X, tol)

  if (nargin != 2)
    error ("Octave:invalid-fun-call", "Invalid call to dropblocks");
  endif
  tol = on_host ({tol}){1};
  if (! (isnumeric (tol) && isreal (tol) && isscalar (tol) && tol >= 0))
    error ("gpumm:bad-value", "dropblocks: TOL must be a number of 0 or more");
  elseif (! strcmp (class (X), "gpuArray"))
    X = dropblocks (X, tol);
  else
    need_blocks ("dropblocks", X);
    X = __gpuarray__ ("drop", X, double (tol));
  endif

endfunction

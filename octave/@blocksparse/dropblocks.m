## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## dropblocks (S, TOL): S without the blocks whose Frobenius norm is at most TOL.

function S = dropblocks (S, tol)

  if (nargin != 2)
    error ("Octave:invalid-fun-call", "Invalid call to dropblocks");
  elseif (! isa (S, "blocksparse"))
    error ("gpumm:invalid", "dropblocks: S must be a blocksparse");
  elseif (! (isnumeric (tol) && isreal (tol) && isscalar (tol) && tol >= 0))
    error ("gpumm:bad-value", "dropblocks: TOL must be a number of 0 or more");
  endif
  s = struct (S);
  values = double (reshape (s.values, s.block_rows * s.block_cols, []));
  norms = sqrt (sumsq (values, 1));
  extreme = ! (norms > 1e-140 & norms < 1e140); # where squares may have vanished or overflowed
  norms(extreme) = scaled_norms (values(:,extreme));
  S = from_places (s, places (s)(! (norms <= tol)), ...
                   reshape (s.values, size (values))(:,! (norms <= tol))); # NaN stays

endfunction

function norms = scaled_norms (values)
  values = abs (values);
  scale = max (values, [], 1);
  scale(! (scale > 0 & scale < Inf)) = 1;
  norms = scale .* sqrt (sumsq (values ./ scale, 1));
endfunction

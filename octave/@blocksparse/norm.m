## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## norm (S, P): without the full matrix for 1, Inf and "fro".

function n = norm (varargin)

  S = varargin{1};
  p = 2;
  if (nargin == 2)
    p = varargin{2};
  endif
  if (! isa (S, "blocksparse") || ! isfloat (S) || isempty (S) || isvector (S) || nargin > 2)
    p = 2;
  endif
  if (ischar (p) && strcmp (p, "fro"))
    n = norm (struct (S).values(:));
    n = cast (n, underlyingType (S)); # the norm of no values is double
  elseif (isnumeric (p) && isscalar (p) && any (p == [1, Inf]))
    sums = sum (abs (S), 1 + (p == Inf));
    ## Octave's norm up to Octave 9 ignores some NaN.  Call norm on a matrix with the same sums, so
    ## that it treats NaN as in the full matrix.
    n = norm (cat (1 + (p == Inf), sums, zeros (size (sums))), p);
  else
    n = by_full ("norm", varargin{:});
  endif

endfunction

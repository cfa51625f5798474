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
    n = cast (n, underlyingType (S)); # of no values it is double
  elseif (isnumeric (p) && isscalar (p) && any (p == [1, Inf]))
    sums = sum (abs (S), 1 + (p == Inf));
    ## Octave's own, which passes over some NaN up to Octave 9: a matrix with the same sums
    n = norm (cat (1 + (p == Inf), sums, zeros (size (sums))), p);
  else
    n = by_full ("norm", varargin{:});
  endif

endfunction

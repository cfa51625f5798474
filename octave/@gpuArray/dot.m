## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## dot (X, Y), dot (X, Y, DIM): conjugates X.

function R = dot (varargin)

  if (nargin < 2 || nargin > 3)
    error ("Octave:invalid-fun-call", "Invalid call to dot");
  endif
  X = varargin{1};
  Y = varargin{2};
  if (! isnumeric (X) || ! isnumeric (Y))
    error ("dot: X and Y must be numeric");
  elseif (isempty (X) || isempty (Y))
    R = by_host ("dot", varargin{:});
    return;
  endif
  if (nargin == 2 && isvector (X) && isvector (Y))
    X = X(:);
    Y = Y(:);
  endif
  if (! isequal (size (X), size (Y)))
    error ("dot: sizes of X and Y must match");
  endif
  dim = dimension ("dot", X, {});
  if (nargin == 3)
    dim = on_host (varargin(3)){1};
    dot (1, 1, dim); # Octave's error
    if (! (isscalar (dim) && dim == fix (dim)))
      not_there ("dot", "with this DIM");
    endif
  endif
  if (iscomplex (X) || iscomplex (Y)) # then Octave takes integers as double
    X = conj (as_float (X));
    Y = as_float (Y);
  endif
  R = full (sum (X .* Y, double (dim)));

endfunction

function X = as_float (X)
  if (! isfloat (X))
    X = double (X);
  endif
endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## norm (X), norm (X, P): P is 1, 2, Inf or "fro" for vectors, also -Inf, and 1, Inf or "fro" for
## matrices.

function R = norm (varargin)

  X = varargin{1};
  if (! strcmp (class (X), "gpuArray"))
    varargin = on_host (varargin);
    R = norm (varargin{:});
    return;
  elseif (isempty (X))
    R = by_host ("norm", varargin{:});
    return;
  endif
  args = on_host (varargin(2:end));
  if (! isfloat (X) || ndims (X) > 2 || nargin > 2 || (nargin == 2 && ischar (args{1})))
    norm (repmat (like (X), [1, 1, 1 + (ndims (X) > 2)]), args{:}); # Octave's error
  endif
  p = 2;
  if (! isempty (args))
    p = args{1};
  endif
  if (nargin > 2)
    not_there ("norm", "with three arguments");
  elseif (issparse (X) || is_blocks (X))
    R = norm_of_sparse (X, p);
    return;
  elseif (ischar (p) && strcmpi (p, "inf"))
    p = Inf;
  elseif (ischar (p) && ! strcmp (p, "fro"))
    not_there ("norm", sprintf ("(X, \"%s\")", p));
  elseif (! ischar (p) && ! (isnumeric (p) && isreal (p) && isscalar (p)))
    norm (like (X), p); # Octave's error
    not_there ("norm", "with this P");
  endif

  if (ischar (p) || (p == 2 && isvector (X)))
    R = __gpuarray__ ("fold", "norm", X(:), 1);
  elseif (p == 2)
    not_there ("norm", "(X, 2) of a matrix");
  elseif (p == 1)
    sums = sum (abs (X), 1 + (rows (X) == 1));
    R = largest (sums, sums);
  elseif (p == Inf && isvector (X))
    R = largest (abs (X), X);
  elseif (p == Inf)
    R = largest (sum (abs (X), 2), X);
  elseif (p == -Inf && isvector (X))
    R = -largest (-abs (X), X);
  else
    not_there ("norm", sprintf ("(X, %g)", p));
  endif

endfunction

## The norm of a matrix of which only some elements are stored.
function R = norm_of_sparse (X, p)
  x = __gpuarray__ ("values", X);
  if (! (ischar (p) && strcmp (p, "fro")) && ! any (isequal (p, 1) | isequal (p, Inf)) ...
      && ! (isequal (p, 2) && isvector (X)))
    not_there ("norm", "with this P of a sparse matrix or one in blocks");
  elseif (isempty (x))
    R = gpuArray (cast (0, __gpuarray__ ("type", X)));
  elseif (ischar (p) || p == 2)
    R = norm (x, "fro");
  elseif (p == Inf && isvector (X))
    R = largest (abs (x), x);
  else
    sums = full (sum (abs (X), 1 + (p == Inf || rows (X) == 1)));
    R = largest (sums, x);
  endif
endfunction

## The largest of the values, NaN if X has one, as in Octave 11.  (For a matrix, Octave 9 and
## earlier skip most NaN.)  The sum with 0 / 0 or 0 / 1 does not wait to see which.
function R = largest (values, X)
  has_nan = __gpuarray__ ("fold", "any", isnan (X(:)), 1);
  R = __gpuarray__ ("fold", "max", values(:), 1) + 0 ./ (1 - has_nan);
endfunction

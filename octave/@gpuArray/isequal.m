## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isequal (X, Y, ...): are sizes and values equal?  Classes do not matter.

function yes = isequal (varargin)

  if (nargin < 2)
    error ("Octave:invalid-fun-call", "Invalid call to isequal");
  endif
  yes = true;
  for i = 2:nargin
    yes = yes && two (varargin{i-1}, varargin{i});
  endfor

endfunction

function yes = two (X, Y)
  if (isa (X, "blocksparse") || isa (Y, "blocksparse"))
    X = gpuArray (X);
    Y = gpuArray (Y);
  endif
  if (! (is_array (X) && is_array (Y) && size_equal (X, Y)))
    yes = false;
  elseif (isempty (X))
    yes = true;
  elseif (! strcmp (class (X), "gpuArray") && ! strcmp (class (Y), "gpuArray"))
    yes = isequal (X, Y); # Octave's
  elseif (is_blocks (X) && is_blocks (Y) && isequal (blocksize (X), blocksize (Y)))
    yes = __gpuarray__ ("equal", X, Y);
  elseif (issparse (X) && issparse (Y))
    yes = nnz (X != Y) == 0;
  else
    same = full_values (X) == full_values (Y);
    yes = __gpuarray__ ("gather", __gpuarray__ ("fold", "all", same(:), 1));
  endif
endfunction

function yes = is_array (X)
  yes = isnumeric (X) || islogical (X) || ischar (X);
endfunction

function X = full_values (X)
  if (ischar (X))
    X = double (X);
  elseif (issparse (X) || is_blocks (X) || ! strcmp (class (X), "gpuArray"))
    X = full (X);
  endif
endfunction

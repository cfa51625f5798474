## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isequal (S, T, ...): are sizes and elements equal?  Storage and block size do not matter.

function yes = isequal (varargin)

  if (nargin < 2)
    error ("Octave:invalid-fun-call", "Invalid call to isequal");
  endif
  yes = true;
  for i = 2:nargin
    yes = yes && two (varargin{i-1}, varargin{i});
  endfor

endfunction

function yes = two (S, T)
  if (isa (S, "blocksparse") && isa (T, "blocksparse"))
    if (! isequal (size (S), size (T)))
      yes = false;
    elseif (isequal (blocksize (S), blocksize (T)))
      ## zero blocks are not stored, so equal matrices have equal fields
      yes = isequal (struct (S), struct (T));
    else
      [i, j, v] = nonzero (S);
      [p, q, w] = nonzero (T);
      yes = isequal (i, p) && isequal (j, q) && isequal (v, w);
    endif
  else
    yes = by_full ("isequal", S, T);
  endif
endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isequal (S, T, ...): sizes and elements are equal, whatever the forms and blocks.

function yes = isequal (S, T, varargin)

  if (nargin < 2)
    error ("Octave:invalid-fun-call", "Invalid call to isequal");
  endif
  if (isa (S, "blocksparse") && isa (T, "blocksparse") && isequal (blocksize (S), blocksize (T)))
    ## zero blocks are not stored: equal matrices have equal fields
    yes = isequal (struct (S), struct (T));
  else
    yes = isequal (full (S), full (T));
  endif
  if (yes && nargin > 2)
    yes = isequal (T, varargin{:});
  endif

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## DIM, along which a function works that has the arguments ARGS after the matrix S: 1 or 2, or 0
## where they are not one number alone, or the full matrix has a rule of its own.

function dim = dimension (S, args)

  dim = 0;
  if (isa (S, "blocksparse") && ! isempty (S))
    if (isempty (args))
      dim = 1 + (rows (S) == 1);
    elseif (numel (args) == 1 && isnumeric (args{1}) && isscalar (args{1}) ...
            && any (args{1} == [1, 2]))
      dim = double (args{1});
    endif
  endif

endfunction

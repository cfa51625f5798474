## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The dimension along which a function of S works: 1 or 2.  ARGS are the function's arguments after
## S.  DIM is 0 if ARGS is not a single 1 or 2, or S is empty; then the full matrix decides.

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

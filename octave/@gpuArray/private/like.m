## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## A small array in host memory with the class and the kind of X, to ask Octave for its errors and
## classes.

function x = like (X)

  x = ones (1, 2);
  if (strcmp (class (X), "gpuArray"))
    x = feval (__gpuarray__ ("type", X), x);
    if (iscomplex (X))
      x = complex (x, x);
    endif
  elseif (numel (X) == 1 || isempty (X))
    x = X;
  else
    x = X(1:2);
  endif

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [V, M] = var (X, ...): Octave's var, with results of the class of X.  Its own would be double: it asks
## isa (X, "single"), which is false.  std and others call it.

function [V, M] = var (X, varargin)

  if (nargout < 2)
    V = builtin ("var", X, varargin{:});
  else
    [V, M] = builtin ("var", X, varargin{:});
  endif
  if (isUnderlyingType (X, "single"))
    V = single (V);
    if (nargout > 1)
      M = single (M);
    endif
  endif

endfunction

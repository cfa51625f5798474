## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sparse (X): the sparse matrix on the device with the entries of X

function S = sparse (X, varargin)

  if (nargin > 1)
    not_there ("sparse", "(I, J, V)");
  elseif (issparse (X))
    S = X;
  else
    S = __gpuarray__ ("sparse", X);
  endif

endfunction

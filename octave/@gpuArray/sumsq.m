## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sumsq (X), sumsq (X, DIM)

function R = sumsq (X, varargin)

  if (! strcmp (class (X), "gpuArray"))
    varargin = on_host (varargin);
    R = sumsq (X, varargin{:});
  elseif (isempty (X))
    R = by_host ("sumsq", X, varargin{:});
  else
    dim = dimension ("sumsq", X, varargin);
    if (! isfloat (X))
      X = double (X);
    endif
    if (issparse (X) || is_blocks (X))
      if (iscomplex (X))
        X = real (X) .* real (X) + imag (X) .* imag (X);
      else
        X = X .* X;
      endif
      R = __gpuarray__ ("fold", "sum", X, dim);
    else
      R = __gpuarray__ ("fold", "sumsq", X, dim);
    endif
  endif

endfunction

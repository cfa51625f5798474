## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## mean (X), mean (X, DIM), with "default", "double" or "native"

function R = mean (X, varargin)

  if (! strcmp (class (X), "gpuArray"))
    varargin = on_host (varargin);
    R = mean (X, varargin{:});
    return;
  elseif (isempty (X))
    R = by_host ("mean", X, varargin{:});
    return;
  endif
  [dim, option] = dimension ("mean", X, varargin);
  if (! any (strcmpi (option, {"", "default", "double", "native"})))
    not_there ("mean", sprintf ("(X, \"%s\")", option));
  endif
  R = sum (X, dim) / size (X, dim);
  if (! isempty (option))
    R = feval (class (mean (like (X), option)), R);
  endif

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## R = triangle (NAME, ARGS): triu or tril of ARGS.  Octave's own copies a gpuArray column by
## column.

function R = triangle (name, args)

  X = args{1};
  args = on_host (args(2:end));
  if (! strcmp (class (X), "gpuArray"))
    R = feval (name, X, args{:});
    return;
  elseif (! issparse (X) && any (strcmp (args, "pack")))
    not_there (name, "(X, \"pack\")");
  elseif (issparse (X) || is_blocks (X) || any (cellfun (@ischar, args)))
    R = builtin (name, X, args{:});
    return;
  elseif (any (strcmp (underlyingType (X), {"int64", "uint64"})))
    R = by_host (name, X, args{:});
    return;
  endif
  feval (name, repmat (like (X), [1, 1, ndims(X) - 1]), args{:}); # Octave's error
  k = 0;
  if (! isempty (args))
    k = double (args{1}(1)); # as Octave reads a matrix
  endif
  above = gpuArray ((1:columns (X)) - k) - gpuArray ((1:rows (X)).');
  if (strcmp (name, "triu"))
    R = __gpuarray__ ("masked", X, above >= 0);
  else
    R = __gpuarray__ ("masked", X, above <= 0);
  endif

endfunction

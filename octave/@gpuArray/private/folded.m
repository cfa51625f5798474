## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## R = folded (NAME, WORD, X, ARGS): sum, prod, cumsum or cumprod with the classes of Octave.  WORD
## is "fold" or "scan".

function R = folded (name, word, X, args)

  if (! strcmp (class (X), "gpuArray"))
    args = on_host (args);
    R = feval (name, X, args{:});
    return;
  elseif (isempty (X) || (strcmp (word, "scan") && isinteger (X) && isinteger (cumsum (int8 (1)))))
    R = by_host (name, X, args{:});
    return;
  endif
  [dim, option] = dimension (name, X, args);
  is_bool = islogical (X);
  switch (option)
    case ""
      if (! isfloat (X))
        X = double (X); # as Octave sums integers
      endif
    case "double"
      X = double (X);
    case "native"
      if (is_bool && strcmp (word, "fold"))
        R = __gpuarray__ (word, {"any", "all"}{1 + strcmp(name, "prod")}, X, dim);
        return;
      endif
    otherwise
      not_there (name, sprintf ("(X, \"%s\")", option));
  endswitch
  R = __gpuarray__ (word, strrep (name, "cum", ""), X, dim);
  if (strcmp (option, "native") && is_bool)
    R = R != 0;
  elseif (strcmp (option, "native"))
    R = feval (__gpuarray__ ("type", X), R); # without a GPU Octave sums integers in double
  endif

endfunction

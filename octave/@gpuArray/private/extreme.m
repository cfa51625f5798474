## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## max or min, by NAME, of the cell array ARGS.

function varargout = extreme (name, args)

  X = args{1};
  if (numel (args) == 2)
    Y = args{2};
    if (isempty (X) || isempty (Y))
      [varargout{1:nargout}] = by_host (name, args{:});
    else
      if (nargout > 1 || ischar (X) || ischar (Y) || ! (is_number (X) && is_number (Y)))
        [varargout{1:nargout}] = feval (name, like (X), like (Y)); # Octave's error
        not_there (name, "of these arguments");
      endif
      if ((iscomplex (X) || iscomplex (Y)) && max (3-4i, 5) != 3-4i)
        both = on_host ({X, Y}); # Octave 11 compares angles, too
        for i = find ([iscomplex(X), iscomplex(Y)])
          both{i} = complex (both{i}); # also where all imaginary parts are zero
        endfor
        varargout{1} = by_host (name, both{:});
      else
        varargout{1} = __gpuarray__ ("two", name, X, Y);
      endif
    endif
  elseif (numel (args) > 3 || (numel (args) == 3 && ! isempty (args{2})))
    args = cellfun (@like, args, "UniformOutput", false);
    feval (name, args{:});
    not_there (name, "(X, Y, DIM)");
  elseif (! strcmp (class (X), "gpuArray"))
    args = on_host (args);
    [varargout{1:nargout}] = feval (name, args{:});
  elseif (isempty (X))
    [varargout{1:nargout}] = by_host (name, args{:});
  else
    dim = dimension_of_extreme (name, X, args);
    [varargout{1:nargout}] = __gpuarray__ ("fold", name, X, dim);
    if (iscomplex (X) && any ((isnan (varargout{1}) & isinf (varargout{1}))(:)))
      ## NaN + Inf i counts where a number is before it
      [varargout{1:nargout}] = by_host (name, args{:});
    endif
    if (islogical (X) && ! islogical (varargout{1}))
      varargout{1} = varargout{1} != 0;
    endif
  endif

endfunction

function dim = dimension_of_extreme (name, X, args)
  if (numel (args) < 3)
    dim = dimension (name, X, {});
  else
    dim = on_host (args(3)){1};
    feval (name, like (X), [], dim); # Octave's error
    check_dimension (name, dim);
    dim = double (dim);
  endif
endfunction

function yes = is_number (X)
  yes = isnumeric (X) || islogical (X);
endfunction

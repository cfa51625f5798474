## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [DIM, OPTION] = dimension (NAME, X, ARGS): the dimension along which NAME (X, ARGS{:}) works, and
## the last of ARGS if it is a text.  Octave's error if Octave takes no such arguments.

function [dim, option] = dimension (name, X, args)

  option = "";
  if (numel (args) == 1 && isnumeric (args{1}) && isscalar (args{1}) && isreal (args{1}))
    dim = double (on_host (args){1});
    if (dim >= 1 && dim == fix (dim))
      return;
    endif
  endif
  if (! isempty (args))
    args = on_host (args);
    feval (name, like (X), args{:});
    if (ischar (args{end}))
      option = args{end};
      args(end) = [];
    endif
  endif
  if (isempty (args))
    dim = 0;
  else
    dim = args{1};
    if (numel (args) > 1)
      not_there (name, "with these arguments");
    endif
    check_dimension (name, dim);
  endif
  if (dim == 0) # some functions of Octave take 0 for none
    dim = find ([size(X), 2] != 1, 1);
    if (dim > ndims (X))
      dim = 1;
    endif
  endif
  dim = double (dim);

endfunction

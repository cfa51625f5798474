## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## Octave's function NAME for the values of its arguments: what it draws or writes is of the host.

function varargout = by_values (name, args)

  is_there = strcmp (cellfun ("class", args, "UniformOutput", false), "gpuArray");
  if (any (is_there))
    [args{is_there}] = gather (args{is_there});
  endif
  [varargout{1:nargout}] = feval (name, args{:});

endfunction

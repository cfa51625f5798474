## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## Octave's function NAME of ARGS, where each gpuArray has one element; else an error that says
## gather.

function varargout = of_numbers (name, args)

  is_array = @(x) strcmp (class (x), "gpuArray") && numel (x) != 1;
  if (any (cellfun (is_array, args)))
    not_there (name, "of an array");
  endif
  args = on_host (args);
  [varargout{1:max (1, nargout)}] = feval (name, args{:});

endfunction

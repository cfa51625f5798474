## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The cell array LIST with each gpuArray gathered.

function list = on_host (list)

  for i = 1:numel (list)
    if (strcmp (class (list{i}), "gpuArray"))
      list{i} = __gpuarray__ ("gather", list{i});
    endif
  endfor

endfunction

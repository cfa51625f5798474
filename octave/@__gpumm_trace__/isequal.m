## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## yes = isequal (trace, other, ...)

function yes = isequal (varargin)

  own = cellfun (@(x) isa (x, "__gpumm_trace__"), varargin);
  varargin(own) = cellfun (@struct, varargin(own), "UniformOutput", false);
  yes = isequal (varargin{:});

endfunction

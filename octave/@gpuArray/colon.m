## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## colon (BASE, LIMIT), colon (BASE, INCREMENT, LIMIT) of numbers: a range of the host.

function R = colon (varargin)

  varargin = on_host (varargin);
  R = colon (varargin{:});

endfunction

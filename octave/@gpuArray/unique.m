## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## unique (...): an error that says gather, but for a number or an empty array.

function varargout = unique (varargin)

  if (numel (varargin{1}) > 1)
    not_there ("unique", "(X)");
  endif
  [varargout{1:max (1, nargout)}] = by_host ("unique", varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## NAME (...), with each blocksparse converted to a full matrix.

function varargout = by_full (name, varargin)

  varargin = whole (varargin);
  [varargout{1:nargout}] = feval (name, varargin{:});

endfunction

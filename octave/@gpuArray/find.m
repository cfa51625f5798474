## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## find (X, ...): for [I, J, V] of an integer, of which Octave's own makes V double.

function varargout = find (X, varargin)

  if (isgpuarray (X) && isinteger (X) && numel (X) == 1)
    X = gather (X);
  endif
  [varargout{1:max (nargout, 1)}] = builtin ("find", X, varargin{:});

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## struct (S): the fields of a blocksparse.  blocksparse () makes the matrix again from this struct.

function s = struct (varargin)

  if (nargin == 1)
    s = __blocksparse__ (varargin{1});
  else # struct ("name", S, ...)
    s = builtin ("struct", varargin{:});
  endif

endfunction

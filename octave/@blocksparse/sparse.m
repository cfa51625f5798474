## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sparse (S): Octave's sparse matrix, with the elements as double.

function A = sparse (varargin)

  if (nargin != 1)
    varargin = whole (varargin);
    A = sparse (varargin{:});
    return;
  endif
  A = __gpumm_sparse__ (double (varargin{1}));

endfunction

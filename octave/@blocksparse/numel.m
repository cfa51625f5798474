## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## numel (S): rows times columns; with indices what Octave asks before it indexes.

function n = numel (S, varargin)

  n = 1;
  if (nargin == 1)
    n = S.rows * S.cols;
  endif

endfunction

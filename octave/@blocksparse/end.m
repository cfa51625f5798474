## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The last index of a dimension, in elements.

function n = end (S, k, count)

  if (count == 1)
    n = S.rows * S.cols;
  else
    n = size (S, k);
  endif

endfunction

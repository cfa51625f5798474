## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## sparse (S): as Octave's sparse matrix, the elements as double.

function A = sparse (S)

  S = struct (double (S));
  [A, failed] = __gpumm_blocks__ (S);
  if (failed)
    error (A);
  endif

endfunction

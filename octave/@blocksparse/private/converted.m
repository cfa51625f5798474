## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## S with elements of another class; blocks that become zero are left out.

function S = converted (S, name)

  if (isa (S.values, name))
    return;
  endif
  S.values = feval (name, S.values);
  each = S.block_rows * S.block_cols;
  kept = any (reshape (S.values, each, []) != 0, 1);
  if (! all (kept))
    I = block_rows (S)(kept);
    S.start = int64 ([0; cumsum(accumarray (I, 1, [S.rows / S.block_rows, 1]))]);
    S.column = S.column(kept);
    S.values = reshape (reshape (S.values, each, [])(:,kept), S.block_rows, []);
  endif

endfunction

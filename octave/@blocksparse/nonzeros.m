## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## nonzeros (S): the nonzero elements, column by column.

function v = nonzeros (S)

  [~, ~, v] = nonzero (S);

endfunction

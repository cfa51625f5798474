## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## s = struct (trace): its fields; of an array, an array.

function s = struct (trace)

  s = reshape ([trace.fields], size (trace));

endfunction

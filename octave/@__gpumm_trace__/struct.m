## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## s = struct (trace): the fields as a struct; an array of traces gives an array of structs.

function s = struct (trace)

  s = reshape ([trace.fields], size (trace));

endfunction

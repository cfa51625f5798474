## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## isinteger (X): are the elements of an integer class?

function yes = isinteger (X)

  yes = ! isempty (strfind (__gpuarray__ ("type", X), "int"));

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## yes = isfield (trace, name)

function yes = isfield (trace, name)

  yes = isfield (trace.fields, name);

endfunction

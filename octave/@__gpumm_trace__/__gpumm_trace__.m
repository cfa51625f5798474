## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## trace = __gpumm_trace__ (s)
##
## What gpumm_kernel counted, the struct s, as a value that has its fields and displays as a table: a
## struct of structs would fill some screens.

function trace = __gpumm_trace__ (s)

  trace = class (struct ("fields", s), "__gpumm_trace__");

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## trace = __gpumm_trace__ (s)
##
## Wraps the struct s with gpumm_kernel's counts.  The trace has the fields of s and displays as a
## table; Octave's display of a struct of structs would fill several screens.

function trace = __gpumm_trace__ (s)

  trace = class (struct ("fields", s), "__gpumm_trace__");

endfunction

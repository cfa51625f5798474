## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The error for what a device does not compute: NAME is the function, WHAT is missing.

function not_there (name, what)

  text = sprintf ("%s %s is not available on a device. Use gather (X)", name, what);
  __gpuarray__ ("refuse", text); # as the type itself does, also for Octave's solvers

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## wait (D): until all queued work of the device is complete.

function wait (D)

  __gpuarray__ ("wait", D.index);

endfunction

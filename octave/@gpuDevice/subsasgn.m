## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## D.NAME = X: an error; without this method Octave adds a field that nobody reads.

function D = subsasgn (D, index, value)

  error ("gpumm:unsupported", "gpuDevice: the fields of a device cannot be assigned");

endfunction

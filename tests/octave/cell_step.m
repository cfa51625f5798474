## step = cell_step (): long tables compare every STEPth cell, so that each function and each
## operand has its turn: all cells on a device, and every third where Octave computes what gpuArrays
## hold.
## SPDX-License-Identifier: BSD-3-Clause

function step = cell_step ()

  step = 1 + 2 * (__gpuarray__ ("device", gpuArray (1)) == -1);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{X} =} elements_of (@var{X})
## The array of the elements of a matrix as the engine takes it: of a struct, which is a blocksparse,
## its blocks, and else the matrix itself.
## @end deftypefn

function X = elements_of (X)

  if (isstruct (X))
    X = X.values;
  endif

endfunction

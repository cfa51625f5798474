## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## check_dimension (NAME, DIM): an error unless DIM is a whole number of 0 or more.  Octave takes
## more for a dimension: it rounds numbers, and takes the first of several.

function check_dimension (name, dim)

  if (! (isnumeric (dim) && isreal (dim) && isscalar (dim) && dim >= 0 && dim == fix (dim)))
    not_there (name, "with these arguments");
  endif

endfunction

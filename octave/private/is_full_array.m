## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## YES = is_full_array (X): is X an array of numbers, logical values or characters, and not sparse?

function yes = is_full_array (X)

  yes = (isnumeric (X) || islogical (X) || ischar (X)) && ! issparse (X) && ! isobject (X) ...
        && ! isa (X, "blocksparse");

endfunction

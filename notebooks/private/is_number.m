## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## yes = is_number (x, count)
##
## Does x hold COUNT real numbers, 1 by default?

function yes = is_number (x, count = 1)
  yes = isnumeric (x) && isreal (x) && numel (x) == count && all (isfinite (x(:)));
endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## underlyingType (S): the class of the elements.

function name = underlyingType (S)

  name = class (struct (S).values);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## own = octaves_own_products ()
##
## Makes `*` Octave's own operator, until the variable own is cleared: a product that is compared
## with A*B must not be compared with gpumm's own (gpumm_mtimes).

function own = octaves_own_products ()

  was = gpumm_mtimes (false);
  own = onCleanup (@() gpumm_mtimes (was));

endfunction

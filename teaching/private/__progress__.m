## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## __progress__ (DONE, ALL): DONE of ALL steps are done.  Work of more than 2 s shows one line on
## the terminal, as a product does; products within the work show none.  __progress__ () ends the
## work and removes the line.  It must be called even after an error or Ctrl-C:
##
##   unwind_protect
##     for i = 1:n
##       __progress__ (i - 1, n);
##       ...
##     endfor
##   unwind_protect_cleanup
##     __progress__ ();
##   end_unwind_protect
##
## Only these calls write the line, so call at least once a second.  The seconds left assume steps
## of equal length, so ALL should count work, not files.  The line is below the cursor, where other
## output would overwrite it: call __progress__ () before you print.

function __progress__ (done = 0, all = 0)

  __gpumm_progress__ (done, all);

endfunction

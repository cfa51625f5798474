## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## __progress__ (DONE, ALL): DONE of ALL steps are done; work of more than 2 s then shows one line on
## the terminal, as a product does, and products within it show none.  __progress__ () ends the work and
## takes the line away: it must come even if there is an error or Ctrl-C, thus
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
## A line is written only in such a call: they should come at least once a second.  Seconds left are
## those of steps that take equally long, so ALL should count work and not files.  The line stands below
## the cursor, where lines that are printed meanwhile would meet it: call __progress__ () first.

function __progress__ (done = 0, all = 0)

  __gpumm_progress__ (done, all);

endfunction

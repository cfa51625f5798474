## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## grade_stop (c)
##
## Ends the process that grade_start started, and the processes that it has started.

function grade_stop (c)
  if (! isempty (c))
    [~] = kill (-c.pid, SIG ().KILL); # the group
    [~] = waitpid (c.pid);
    fclose (c.to);
    fclose (c.from);
  endif
endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## command = process_limits (seconds)
##
## The beginning of a command line of the shell that limits what follows: seconds of CPU time, 4 GB
## of memory and 1 GB for each file.

function command = process_limits (seconds)
  command = sprintf (["{ ulimit -c 0; ulimit -t %d; ulimit -v 4000000; ulimit -f 2000000; } " ...
                      "2>/dev/null; "], ceil (seconds));
endfunction

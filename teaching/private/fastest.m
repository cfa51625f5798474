## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [least, C, info] = fastest (f)
##
## Runs [C, seconds, info] = f () at least twice, until 0.1 s is spent, or once if it takes a
## second; least is the least of the seconds, with C and info of that run.

function [least, C, info] = fastest (f)

  least = Inf;
  runs = 0;
  spent = tic ();
  do
    [now_C, seconds, now_info] = f ();
    seconds = max (seconds, 1e-9); # a clock may stand still
    if (seconds < least)
      least = seconds;
      C = now_C;
      info = now_info;
    endif
    runs++;
    passed = toc (spent);
  until (passed > 1 || (runs >= 2 && (passed > 0.1 || runs >= 7)))

endfunction

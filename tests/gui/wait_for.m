## wait_for (what, is_so): gives the toolkit time until is_so () is true. After a minute that is an
## error: there is no what.
## SPDX-License-Identifier: BSD-3-Clause

function wait_for (what, is_so)

  begun = tic ();
  while (! is_so ())
    if (toc (begun) > 60)
      error ("waited a minute for %s", what);
    endif
    settle (1);
  endwhile

endfunction

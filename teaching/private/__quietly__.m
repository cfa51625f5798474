## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## h = __quietly__ (draw)
##
## Calls h = draw (), and keeps from the user what libraries and gnuplot say about themselves on
## standard error.  If draw fails, the user sees all of it, and always the warnings of Octave.

function varargout = __quietly__ (draw)

  name = tempname ();
  said = fopen (name, "w");
  user = fopen ("/dev/null", "w");
  if (said < 0 || user < 0 || dup2 (stderr, user) < 0)
    [varargout{1:nargout}] = draw ();
    return;
  endif
  failed = true;
  unwind_protect
    dup2 (said, stderr); # processes that Octave starts inherit it
    [varargout{1:nargout}] = draw ();
    failed = false;
  unwind_protect_cleanup
    fflush (stderr);
    dup2 (user, stderr);
    fclose (user);
    fclose (said);
    text = fileread (name);
    unlink (name);
    if (! failed)
      text = [regexp(text, '^warning: [^\n]*\n', "match", "lineanchors"){:}];
    endif
    fputs (stderr, text);
  end_unwind_protect

endfunction

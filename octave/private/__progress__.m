## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## __progress__ (done, all): work of more than 2 s says on stderr, if that is a terminal, how far it
## is.  Call it with done = 0 first, then after each step.  __progress__ () takes the line away, and
## must be called even after an error.

function __progress__ (done = 1, all = 1)

  persistent begun = 0 shown = 0;
  if (done == 0)
    begun = tic ();
    shown = 0;
    return;
  elseif (nargin == 0 && ! shown)
    return;
  elseif ((toc (begun) < 2 && ! shown) || ! at_terminal ())
    return;
  endif
  fprintf (stderr (), "\r%s\r", blanks (shown));
  shown = 0;
  if (done < all)
    stack = dbstack ();
    [~, name] = fileparts (stack(2).file);
    text = sprintf ("%s: %.0f %%, about %.0f s left", name, 100 * done / all, ...
                    max (1, toc (begun) * (all / done - 1)));
    fputs (stderr (), text);
    shown = numel (text);
  endif
  fflush (stderr ());

endfunction

## Octave 7 has no isatty.
function yes = at_terminal ()
  yes = ! isempty (regexp (readlink ("/proc/self/fd/2"), '^/dev/(pts|tty)', "once"));
endfunction

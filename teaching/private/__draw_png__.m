## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## drawn = __draw_png__ (file, inches, draw, caller)
##
## Calls draw () in a new figure of inches = [width, height] and writes the figure to a .png file.
## Errors name the function caller.  Returns false without gnuplot, the toolkit that needs no
## display.

function drawn = __draw_png__ (file, inches, draw, caller)

  drawn = false;
  if (! any (strcmp (available_graphics_toolkits (), "gnuplot")) || ! has_gnuplot ())
    return;
  endif
  __quietly__ (@() print_new_figure (file, inches, draw, caller));
  drawn = true;

endfunction

function print_new_figure (file, inches, draw, caller)

  warning ("off", "Octave:gnuplot-graphics", "local");
  toolkit = graphics_toolkit ();
  h = [];
  unwind_protect
    graphics_toolkit ("gnuplot");
    h = figure ("visible", "off");
    ## gnuplot prints 72 pixels per inch and keeps the font size, so set the paper size.
    set (h, "paperunits", "inches", "papersize", inches, "paperposition", [0, 0, inches]);
    draw ();
    __print_figure__ (h, file, caller);
  unwind_protect_cleanup
    close (h);
    graphics_toolkit (toolkit);
  end_unwind_protect

endfunction

function yes = has_gnuplot ()

  [status, ~] = system (sprintf ("%s --version 2>/dev/null", gnuplot_binary ()));
  yes = status == 0;

endfunction

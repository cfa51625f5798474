## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## drawn = __draw_png__ (file, inches, draw, caller)
##
## Calls draw () in a new figure and writes it, with inches = [width, height], to a .png file; caller
## names the function in errors.  False without gnuplot, the toolkit that needs no display.

function drawn = __draw_png__ (file, inches, draw, caller)

  drawn = false;
  if (! any (strcmp (available_graphics_toolkits (), "gnuplot")) || ! has_gnuplot ())
    return;
  endif
  warning ("off", "Octave:gnuplot-graphics", "local");
  toolkit = graphics_toolkit ();
  h = [];
  unwind_protect
    graphics_toolkit ("gnuplot");
    h = figure ("visible", "off");
    ## gnuplot makes 72 pixels of an inch and keeps the size of letters, so paper is what counts.
    set (h, "paperunits", "inches", "papersize", inches, "paperposition", [0, 0, inches]);
    draw ();
    __print_figure__ (h, file, ".png", caller);
    drawn = true;
  unwind_protect_cleanup
    close (h);
    graphics_toolkit (toolkit);
  end_unwind_protect

endfunction

function yes = has_gnuplot ()

  [status, ~] = system (sprintf ("%s --version", gnuplot_binary ()));
  yes = status == 0;

endfunction

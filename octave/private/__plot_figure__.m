## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## h = __plot_figure__ ()
## __plot_figure__ (h, file)
##
## Makes a new figure for gpumm_plot, on the screen if there is one, otherwise with gnuplot, which
## needs no display.  The second form prints the figure to a .png, .svg or .pdf file.

function h = __plot_figure__ (h, file)

  inches = [14, 8]; # gnuplot draws 72 pixels per inch and does not scale letters
  if (nargin == 0)
    h = __quietly__ (@() make_figure (72 * inches));
    set (h, "color", "white", "paperunits", "inches", "papersize", inches, ...
         "paperposition", [0, 0, inches]);
    return;
  endif

  [~, ~, kind] = fileparts (file);
  __print_figure__ (h, file, kind, "gpumm_plot");

endfunction

function h = make_figure (pixels)

  if (have_window_system ())
    h = figure ("position", [100, 100, pixels]);
  else
    warning ("off", "Octave:gnuplot-graphics", "local");
    h = figure ("visible", "off");
    if (any (strcmp (available_graphics_toolkits (), "gnuplot")))
      graphics_toolkit (h, "gnuplot");
    endif
  endif

endfunction

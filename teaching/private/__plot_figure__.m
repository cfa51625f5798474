## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## h = __plot_figure__ ()
##
## Makes a new figure for gpumm_plot, on the screen if there is one and figures are visible by default,
## otherwise with gnuplot, which needs no display.

function h = __plot_figure__ ()

  inches = [14, 8]; # gnuplot draws 72 pixels per inch and does not scale letters
  h = __quietly__ (@() make_figure (72 * inches));
  set (h, "color", "white", "paperunits", "inches", "papersize", inches, ...
       "paperposition", [0, 0, inches]);

endfunction

function h = make_figure (pixels)

  if (have_window_system () && strcmp (get (0, "defaultfigurevisible"), "on")) # not in a notebook
    h = figure ("position", [100, 100, pixels]);
  else
    warning ("off", "Octave:gnuplot-graphics", "local");
    h = figure ("visible", "off");
    if (any (strcmp (available_graphics_toolkits (), "gnuplot")))
      graphics_toolkit (h, "gnuplot");
    endif
  endif

endfunction

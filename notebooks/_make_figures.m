## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {} _make_figures (@var{folder}, @var{format}, @var{name}, @var{width}, @var{height}, @var{resolution}, @var{before})
## Draw the open figures as PNG files in @var{folder}, and close them.
##
## Jupyter's kernel for Octave calls a function of this name after each cell.  The kernel's own
## function needs Ghostscript for PNG and cuts off titles and legends, so @code{lesson} puts this
## one before it.  @file{execute} calls this function, too: a stored figure looks as in Jupyter.
##
## The files are @var{name} and a number, from @var{before} + 1.  @var{width} and @var{height} are
## those of @code{%plot}, in pixels; -1 stands for the figure's own.  Figures are always PNG:
## Jupyter and GitHub hide SVG in a notebook that is not trusted, and nbconvert 6.5 drops it.
## @seealso{lesson}
## @end deftypefn

function _make_figures (folder, format, name, width, height, resolution, before)

  figures = sort (get (0, "children"));
  for i = 1:numel (figures)
    unwind_protect
      file = fullfile (folder, sprintf ("%s%03d.png", name, before + i));
      draw_quietly (figures(i), file, [width, height]);
    unwind_protect_cleanup
      close (figures(i));
    end_unwind_protect
  endfor

endfunction

## What gnuplot says about itself is no output of a cell.
function draw_quietly (h, file, asked)

  user = fopen ("/dev/null", "w");
  nobody = fopen ("/dev/null", "w");
  dup2 (stderr, user);
  dup2 (nobody, stderr);
  unwind_protect
    draw (h, file, asked);
  unwind_protect_cleanup
    dup2 (user, stderr);
    fclose (user);
    fclose (nobody);
  end_unwind_protect

endfunction

## In another size, letters and lines keep their share of the figure.  Axes that fill it get a
## margin, because gnuplot takes letters for smaller than they are.
function draw (h, file, asked)

  pixels = get (h, "position")(3:4);
  scale = asked ./ pixels;
  if (all (scale < 0))
    scale = [1, 1];
  endif
  scale(scale < 0) = max (scale);
  graphics_toolkit (h, "gnuplot");
  set (0, "currentfigure", h);
  set (findobj (h, "type", "axes", "outerposition", [0, 0, 1, 1]), ...
       "outerposition", [0.01, 0.02, 0.98, 0.97]);
  drawnow (sprintf ("pngcairo size %d,%d fontscale %g linewidth %g pointscale %g", ...
                    round (scale .* pixels), min (scale)([1, 1, 1])), file);

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {} line_figure (@var{x}, @var{Y}, @var{names}, @var{texts}, @var{axes})
## Draw each row of @var{Y} over @var{x} as a line, with its name in a legend.
##
## @var{texts} is @code{@{x, y, title@}}.  @var{axes} is the function that draws: @code{@@loglog}
## (the default), @code{@@semilogx}, @code{@@semilogy} or @code{@@plot}.
## @seealso{gpumm_plot}
## @end deftypefn

function line_figure (x, Y, names, texts, draw = @loglog)

  logarithmic = any (strcmp (func2str (draw), {"loglog", "semilogy"}));
  if (logarithmic)
    Y(Y <= 0) = NaN; # has no logarithm
  endif
  figure ("visible", get (0, "defaultfigurevisible"));
  shapes = "os^dvph";
  a = axes ();
  lines = draw (x, Y.', "-");
  for i = 1:numel (lines)
    set (lines(i), "marker", shapes(mod (i - 1, 7) + 1), ...
         "markerfacecolor", get (lines(i), "color"));
  endfor
  xlabel (texts{1});
  ylabel (texts{2});
  title (texts{3}, "fontweight", "normal");
  if (logarithmic && max (Y(:)) < 30 * min (Y(:))) # powers of ten alone are too few
    limits = [min(Y(:)) / 1.5, max(Y(:)) * 1.5];
    ticks = ([1; 2; 5] * 10 .^ (floor (log10 (limits(1))):ceil (log10 (limits(2)))))(:).';
    ticks = ticks(ticks >= limits(1) & ticks <= limits(2));
    set (a, "ylim", limits, "ytick", ticks, ...
         "yticklabel", arrayfun (@num2str, ticks, "UniformOutput", false));
  endif
  if (any (strcmp (func2str (draw), {"loglog", "semilogx"})))
    y = ylim ();
    axis ([min(x) / 1.15, max(x) * 1.15, y]);
  endif
  if (numel (x) <= 12)
    set (a, "xtick", x, "xticklabel", arrayfun (@num2str, x, "UniformOutput", false));
  endif
  set (a, "xminortick", "off", "xminorgrid", "off", "yminorgrid", "off", "xgrid", "on", ...
       "ygrid", "on");
  legend (lines, names, "location", "northeastoutside", "interpreter", "none");
  set (a, "position", [0.12, 0.13, 0.56, 0.77]); # the legend took more than it needs

endfunction

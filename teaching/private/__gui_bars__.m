## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## __gui_bars__ (f, area, pixels, r, logarithmic)
##
## Draws the results r of __gui_compare__ into the area [x, y, width, height] of the figure f: for
## each kernel its name, a bar for its time, and the numbers.  pixels is the height of the letters.
## For r = [] it draws how to get results.

function __gui_bars__ (f, area, pixels, r, logarithmic)

  delete (findobj (f, "type", "axes"));
  line = 1.9 * pixels;
  top = area(4) - line / 2;
  grey = 0.35 * [1, 1, 1];
  if (isempty (r))
    say = make_sheet (f, area, pixels);
    say (0, top, "Times", "fontweight", "bold");
    say (area(3) / 2, area(4) / 2, "Press Compute to see how long each kernel takes", ...
         "horizontalalignment", "center", "color", grey);
    return;
  endif

  ## Columns of numbers on the right; drop some if the bars have no room.
  heads = {"time", "loads", "GFLOPS", "vs A*B", "error/bound", "check"};
  widths = [5.5, 5, 5.2, 5, 7.2, 4.7] * pixels;
  names = 8.8 * pixels;
  for least = [5, 4, 3]
    if (area(3) - names - sum (widths) < 14 * pixels)
      heads(least) = [];
      widths(least) = [];
    endif
  endfor
  width = area(3) - names - sum (widths) - 2 * pixels;
  starts = names + width + 2 * pixels + cumsum ([0, widths(1:end-1)]);

  n = numel (r.kernels);
  foot = 2.9 * pixels; # for the numbers and the title of the axis
  on_cpu = strcmp (r.backend, "cpu");
  head = top - (2.1 + on_cpu) * line;
  step = min ((head - line / 2 - foot) / n, 1.6 * line);
  low = head - line / 2 - n * step;
  bars = draw_axes (f, [area(1) + names, area(2) + low, width, n * step], r, pixels, logarithmic);
  from = xlim (bars)(1);
  bar = @(a, b, i, half, colour) patch ([a, b, b, a], n - i + 0.5 + half * [-1, -1, 1, 1], ...
                                        colour, "parent", bars, "edgecolor", "none");

  ## The colours of gpumm_plot, which the colour-blind can tell apart.
  alone = [0 114 178] / 255;
  rest = [230 159 0] / 255;
  red = [0.75, 0.1, 0];
  [say, sheet] = make_sheet (f, area, pixels);
  place = r.device;
  if (on_cpu)
    place = "CPU, kernels for study";
    say (0, top - 2 * line, "On a GPU fewer loads take less time; on this CPU they do not.", ...
         "color", grey);
  endif
  say (0, top, sprintf ("m = %d, k = %d, n = %d (%s)", r.m, r.k, r.n, place), ...
       "fontweight", "bold");
  x = draw_key (sheet, 0, top - line, pixels, alone, "the kernel alone", say);
  draw_key (sheet, x, top - line, pixels, rest, "the rest of the call, transfers", say);
  for j = 1:numel (heads)
    say (starts(j), head, heads{j}, "color", grey);
  endfor

  for i = 1:n
    y = low + (n - i + 0.5) * step;
    say (0, y, __gui_name__ (r.kernels{i}));
    if (! isempty (r.failed{i}))
      most = floor ((area(3) - names) / (0.65 * pixels));
      say (names + pixels, y, shortened (["could not run: " r.failed{i}], most), "color", red);
      continue;
    elseif (isempty (r.ran{i}))
      say (names + pixels, y, "not run: stopped", "color", grey);
      continue;
    endif
    ms = max (from, 1e3 * [r.seconds(i), r.total(i)]);
    bar (ms(1), ms(2), i, 0.14, rest);
    bar (from, ms(1), i, 0.32, alone);
    for j = 1:numel (heads)
      colour = {"black", red}{1 + (strcmp (heads{j}, "check") && ! r.right(i))};
      say (starts(j), y, words_of (heads{j}, r, i), "color", colour);
    endfor
  endfor

endfunction

## Axes for texts, above the other axes.  The unit is a pixel; texts begin at whole pixels, or they
## blur.  On any screen a point of a text is a pixel.
function [say, sheet] = make_sheet (f, area, pixels)

  sheet = axes ("parent", f, "units", "pixels", "position", area, "visible", "off", ...
                "xlim", [0, area(3)], "ylim", [0, area(4)]);
  say = @(x, y, words, varargin) text (round (x), round (y), words, "parent", sheet, ...
                                       "fontsize", pixels, "fontname", font (), ...
                                       "interpreter", "none", varargin{:});

endfunction

## The font of Qt's controls on most systems; Qt substitutes a missing font.
function name = font ()
  name = "DejaVu Sans";
endfunction

## Draws a colour and its meaning; returns x, where the next key may begin.
function x = draw_key (sheet, x, y, pixels, colour, words, say)

  rectangle ("parent", sheet, "position", [x, y - 0.4 * pixels, 1.6 * pixels, 0.8 * pixels], ...
             "facecolor", colour, "edgecolor", "none");
  say (x + 2.2 * pixels, y, words);
  x += (2.2 + 0.65 * numel (words)) * pixels;

endfunction

## Axes in milliseconds for bars at heights 0.5 to n - 0.5; logarithmic axes end at powers of ten.
function a = draw_axes (f, position, r, pixels, logarithmic)

  a = axes ("parent", f, "units", "pixels", "position", round (position), ...
            "fontsize", 0.9 * pixels, "fontname", font (), "box", "on", "xgrid", "on", ...
            "ytick", [], "ylim", [0, numel(r.kernels)], "ticklength", [0, 0]);
  ms = 1e3 * [r.seconds; r.total];
  ms = ms(! isnan (ms));
  if (isempty (ms))
    ms = 1;
  endif
  if (logarithmic)
    limits = 10 .^ [floor(log10 (min (ms)) - 0.1), ceil(log10 (max (ms)))];
    ticks = 10 .^ (log10 (limits(1)):log10 (limits(2)));
    ticks = ticks(1:ceil (numel (ticks) * 3 * pixels / position(3)):end); # labels need room
    set (a, "xscale", "log", "xlim", limits, "xtick", ticks, "xminortick", "off", ...
         "xminorgrid", "off", ...
         "xticklabel", arrayfun (@__three_digits__, ticks, "UniformOutput", false));
  else
    set (a, "xlim", [0, 1.05 * max(ms)]);
  endif
  xlabel (a, "milliseconds", "fontsize", pixels, "fontname", font ());
  hold (a, "on");

endfunction

## What stands below a head in the row of kernel i.
function words = words_of (head, r, i)
  switch (head)
    case "time"
      words = in_units (r.seconds(i));
    case "loads"
      words = in_thousands (r.loads(i));
    case "GFLOPS"
      words = __three_digits__ (r.gflops(i));
    case "vs A*B"
      words = relative (r, i);
    case "error/bound"
      words = sprintf ("%.2g", r.error(i));
    case "check"
      words = {"WRONG", "right"}{1 + r.right(i)};
  endswitch
endfunction

function words = in_units (seconds)
  units = [1e-6, 1e-3, 1];
  i = max ([1, find(seconds >= units, 1, "last")]);
  words = [__three_digits__(seconds / units(i)), " ", {"us", "ms", "s"}{i}];
endfunction

function words = in_thousands (count)
  words = "";
  if (! isnan (count))
    i = min (4, floor (log10 (count) / 3));
    words = [__three_digits__(count / 1000 ^ i), " ", {"", "k", "M", "G", "T"}{i+1}];
  endif
endfunction

## The time of Octave's product divided by a kernel's time.
function words = relative (r, i)
  words = "";
  at = strcmp (r.kernels, "*");
  if (any (at) && ! isnan (r.seconds(at)))
    words = __three_digits__ (r.seconds(at) / r.seconds(i));
  endif
endfunction

function words = shortened (words, most)
  if (numel (words) > most)
    words = [words(1:floor (most) - 3) "..."];
  endif
endfunction

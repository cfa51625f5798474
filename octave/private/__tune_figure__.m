## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## drawn = __tune_figure__ (file, T, families)
##
## Draws the rates that gpumm_tune measured to a .png file.  Each type has a panel with the tiled
## kernels (one per block size) and the fastest kernel.  families has the algorithm of each of
## T.kernels.  Returns false without gnuplot.

function drawn = __tune_figure__ (file, T, families)

  tiled = find (strcmp (families, "tiled"));
  height = 6 * ceil (numel (T.types) / 2) + 1;
  drawn = __draw_png__ (file, [17, height], @() draw (T, tiled, height), "gpumm_tune");

endfunction

## A legend, one inch high, above two columns of panels of equal height.
function draw (T, tiled, height)

  across = 1 + (numel (T.types) > 1);
  draw_legend (T.kernels(tiled), [0.02, 1 - 0.8 / height, 0.96, 0.6 / height]);
  for t = 1:numel (T.types)
    column = mod (t - 1, across);
    row = ceil (t / across);
    place = [(column + 0.14) / across, 1 - (6 * row + 0.15) / height, 0.83 / across, 4.5 / height];
    axes ("position", place);
    draw_type (T, t, tiled);
    list_blocks (T, t, place);
  endfor

endfunction

## A colour and a marker for each.  Colour-blind readers can distinguish Okabe and Ito's colours.
function [colour, marker] = style (i)

  colours = [0 114 178; 230 159 0; 0 158 115; 213 94 0; 204 121 167; 86 180 233] / 255;
  i = mod (i - 1, rows (colours)) + 1;
  colour = colours(i,:);
  marker = "osd^v>"(i);

endfunction

function draw_legend (names, place)

  axes ("position", place, "visible", "off");
  hold on;
  step = 1 / (numel (names) + 0.6); # room for the longest name, the last one
  plot ([0, 0.15, 0.3] * step, [0.8, 0.8, 0.8], "k*--", "linewidth", 1.5);
  text (0.4 * step, 0.8, "fastest of all kernels, with its name", "fontsize", 13);
  for i = 1:numel (names)
    [colour, marker] = style (i);
    left = (i - 1) * step;
    plot (left + [0, 0.15, 0.3] * step, [0.2, 0.2, 0.2], [marker "-"], "color", colour, ...
          "markersize", 7, "linewidth", 1.5);
    text (left + 0.4 * step, 0.2, __drawn_text__ (names{i}), "fontsize", 13, "interpreter", "none");
  endfor
  axis ([0, 1, 0, 1]);

endfunction

function draw_type (T, t, tiled)

  hold on;
  winners = T.winners([T.winners.type] == T.types(t));
  if (isempty (winners)) # no kernel runs this type
    return;
  endif
  n = [winners.n];
  rates = [winners.gflops];
  loglog (n, rates, "k*--", "linewidth", 1.5);
  for i = 1:numel (tiled)
    [colour, marker] = style (i);
    loglog (T.sizes, T.gflops(tiled(i),:,t), [marker "-"], "color", colour, "markersize", 7, ...
            "linewidth", 1.5);
  endfor
  highest = max (rates);
  last = ""; # each new name is drawn above all curves, alternating between two rows
  row = 1;
  for i = 1:numel (winners)
    if (! strcmp (winners(i).kernel, last))
      last = winners(i).kernel;
      side = {"left", "center", "right"}{1 + (i > 1) + (n(i) == T.sizes(end))};
      text (n(i), [2.2, 4](row) * highest, __drawn_text__ (last), "fontsize", 11, ...
            "interpreter", "none", "horizontalalignment", side);
      row = 3 - row;
    endif
  endfor
  few = T.sizes(end:-max (1, floor (numel (T.sizes) / 8)):1)(end:-1:1);
  set (gca (), "xscale", "log", "yscale", "log", "fontsize", 13, "xgrid", "on", "ygrid", "on", ...
       "box", "on", "xminortick", "off", "xtick", few, "xticklabel", ...
       arrayfun (@num2str, few, "UniformOutput", false));
  own = T.gflops(tiled,:,t);
  ## make room for the list of blocks below the curves
  lowest = min ([rates(:); own(:)]) / 1.5;
  share = 0.05 + 0.06 * numel (block_ranges (T, t));
  axis ([T.sizes(1) / 1.2, T.sizes(end) * 1.2, ...
         lowest / (6 * highest / lowest) ^ (share / (1 - share)), 6 * highest]);
  xlabel (["n of n x n matrices, on " __drawn_text__(T.device)], "fontsize", 13, "interpreter", "none");
  ylabel ("GFLOPS on the device", "fontsize", 13);
  name = {"single", "double", "complex single", "complex double"}{T.types(t) == "sdcz"};
  title (name, "fontsize", 14, "fontweight", "normal");

endfunction

## Lists in the corner below the curves: "best block at 16 to 384: tiled_16".
function list_blocks (T, t, place)

  axes ("position", place, "visible", "off");
  axis ([0, 1, 0, 1]);
  lines = block_ranges (T, t);
  for i = 1:numel (lines)
    text (0.97, 0.05 + 0.06 * (i - 1), __drawn_text__ (lines{i}), "fontsize", 11, ...
          "interpreter", "none", "horizontalalignment", "right");
  endfor

endfunction

## The winning tiled kernels, each with its range of consecutive sizes; the largest sizes first.
function lines = block_ranges (T, t)

  b = T.best([T.best.type] == T.types(t) & strcmp ({T.best.algorithm}, "tiled"));
  lines = {};
  last = numel (b);
  while (last > 0)
    first = last;
    while (first > 1 && strcmp (b(first-1).kernel, b(last).kernel))
      first--;
    endwhile
    range = sprintf ("%d to %d", b(first).n, b(last).n);
    if (first == last)
      range = sprintf ("%d", b(first).n);
    endif
    lines{end+1} = ["best block at " range ": " b(first).kernel];
    last = first - 1;
  endwhile

endfunction

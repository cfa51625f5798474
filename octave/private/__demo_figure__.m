## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## drawn = __demo_figure__ (file, results, panels)
##
## Draws a row of pictures of the matrices and, below, the times of the products, to a .png file.
## Returns false without gnuplot, the toolkit that needs no display.
##
## panels is a struct array: kind, title, and data, which depends on the kind.

function drawn = __demo_figure__ (file, results, panels)

  drawn = __draw_png__ (file, [20, 13.5], @() draw (results, panels), "gpumm_demo");

endfunction

function draw (results, panels)

  n = numel (panels);
  for k = 1:n
    left = 0.05 + (k - 1) / n * 0.96;
    draw_panel (panels(k), [left, 0.58, 0.96 / n - 0.055, 0.34]);
  endfor
  draw_times (results, [0.09, 0.07, 0.88, 0.38]);

endfunction

function draw_panel (panel, place)

  if (strcmp (panel.kind, "mesh"))
    ## A view in space leaves wide margins.
    axes ("position", place + [-0.72, -0.45, 1.3, 0.9] .* place([3, 4, 3, 4]));
    draw_mesh (panel.data{:});
    axes ("position", place, "visible", "off");
  else
    axes ("position", place);
  endif
  switch (panel.kind)
    case "spy"
      [i, j, n] = panel.data{:};
      plot (j, i, ".", "markersize", 3, "color", [0.1, 0.3, 0.6]);
      axis ([0.5, n + 0.5, 0.5, n + 0.5], "ij", "square");
    case "picture"
      imagesc (panel.data{1}, [0, 1]);
      colormap (gca (), gray (256));
      axis ("image", "off");
    case "spectrum"
      semilogy (panel.data{1}, ".", "markersize", 8, "color", [0.1, 0.3, 0.6]);
      axis ([-0.03 * numel(panel.data{1}), numel(panel.data{1})]);
      grid ("on");
    case "density"
      draw_density (panel.data{1});
  endswitch
  set (gca (), "fontsize", 13);
  title (__drawn_text__ (panel.title), "fontsize", 15, "fontweight", "normal", "interpreter", "none");

endfunction

## The outer faces of a bar of bricks whose nodes are numbered across the bar, then along it.
function draw_mesh (nodes, sections, side)

  node = reshape (1:rows (nodes), side, side, sections);
  hold on;
  for face = {node(1,:,:), node(end,:,:), node(:,1,:), node(:,end,:)}
    at = reshape (face{1}, side, sections);
    surf (reshape (nodes(at,1), size (at)), reshape (nodes(at,2), size (at)),
          reshape (nodes(at,3), size (at)));
  endfor
  hold off;
  axis ("equal", "off");
  view (30, 25);

endfunction

## Draws the nonzeros as at most 200 x 200 squares, darker for higher density or size.
function draw_density (A)

  most = 200;
  [m, n] = size (A);
  step = max (1, ceil (max (m, n) / most));
  [i, j, x] = find (A);
  x = abs (double (x));
  x(! isfinite (x)) = 0;
  what = "mean |a|";
  if (issparse (A))
    x(:) = 1;
    what = "share of nonzeros";
  endif
  D = accumarray ([ceil(i(:) / step), ceil(j(:) / step)], x(:), ceil ([m, n] / step)) / step ^ 2;
  imagesc ([1, n], [1, m], D);
  colormap (gca (), flipud (gray (256)));
  if (max (m, n) <= 5 * min (m, n))
    axis ("image");
  endif
  set (gca (), "xtick", [1, n](1 + (4 * n < m):end), "ytick", [1, m]);
  xlabel (sprintf ("darker: larger %s", what));

endfunction

function draw_times (results, place)

  stages = {"upload", "compute", "download", "rest of the call of gpumm", "Octave's product"};
  colours = [86 180 233; 213 94 0; 0 158 115; 180 180 180; 85 85 85] / 255; # Okabe and Ito's
  n = numel (results);
  T = zeros (2 * n, 5);
  for k = 1:n
    r = results(k);
    s = r.info.seconds;
    busy = [s.upload, s.compute, s.download];
    if (sum (busy) > r.seconds)  # stages overlap
      busy *= r.seconds / sum (busy);
    endif
    T(2*k-1,1:4) = [busy, r.seconds - sum(busy)];
    T(2*k,5) = r.octave_seconds;
  endfor
  unit = "seconds";
  if (max (sum (T, 2)) < 0.5)
    unit = "milliseconds";
    T *= 1000;
  endif
  if (! any (T(:,[1, 3])(:)))  # nothing went to a GPU: no transfers, only the call
    T = [zeros(2 * n, 1), sum(T(:,1:4), 2), zeros(2 * n, 2), T(:,5)];
    stages{2} = "gpumm, on the CPU";
  endif
  total = sum (T, 2);
  labels = cell (1, 2 * n);
  for k = 1:n
    r = results(k);
    labels{2*k-1} = sprintf ("%s, %s on %s", duration (r.seconds), r.info.kernel,
                             r.info.device.name);
    labels{2*k} = duration (r.octave_seconds);
  endfor
  ## The axis is as wide as the longest bar with its label; a letter takes 1/115 of the width.
  widest = max (total ./ (0.98 - cellfun (@numel, labels(:)) / 115));
  middle = 6 + (1:n) * 3;  # well away from barh's line at 0
  y = (middle + [-0.45; 0.45])(:);

  axes ("position", place);
  bars = barh (y, T, 0.85, "stacked");
  for k = 1:5
    set (bars(k), "facecolor", colours(k,:), "edgecolor", "none");
  endfor
  for k = 1:2*n
    text (total(k) + 0.005 * widest, y(k), __drawn_text__ (labels{k}), "fontsize", 13, "interpreter", "none");
  endfor
  beside = 1.2 + 2 * max (0, 3 - n);  # keeps a single bar from filling the figure
  axis ([0, widest, middle(1) - beside, middle(end) + beside], "ij");
  set (gca (), "ytick", middle, "yticklabel", {results.title}, "ticklength", [0, 0], ...
       "fontsize", 14);
  xlabel ([unit " for the whole call, the fastest of several"], "fontsize", 14);

  ## Draw the legend here, because gnuplot's covers bars.  A letter takes about 0.0072 of the width.
  axes ("position", [place(1), place(2) + place(4) + 0.005, place(3), 0.04], "visible", "off");
  axis ([0, 1, 0, 1]);
  left = 0.02;
  for k = find (any (T, 1))
    rectangle ("position", [left, 0.3, 0.018, 0.4], "facecolor", colours(k,:), ...
               "edgecolor", "none");
    text (left + 0.023, 0.5, stages{k}, "fontsize", 14);
    left += 0.06 + 0.0085 * numel (stages{k});
  endfor

endfunction

function str = duration (seconds)

  if (seconds >= 1)
    str = sprintf ("%.3g s", seconds);
  else
    str = sprintf ("%.3g ms", 1e3 * seconds);
  endif

endfunction

## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{h} =} gpumm_plot (@var{what})
## @deftypefnx {} {[@var{h}, @var{data}] =} gpumm_plot (@dots{}, @var{name}, @var{value})
## Measure a matrix product and draw how it becomes fast.
##
## @var{what} is
##
## @table @asis
## @item @qcode{"rates"}
## GFLOPS by size: @code{*}, the three loops and the kernels, without transfers.
## @item @qcode{"block size"}
## Milliseconds of the tiled kernels by the width of their tiles, for each size.
## @item @qcode{"strassen"}
## Strassen's algorithm, once and twice, against the block algorithm in registers that it is built
## on.  The crossover is the size from which Strassen's algorithm is faster at every size measured.
## Differences that the next run may reverse do not count: four of five turns must take less than
## 98 % of the fastest turn of the other algorithm.
## @item @qcode{"roofline"}
## Rate by arithmetic intensity, as counted by @code{gpumm_kernel}, under the ceilings of this
## machine.
## @end table
##
## On two cores of a CPU the measurements take 9 s for @qcode{"strassen"}, 3 s for @qcode{"rates"}
## and less than 2 s for the others.  Measurements of more than 2 s show their progress on the
## terminal.  @var{h} is the figure.  @var{data} is a struct of the measurements; the option
## @qcode{"Data"} draws them again.  The figure needs no display.
##
## Options are pairs of a name, in upper or lower case, and a value:
##
## @table @asis
## @item @qcode{"Sizes"}
## The sizes n of the matrices, which are n x n and double.
## @item @qcode{"Kernels"}
## A cell array of names that @code{gpumm_kernel} and the option @qcode{"Algorithm"} of @code{gpumm}
## take.
## @item @qcode{"Backend"}
## @qcode{"auto"} (the default), the GPU if there is one; @qcode{"gpu"}; or @qcode{"cpu"}, where the
## kernels run for study.
## @item @qcode{"Ceilings"}
## For the roofline: @code{[GFLOPS, GB/s]}.  By default both are measured: the first by the fastest
## product (cuBLAS, or @code{*}), the second by a matrix times a vector.
## @item @qcode{"Data"}
## Draw the data of an earlier call with the same @var{what}, and measure nothing.
## @item @qcode{"File"}
## Print the figure to this file: .png, .svg or .pdf.
## @end table
##
## @example
## @group
## [h, data] = gpumm_plot ("rates", "Sizes", 32, "Kernels", @{"naive", "tiled"@});
## size (data.gflops)
##   @result{} ans =
##        2   1
## close (h)
## @end group
## @end example
## @seealso{gpumm_kernel, gpumm_source, gpumm}
## @end deftypefn

function [h, data] = gpumm_plot (what, varargin)

  figures = {"rates", @measure_rates, @draw_rates; ...
             "block size", @measure_blocks, @draw_blocks; ...
             "strassen", @measure_strassen, @draw_strassen; ...
             "roofline", @measure_roofline, @draw_roofline};
  if (nargin < 1)
    print_usage ();
  endif
  at = [];
  if (ischar (what) && isrow (what))
    at = find (strcmpi (what, figures(:,1)));
    demand (! strcmpi (what, "stages"), ...
            "\"stages\" was removed; write [C, info] = gpumm (A, B); info.seconds");
    demand (! strcmpi (what, "pattern"), "\"pattern\" was removed; write spy (A * B)");
    demand (! strcmpi (what, "speedup"), ...
            ["\"speedup\" was removed; write tic; A * B; t = toc; [C, info] = gpumm (A, B); " ...
             "t / info.seconds.total"]);
  endif
  demand (! isempty (at), "WHAT must be \"%s\"", strjoin (figures(:,1), "\", \""));
  what = figures{at,1};
  o = parse (varargin);

  d = o.data;
  if (isempty (d))
    own = octaves_own_products ();
    unwind_protect
      d = figures{at,2} (o);
    unwind_protect_cleanup
      __progress__ ();
    end_unwind_protect
    d.what = what;
    clear own;
  endif
  demand (isfield (d, "what") && strcmp (d.what, what), ...
          "Data must be what gpumm_plot (\"%s\") gave", what);

  f = __plot_figure__ ();
  unwind_protect
    try
      figures{at,3} (d);
    catch err
      demand (isempty (o.data), "Data must be what gpumm_plot (\"%s\") gave: %s", what, ...
              err.message);
      rethrow (err);
    end_try_catch
    if (! isempty (o.file))
      __print_figure__ (f, o.file, "gpumm_plot");
    endif
    drawn = true;
  unwind_protect_cleanup
    if (! exist ("drawn", "var"))
      close (f);
    endif
  end_unwind_protect
  if (nargout > 0)
    h = f;
    data = d;
  endif

endfunction

## ---- options ------------------------------------------------------------------------------------

function o = parse (list)

  is_whole = @(x) is_positive (x) && all (x(:) == fix (x(:)));
  table = { ...
    "Sizes", [], @(x) is_whole (x) && isvector (x), "a vector of whole numbers, from 1"; ...
    "Kernels", {}, @(x) iscellstr (x) && ! isempty (x), "a cell array of names"; ...
    "Backend", "auto", @(x) ischar (x) && any (strcmpi (x, {"auto", "cpu", "gpu"})), ...
    "\"auto\", \"cpu\" or \"gpu\""; ...
    "Ceilings", [], @(x) is_positive (x) && numel (x) == 2, "[GFLOPS, GB/s]"; ...
    "Data", [], @(x) isstruct (x) && isscalar (x), "a struct"; ...
    "File", "", @(x) ischar (x) && isrow (x) && ! isempty (regexpi (x, '\.(png|svg|pdf)$')), ...
    "the name of a .png, .svg or .pdf file"};
  o = __options_of__ ("gpumm_plot", list, table);
  o.sizes = unique (double (o.sizes(:).'));
  o.kernels = o.kernels(:).';
  info = gpumm_info ();
  families = [{"*", "loops"}, unique({info.kernels.algorithm}, "stable")];
  demand (all (ismember (lower (o.kernels), [families, {info.kernels.name}])),
          "Kernels must be of %s, or of gpumm_info ().kernels", strjoin (families, ", "));
  o.backend = lower (o.backend);
  o.ceilings = double (o.ceilings(:).');
  if (strcmp (o.backend, "auto"))
    o.backend = {"cpu", "gpu"}{1 + gpumm_available("gpu")};
  elseif (strcmp (o.backend, "gpu") && ! gpumm_available ("gpu"))
    error ("gpumm:no-device", "gpumm_plot: no GPU can be used: %s", info.why_no_gpu);
  endif

endfunction

function yes = is_positive (x)
  yes = isnumeric (x) && isreal (x) && ! isempty (x) && all (isfinite (x(:))) && all (x(:) > 0);
endfunction

function demand (yes, varargin)
  if (! yes)
    error ("gpumm:bad-value", "gpumm_plot: %s", sprintf (varargin{:}));
  endif
endfunction

## The sizes and kernels given, or those for a CPU or a GPU.
function o = defaults (o, on_cpu, on_gpu, kernels)
  if (isempty (o.sizes))
    o.sizes = {on_cpu, on_gpu}{1 + strcmp(o.backend, "gpu")};
  endif
  if (isempty (o.kernels))
    o.kernels = kernels;
  endif
endfunction

## ---- measuring ----------------------------------------------------------------------------------

## What all data have in common: what was measured, where, and the sizes.
function d = new_data (o)
  d = struct ("what", "", "backend", o.backend, "device", "CPU", "sizes", o.sizes, ...
              "kernels", {o.kernels}, "seconds", NaN (numel (o.kernels), numel (o.sizes)));
  if (strcmp (o.backend, "gpu"))
    d.device = gpumm_info ().devices(1).name;
  endif
endfunction

## Seconds of one kernel, or of `*`, alone; R is A*B.  Nothing else multiplies in between: the
## threads of a BLAS stay busy for a while.
function seconds = time_kernel (name, A, B, R, backend)
  if (strcmp (name, "*"))
    [seconds, C] = fastest (@() octave_product (A, B));
  else
    [seconds, C] = fastest (@() kernel_product (name, A, B, backend));
  endif
  check (name, C, A, B, R);
endfunction

function [C, seconds, info] = octave_product (A, B)
  begun = tic ();
  C = A * B;
  seconds = toc (begun);
  info = [];
endfunction

function [C, seconds, trace] = kernel_product (name, A, B, backend)
  [C, trace] = gpumm_kernel (name, A, B, "Backend", backend, "Count", false);
  seconds = trace.seconds;
endfunction

## Strassen's bound is by the norm; what is wrong is wrong by much more.
function check (name, C, A, B, R)
  if (norm (C - R, 1) > 1e3 * rows (A) * eps () * norm (A, 1) * norm (B, 1))
    error ("gpumm:wrong-result", "gpumm_plot: %s is wrong at n = %d", name, rows (A));
  endif
endfunction

function [A, B, R] = operands (n)
  A = rand (n) - 0.5;
  B = rand (n) - 0.5;
  R = A * B;
endfunction

## The seconds that each step of d.seconds may take, cumulated: two runs of a kernel and at least
## 0.1 s (see fastest), by 1 GFLOPS on the CPU and 4 TFLOPS on a GPU.
function work = expected_work (d)
  rate = {1e9, 4e12}{1 + strcmp(d.backend, "gpu")};
  work = cumsum ((ones (rows (d.seconds), 1) * max (0.1, 4 * d.sizes .^ 3 / rate))(:));
endfunction

## d.seconds of the kernels alone, at all sizes.
function d = measure_kernels (d)
  work = expected_work (d);
  __progress__ (0, work(end));
  for j = 1:numel (d.sizes)
    [A, B, R] = operands (d.sizes(j));
    for i = 1:numel (d.kernels)
      if (! strcmp (d.kernels{i}, "loops") || d.sizes(j) <= 1024)
        d.seconds(i,j) = time_kernel (d.kernels{i}, A, B, R, d.backend);
      endif
      __progress__ (work(i + (j - 1) * numel (d.kernels)), work(end));
    endfor
  endfor
endfunction

function d = measure_rates (o)
  o = defaults (o, [16, 32, 64, 96, 128, 192, 256], 2 .^ (7:12), ...
                {"*", "loops", "naive", "tiled", "register"});
  d = measure_kernels (new_data (o));
  d.gflops = 2e-9 * o.sizes .^ 3 ./ d.seconds;
endfunction

function d = measure_blocks (o)
  k = gpumm_info ().kernels;
  k = k(strcmp ({k.algorithm}, "tiled") & cellfun (@isempty, strfind ({k.name}, "unpadded")));
  o = defaults (o, [32, 33, 64, 96, 128], [256, 512, 1000, 1024], {k.name});
  d = new_data (o);
  [there, at] = ismember (o.kernels, {k.name});
  demand (all (there), "Kernels must be tiled kernels: %s", strjoin ({k.name}, ", "));
  d.tiles = [k(at).tile_m];
  d = measure_kernels (d);
endfunction

function d = measure_strassen (o)
  if (! any (strcmp (gpumm_info ().algorithms, "strassen")))
    error ("gpumm:unsupported", ["gpumm_plot: this build has no algorithm strassen; " ...
                                 "gpumm_info () lists the algorithms"]);
  endif
  o = defaults (o, [64, 96, 128, 192, 256, 384, 512], 2 .^ (9:13), ...
                {"tiled", "register", "strassen_register_1", "strassen_register_2"});
  demand (any (strcmp (o.kernels, "register")), ...
          "Kernels must have \"register\", which strassen is built on");
  d = new_data (o);
  base = strcmp (o.kernels, "register");
  d.ahead = false (1, numel (o.sizes));
  work = expected_work (d)(numel (o.kernels):numel (o.kernels):end);
  __progress__ (0, work(end));
  for j = 1:numel (o.sizes)
    [A, B, R] = operands (o.sizes(j));
    seconds = kernels_in_turn (o.kernels, A, B, R, o.backend);
    d.seconds(:,j) = min (seconds, [], 2);
    d.ahead(j) = any (is_faster (seconds(strncmp (o.kernels, "strassen", 8),:), seconds(base,:)));
    __progress__ (work(j), work(end));
  endfor
  d.ratio = d.seconds(base,:) ./ d.seconds;
  d.crossover = o.sizes(min ([find(! d.ahead, 1, "last") + 1, numel(o.sizes) + 1]):end);
  d.crossover = [d.crossover, NaN](1); # the size from which it is ahead at all sizes measured
endfunction

## Seconds of all runs, a column for each turn: of 3 turns at least, up to 7 in a second.
function seconds = kernels_in_turn (kernels, A, B, R, backend)
  seconds = zeros (numel (kernels), 0);
  begun = tic ();
  do
    turn = columns (seconds) + 1;
    for i = 1:numel (kernels)
      [C, seconds(i,turn)] = kernel_product (kernels{i}, A, B, backend);
      if (turn == 1)
        check (kernels{i}, C, A, B, R);
      endif
    endfor
  until (turn == 7 || (turn >= 3 && toc (begun) > 1))
endfunction

## Whether a kernel, a row of mine, is faster by more than chance: each of its turns, but for one of
## five, takes less than 0.98 of the fastest turn of the other.
function yes = is_faster (mine, other)
  mine = sort (mine, 2);
  yes = mine(:,end - floor (columns (mine) / 5)) < 0.98 * min (other);
endfunction

function d = measure_roofline (o)
  o = defaults (o, 128, 2048, {"naive", "tiled_8", "tiled_16", "tiled_32", "register_32x32x4", ...
                               "register_64x64x8"});
  d = new_data (o);
  d.sizes = o.sizes(end);
  d.seconds = NaN (numel (o.kernels), 1);
  d.ceilings = o.ceilings;
  all = 2 * numel (o.kernels) + 1;
  __progress__ (0, all);
  if (isempty (o.ceilings))
    d.ceilings = measure_ceilings (o.backend);
  endif
  __progress__ (1, all);
  [A, B, R] = operands (d.sizes);
  for i = 1:numel (o.kernels)
    d.intensity(i,1) = intensity (o.kernels{i}, d.sizes);
    __progress__ (2 * i, all);
    d.seconds(i) = time_kernel (o.kernels{i}, A, B, R, o.backend);
    __progress__ (2 * i + 1, all);
  endfor
  d.gflops = 2e-9 * d.sizes ^ 3 ./ d.seconds;
endfunction

## Operations for each byte at size n.  Counting takes long, so that of sizes above 64 it is done at
## 64: the sectors that are loaded go with n^3, those that are stored with n^2.
function x = intensity (kernel, n)
  most = 64;
  P = ones (min (n, most));
  [~, t] = gpumm_kernel (kernel, P, P, "Backend", "cpu");
  times = n / rows (P);
  x = t.flops.done * times ^ 3 ...
      / (32 * (t.load.total.sectors * times ^ 3 + t.store.total.sectors * times ^ 2));
endfunction

## [GFLOPS, GB/s]: of a product that computes, and of one that does little but read A.
function c = measure_ceilings (backend)
  if (strcmp (backend, "gpu"))
    [m, n, name] = {8192, 4096, "cublas"}{:};
  else
    [m, n, name] = {4096, 512, "*"}{:};
  endif
  [A, B, R] = operands (n);
  c(1) = 2e-9 * n ^ 3 / time_kernel (name, A, B, R, backend);
  A = rand (m);
  x = rand (m, 1);
  c(2) = 8e-9 * m ^ 2 / time_kernel (name, A, x, A * x, backend);
endfunction

## ---- drawing ------------------------------------------------------------------------------------

## Okabe and Ito's colours, which the colour-blind tell apart, and a marker beside each.
function [colour, marker] = style (i)
  colours = [0 114 178; 213 94 0; 0 158 115; 204 121 167; 230 159 0; 86 180 233; 0 0 0] / 255;
  colour = colours(mod (i - 1, rows (colours)) + 1,:);
  marker = "os^dvph"(mod (i - 1, 7) + 1);
endfunction

## Where curves go, beside them the legend, which a toolkit's own would move.
function a = main_axes ()
  a = axes ("position", [0.13, 0.15, 0.6, 0.7], "fontsize", 13);
  hold (a, "on");
endfunction

## One line of the legend for each name: kinds are "line", "marker", or "black" for a line without a
## marker; of the colours and markers in styles.
function draw_legend (names, kinds, styles)
  a = axes ("position", [0.75, 0.15, 0.24, 0.7], "visible", "off");
  hold on;
  for i = 1:numel (names)
    [colour, marker] = style (styles(i));
    y = 1 - 0.07 * i;
    switch (kinds{i})
      case "line"
        plot ([0, 0.12], [y, y], "-", "color", colour, "linewidth", 1.5);
        plot (0.06, y, marker, "color", colour, "markerfacecolor", colour, "markersize", 6);
      case "marker"
        plot (0.06, y, marker, "color", colour, "markerfacecolor", colour, "markersize", 9);
      case "black"
        plot ([0, 0.12], [y, y], "k-", "linewidth", 1.5);
    endswitch
    text (0.16, y, __drawn_text__ (names{i}), "fontsize", 12, "interpreter", "none");
  endfor
  axis ([0, 1, 0, 1]);
endfunction

## A line for each row of Y over x, both axes logarithmic.
function a = draw_lines (x, Y, names)
  a = main_axes ();
  for i = 1:rows (Y)
    [colour, marker] = style (i);
    plot (x, Y(i,:), [marker "-"], "color", colour, "markerfacecolor", colour, ...
          "markersize", 6, "linewidth", 1.5);
  endfor
  y = Y(isfinite (Y) & Y > 0);
  log_axes (a);
  axis ([min(x) / 1.15, max(x) * 1.15, min(y) / 2, max(y) * 2]);
  tick_x (x);
  draw_legend (names, repmat ({"line"}, 1, rows (Y)), 1:rows (Y));
  axes (a);
endfunction

function log_axes (a)
  set (a, "xscale", "log", "yscale", "log", "xgrid", "on", "ygrid", "on", "box", "on", ...
       "xminortick", "off", "xminorgrid", "off", "yminorgrid", "off");
endfunction

function tick_x (x)
  set (gca (), "xtick", x, "xticklabel", arrayfun (@num2str, x, "UniformOutput", false));
endfunction

function labels (x, y, text, d)
  place = d.device;
  if (strcmp (d.backend, "cpu"))
    place = "CPU, kernels for study";
  endif
  xlabel (x, "fontsize", 13);
  ylabel (y, "fontsize", 13);
  newline = {"\n", '\n'}{1 + strcmp(get (gcf (), "__graphics_toolkit__"), "gnuplot")};
  title ([__drawn_text__(text), newline, __drawn_text__(place)], "fontsize", 13, ...
         "fontweight", "normal", "interpreter", "none");
endfunction

function draw_rates (d)
  draw_lines (d.sizes, d.gflops, d.kernels);
  labels ("n of n x n matrices, double", "GFLOPS: 2 n^3 / time of the kernel alone", ...
          "Rate by size", d);
endfunction

function draw_blocks (d)
  [tiles, order] = sort (d.tiles);
  names = arrayfun (@(n) sprintf ("n = %d", n), d.sizes, "UniformOutput", false);
  draw_lines (tiles, 1e3 * d.seconds(order,:).', names);
  labels ("width of a tile and of a block of threads", "milliseconds of the kernel alone", ...
          "Time by block size, tiled kernels, double", d);
endfunction

function draw_strassen (d)
  draw_lines (d.sizes, d.ratio, d.kernels);
  low = min (d.ratio(:)) / 1.3;
  high = max (d.ratio(:)) * 1.3;
  axis ([xlim(), low, high]);
  ticks = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3];
  ticks = ticks(ticks > low & ticks < high);
  set (gca (), "ytick", ticks, "yticklabel", arrayfun (@num2str, ticks, "UniformOutput", false));
  said = sprintf ("no crossover up to n = %d", d.sizes(end));
  if (! isnan (d.crossover))
    said = sprintf ("crossover at n = %d", d.crossover);
    plot (d.crossover([1, 1]), [low, high], "k--");
  endif
  labels ("n of n x n matrices, double", "time of register / time (above 1: faster)", ...
          ["Strassen against the block algorithm: " said], d);
endfunction

function draw_roofline (d)
  peak = d.ceilings(1);
  rate = d.ceilings(2);
  x = sort ([min(d.intensity) / 3, max(d.intensity) * 3, peak / rate * [1, 3]]);
  a = main_axes ();
  plot (x, min (peak, rate * x), "k-", "linewidth", 1.5);
  for i = 1:numel (d.intensity)
    [colour, marker] = style (i);
    plot (d.intensity(i), d.gflops(i), marker, "color", colour, "markerfacecolor", colour, ...
          "markersize", 9);
  endfor
  log_axes (a);
  axis ([x(1), x(end), min([d.gflops(:); rate * x(1)]) / 2, 2 * max([peak; d.gflops(:)])]);
  labels ("operations for each byte of global memory, as counted", "GFLOPS", ...
          sprintf ("Roofline, n = %d, double: %s, %s", d.sizes, with_unit (peak, "FLOPS"), ...
                   with_unit (rate, "B/s")), d);
  count = numel (d.kernels);
  draw_legend (["ceilings", d.kernels], ["black", repmat({"marker"}, 1, count)], ...
               [1, 1:count]);
endfunction

## A rate in 10^9 or, from 1000 of these on, in 10^12.
function s = with_unit (rate, unit)
  if (rate < 1000)
    s = sprintf ("%.3g G%s", rate, unit);
  else
    s = sprintf ("%.3g T%s", rate / 1000, unit);
  endif
endfunction

%!error <Invalid call> gpumm_plot ()
%!error id=gpumm:bad-value gpumm_plot ("pie")
%!error <"rates", "block size", "strassen"> gpumm_plot (3)
%!error id=gpumm:unknown-option gpumm_plot ("rates", "Size", 3)
%!error id=gpumm:missing-value gpumm_plot ("rates", "Sizes")
%!error id=gpumm:bad-value gpumm_plot ("rates", "Sizes", 0)
%!error id=gpumm:bad-value gpumm_plot ("rates", "Kernels", "tiled")
%!error id=gpumm:bad-value gpumm_plot ("rates", "File", "figure.doc")
%!error id=gpumm:bad-value gpumm_plot ("rates", "Data", struct ("what", "stages"))
%!error id=gpumm:bad-value gpumm_plot ("rates", "Data", struct ("what", "rates"))
%!error id=gpumm:bad-value gpumm_plot ("roofline", "Ceilings", 3)
%!error id=gpumm:bad-value gpumm_plot ("block size", "Kernels", {"naive"}, "Sizes", 8)
%!error <"stages" was removed; write .* info.seconds> gpumm_plot ("stages")
%!error <"pattern" was removed; write spy> gpumm_plot ("pattern", "A", 1)
%!error <"speedup" was removed; write .* info.seconds.total> gpumm_plot ("speedup", "Sizes", 16)

## plot_blocks.m - draws the results of bench_blocks: the time of each kernel by size.
##
##   octave-cli --no-history --norc bench/plot_blocks.m FILE.csv FIGURE.png
##
## Each block size has a panel: milliseconds by n, of each kernel on the device alone, and of the
## engine from host blocks to host blocks.  All cases in FILE.csv must have the same share of
## blocks.  Needs gnuplot but no display.  The colours are Okabe and Ito's, which colour-blind
## readers can distinguish.
## SPDX-License-Identifier: BSD-3-Clause
1;

addpath (fileparts (mfilename ("fullpath")));

arguments = argv ();
[device, rows] = read_results (arguments{1}, "n", "%f %f %f %f %f %f %s %s %f %f %f %f %f");
[n, m, blocks] = rows{1:3};
kernel = rows{7};
ms = rows{11};
kernels = {"classic_one", "classic_search", "classic", "blocks_strips", "blocks_slices", "engine"};
titles = {"one block a launch", "binary search", "classic: merging", "strips in shared memory", ...
          "as full matrices, in 8 bits", "gpumm, from host to host"};
colours = {"#999999", "#E69F00", "#56B4E9", "#0072B2", "#CC79A7", "#D55E00"};
points = [4, 6, 8, 7, 9, 5];
edges = unique (m).';
share = 100 * blocks(1) / (n(1) / m(1)) ^ 2;

script = sprintf (["set terminal pngcairo size 1200,540 font 'Sans,13' lw 1.5\nset output %s\n" ...
                   "set multiplot layout 1,%d title \"Blocks of uint16, %.2g %% of them stored, " ...
                   "%s\"\n" ...
                   "set grid back lc rgb '#DDDDDD' lt 1 lw 0.6\nset border 3\n" ...
                   "set tics nomirror out\nset logscale xy\nset format y '%%g'\n" ...
                   "set xtics (8192, 16384, 32768)\nset xrange [7300:37000]\n" ...
                   "set xlabel 'n (n x n elements)'\nset ylabel 'milliseconds'\n" ...
                   "set yrange [%g:%g]\nset key top left samplen 2.5 Left reverse\n"], ...
                  quoted (arguments{2}), numel (edges), share, device, 0.5 * min (ms), 60 * max (ms));
for edge = edges
  plots = {};
  for k = 1:numel (kernels)
    own = find (m == edge & strcmp (kernel, kernels{k}));
    if (isempty (own))
      continue;
    endif
    [~, order] = sort (n(own));
    own = own(order);
    name = sprintf ("$%s_%d", kernels{k}, edge);
    script = [script, name, " << EOD\n", sprintf("%g %g\n", [n(own), ms(own)].'), "EOD\n"];
    plots{end+1} = sprintf ("%s with linespoints lc rgb '%s' pt %d ps 1.2 title '%s'", name, ...
                            colours{k}, points(k), titles{k});
  endfor
  script = [script, sprintf("set title 'blocks of %d x %d'\n", edge, edge), "plot ", ...
            strjoin(plots, ", "), "\n"];
endfor

draw (script);

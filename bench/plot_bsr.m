## plot_bsr.m - draws the results of bench_bsr by patterns: the rate of each kernel by size.
##
##   octave-cli --no-history --norc bench/plot_bsr.m FILE.csv FIGURE.png
##
## Each pattern of blocks has a panel: GFLOPS by the side of the blocks, of each kernel on the
## device alone.  If FILE.csv has several rows for one point, the last one counts.  Kernels that
## gpumm no longer has, those not listed below, are thin and dashed.  Needs gnuplot but no display.
## The colours are Okabe and Ito's, which colour-blind readers can distinguish.
## SPDX-License-Identifier: BSD-3-Clause
1;

addpath (fileparts (mfilename ("fullpath")));

arguments = argv ();
[device, rows] = read_results (arguments{1}, "family", "%s %s %s %f %f %f %f %f %f %f %f %f %f %s");
[~, kernel, ~, side, ~, ~, ~, pairs, blocks, ~, ~, gflops, ~, pattern] = rows{:};
patterns = {"random", "near4", "near16", "band10", "band40", "mesh"};
names = {"40 random blocks a row", "40 blocks a row near the diagonal", ...
         "48 blocks a row near the diagonal", "band of 10 blocks a row", ...
         "band of 40 blocks a row", "mesh, 27 blocks a row"};
kernels = {"bsr_register", "bsr_tensor_small", "bsr_tensor_bulk", "bsr_tensor"};
gone = setdiff (kernel, kernels).';
is_gone = [false(size (kernels)), true(size (gone))];
kernels = [kernels, gone];
colours = {"#999999", "#E69F00", "#0072B2", "#D55E00", "#009E73", "#CC79A7"};
points = [4, 9, 7, 5, 8, 6];

legend = cell (size (kernels));
script = sprintf (["set terminal pngcairo size 1200,900 font 'Sans,12' lw 1.5\nset output %s\n" ...
                   "set multiplot layout 2,3 margins 0.09,0.985,0.15,0.89 spacing 0.06,0.125 " ...
                   "title \"Products of matrices in blocks, double, kernels alone, %s\"\n" ...
                   "set grid back lc rgb '#DDDDDD' lt 1 lw 0.6\nset border 3\n" ...
                   "set tics nomirror out\nset logscale xy\nset format y '%%g'\n" ...
                   "set xtics (2, 4, 8, 16, 32, 64)\nset xrange [1.8:72]\n" ...
                   "set yrange [50:50000]\n"], quoted (arguments{2}), device);
for p = 1:numel (patterns)
  of_pattern = strcmp (pattern, patterns{p});
  lines = {};
  for k = [find(is_gone), find(! is_gone)] # the others are drawn over those that are gone
    own = find (of_pattern & strcmp (kernel, kernels{k}));
    [sides, last] = unique (side(own), "last");
    if (isempty (own))
      continue;
    endif
    style = sprintf ("with linespoints lc rgb '%s' pt %d %s", colours{k}, points(k), ...
                     {"ps 1.1", "dt (8,5) lw 0.8 ps 0.9"}{1 + is_gone(k)});
    name = sprintf ("$%s_%s", kernels{k}, patterns{p});
    script = [script, name, " << EOD\n", sprintf("%g %g\n", [sides, gflops(own(last))].'), "EOD\n"];
    lines{end+1} = sprintf ("%s %s notitle", name, style);
    legend{k} = sprintf ("NaN %s title '%s%s'", style, kernels{k}, {"", " (gone)"}{1 + is_gone(k)});
  endfor
  script = [script, sprintf("set title \"%s\\n%.1f products for a block of C\"\n", names{p}, ...
                            median (pairs(of_pattern) ./ blocks(of_pattern))), ...
            sprintf("set xlabel '%s'\n", {"", "side of the blocks"}{1 + (p > 3)}), ...
            sprintf("set ylabel '%s'\n", {"", "GFLOPS"}{1 + (mod (p, 3) == 1)}), ...
            "plot ", strjoin(lines, ", "), "\n"];
endfor

## The legend is a plot without axes below the panels.
draw ([script, "unset title\nunset xlabel\nunset ylabel\nunset border\n", ...
       "unset tics\nunset grid\nset margins 0, 0, 0, 0\nset origin 0, 0\nset size 1, 0.085\n", ...
       "set key center center horizontal maxcols 3 samplen 3 width 2 Left reverse noenhanced\n", ...
       "plot ", strjoin(legend, ", "), "\nunset multiplot\n"]);

## plot_strassen.m - draws the results of bench_strassen: speedup over the base kernel.
##
##   octave-cli --no-history --norc bench/plot_strassen.m FILE.csv FIGURE.png
##
## Each base and type has a panel with the speedup by size and depth.  The dotted line is the
## crossover: from this size on, at each measured size some depth is faster than the base.  The
## program also prints the best depth at each size.  Needs gnuplot but no display.  The colours are
## Okabe and Ito's, which colour-blind readers can distinguish.
## SPDX-License-Identifier: BSD-3-Clause
1;

addpath (fileparts (mfilename ("fullpath")));

DEPTHS = 4;

arguments = argv ();
[device, rows] = read_results (arguments{1}, "type", "%s %f %s %f %s %f %f %f %f %f");
[type, n, base, depth, ~, seconds] = rows{1:6};
bases = {"register", "cublas"};
types = {"s", "d", "c", "z"};
names = {"single", "double", "single complex", "double complex"};
present = find (ismember (types, type));
colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7"};
points = [5, 7, 9, 11];

script = sprintf (["set terminal pngcairo size 1200,%d font 'Sans,13' lw 1.5\nset output %s\n" ...
                   "set multiplot layout %d,2 title \"Strassen's algorithm (Winograd's form): " ...
                   "speedup over its base kernel, %s\"\n" ...
                   "set grid back lc rgb '#DDDDDD' lt 1 lw 0.6\nset border 3\n" ...
                   "set tics nomirror out\nset logscale x 2\nset xrange [460:18000]\n" ...
                   "set xtics (512, 1024, 2048, 4096, 8192, 16384)\nset yrange [0:1.6]\n" ...
                   "set ytics 0.25\nset xlabel 'n (n x n matrices)'\n" ...
                   "set key top left samplen 2.5 Left reverse\n"], ...
                  60 + 420 * numel (present), quoted (arguments{2}), numel (present), device);
for t = present
  for b = bases
    own = strcmp (type, types{t}) & strcmp (base, b{1});
    sizes = unique (n(own & depth == 0));
    speedup = NaN (numel (sizes), DEPTHS);
    plots = {"1 with lines lc rgb 'black' lw 1.2 notitle"};
    for d = 1:DEPTHS
      for i = 1:numel (sizes)
        plain = seconds(own & n == sizes(i) & depth == 0);
        deep = seconds(own & n == sizes(i) & depth == d);
        if (! isempty (deep))
          speedup(i,d) = plain / deep;
        endif
      endfor
      measured = ! isnan (speedup(:,d));
      name = sprintf ("$%s_%s_%d", b{1}, types{t}, d);
      script = [script, name, " << EOD\n", ...
                sprintf("%g %g\n", [sizes(measured), speedup(measured,d)].'), "EOD\n"];
      plots{end+1} = sprintf ("%s with linespoints lc rgb '%s' pt %d ps 1.2 title 'depth %d'", ...
                              name, colours{d}, points(d), d);
    endfor
    [best, best_depth] = max (speedup, [], 2);
    printf ("%s over %s:", names{t}, b{1});
    printf (" n = %d: %.3f at depth %d;", [sizes, best, best_depth].');
    printf ("\n");
    script = [script, "unset arrow\n"];
    first = max ([0; find(best <= 1)]) + 1;
    if (first <= numel (sizes))
      script = [script, sprintf("set arrow from %d,0 to %d,1.6 nohead dt 3 lw 2\n", ...
                                sizes(first), sizes(first))];
      crossover = sprintf ("crossover at %d", sizes(first));
    else
      crossover = "no crossover";
    endif
    script = [script, sprintf("set title '%s, over %s: %s'\n", names{t}, b{1}, crossover), ...
              sprintf("set ylabel 'speedup over %s alone'\n", b{1}), ...
              "plot ", strjoin(plots, ", "), "\n"];
  endfor
endfor

draw (script);

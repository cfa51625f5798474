## replaced.m - what it costs that gpumm replaces built-in functions of Octave while it is loaded:
## zeros and the others that take "gpuArray" and "like", any and all.
##
##   octave-cli --norc bench/replaced.m PACKAGE [ROUNDS] >bench/results/CPU/replaced.csv
##
## PACKAGE is build/package.  Each loop of 10^5 scalar calls runs by Octave's own function and by the
## one in its place in turn, ROUNDS times (11) each.  The times are those of the CPU, medians in
## nanoseconds of a call, which the loop's own are part of.
## SPDX-License-Identifier: BSD-3-Clause
1;

function seconds = of_loop (call)
  text = sprintf ("for i = 1:1e5, %s; end", call);
  begun = cputime ();
  eval (text);
  seconds = cputime () - begun;
endfunction

arguments = argv ();
addpath (arguments{1});
rounds = 11;
if (numel (arguments) > 1)
  rounds = str2double (arguments{2});
endif

printf ("# octave-cli --norc bench/replaced.m build/package %d (Octave %s)\n", rounds, version ());
printf ("call,octave_ns,gpumm_ns,ratio\n");
for call = {"zeros (3)", "ones (3)", "eye (3)", "Inf (3)", "inf ()", "NaN (2)", "nan ()", "NA ()", ...
            "true (2)", "false ()", "rand ()", "randn ()", "rande ()", "randperm (3)", ...
            "linspace (0, 1, 3)", "colon (1, 3)", "any (1)", "all (1)"}
  seconds = zeros (rounds, 2);
  for round = 1:rounds
    for is_replaced = [false, true](randperm (2))
      __gpumm_made_there__ (is_replaced);
      seconds(round,1+is_replaced) = of_loop (call{1});
    endfor
  endfor
  ns = median (seconds) * 1e4;
  printf ("%s,%.1f,%.1f,%.3f\n", ["\"" call{1} "\""], ns, ns(2) / ns(1));
endfor

## bench_sparse.m - A * A of random sparse matrices, from host array to host array.
##
##   octave --path octave --path build/package bench/bench_sparse.m >FILE.csv
##
## n x n with so many random elements a column; gpumm by Backend "gpu" (the median of some calls after
## a first), by Backend "cpu" and, up to 20000, Octave's `*`.  Milliseconds.  Each result is
## checked with a random vector before it is timed.  The sizes below 20000 are for the crossover, the
## last row is the one that fills memory: 755 million nonzeros, 12 GB.
##
## SPDX-License-Identifier: BSD-3-Clause
1; # a script

function A = random_columns (n, each)
  A = sparse (randi (n, n * each, 1), repmat ((1:n)', each, 1), rand (n * each, 1) - 0.5, n, n);
endfunction

function check (C, A)
  x = rand (columns (A), 1) - 0.5;
  y = A * (A * x);
  assert (C * x, y, 1e-10 * norm (abs (A) * (abs (A) * abs (x)), Inf));
endfunction

function [seconds, info] = time_of (multiply, repeats)
  seconds = zeros (1, repeats);
  for i = 1:repeats
    clear C
    tic;
    [C, info] = multiply ();
    seconds(i) = toc;
  endfor
endfunction

function row (n, each, repeats, octave_too)
  A = random_columns (n, each);
  on = @(where) @() gpumm (A, A, "Backend", where);
  [C, info] = on ("gpu") ();
  check (C, A);
  nonzeros = nnz (C);
  clear C
  gpu = time_of (on ("gpu"), repeats);
  cpu = octave_s = NaN;
  if (nonzeros < 1e8)
    cpu = time_of (on ("cpu"), 3);
  endif
  if (octave_too)
    octave_s = time_of (@() deal (A * A, []), 3);
  endif
  s = info.seconds;
  printf ("%d,%d,%d,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", n, each, nonzeros, info.backend, ...
          1e3 * median (gpu), 1e3 * min (gpu), 1e3 * s.upload, 1e3 * s.compute, 1e3 * s.download, ...
          1e3 * median (cpu), 1e3 * median (octave_s));
endfunction

rand ("twister", 1);
printf ("n,a_column,nonzeros,backend,gpumm,gpumm_least,upload,compute,download,gpumm_cpu,octave\n");
for n = [200, 500, 1000, 2000, 5000, 10000, 20000]
  row (n, 8, 7, true);
endfor
row (5000, 40, 5, true);
row (200000, 16, 5, false);
row (1000000, 8, 5, false);
row (32768, 200, 2, false);

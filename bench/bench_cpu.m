## bench_cpu.m - compares gpumm on the CPU with `*`.
##
##   CUDA_VISIBLE_DEVICES= octave-cli --no-history --path octave --path build/package \
##     bench/bench_cpu.m FILE.csv
##
## It calls gpumm (A, B) as a user does, on a machine without a GPU or with the GPU hidden.  gpumm
## must not be slower than A*B by more than the cost of a call.  gpumm and `*` take turns; times are
## medians of 7, in milliseconds, on random data.  The results are compared first.
## SPDX-License-Identifier: BSD-3-Clause
1;

addpath (fileparts (mfilename ("fullpath")));

function compare (file, name, A, B)
  C = gpumm (A, B);
  R = A * B;
  assert (norm (C - R, 1) <= 1e-5 * norm (R, 1));
  clear C R
  ## run small products more often, because other work on the machine disturbs them
  tic ();
  A * B;
  repeats = min (max (7, floor (0.02 / toc ())), 201);
  own = octave = zeros (1, repeats);
  for i = 1:repeats
    octave(i) = measure (@() A * B, 1);
    own(i) = measure (@() gpumm (A, B), 1);
  endfor
  own = 1e3 * median (own);
  octave = 1e3 * median (octave);
  fprintf (file, "%s,%.4f,%.4f,%.2f\n", name, octave, own, own / octave);
  printf ("%-28s * %10.4f ms, gpumm %10.4f ms, ratio %.2f\n", name, octave, own, own / octave);
endfunction

function A = random_columns (n, each)
  A = sparse (randi (n, n * each, 1), repmat ((1:n)', each, 1), rand (n * each, 1) - 0.5, n, n);
endfunction

file = fopen (argv (){1}, "w");
about = gpumm_info ();
fprintf (file, "# bench/bench_cpu.m; %d cores; gpumm %s (%s)\n", nproc (), about.version, ...
         about.build);
fprintf (file, "case,octave_ms,gpumm_ms,ratio\n");
rand ("twister", 1);
for n = [2, 10, 30, 100, 200, 300, 500, 1000, 2000, 4000]
  compare (file, sprintf ("double %d", n), rand (n) - 0.5, rand (n) - 0.5);
endfor
A = rand (2000) - 0.5;
compare (file, "matrix by vector 2000", A, rand (2000, 1));
compare (file, "vector by matrix 2000", rand (1, 2000), A);
compare (file, "column by row 2000", rand (2000, 1), rand (1, 2000));
compare (file, "row by column 1e6", rand (1, 1e6), rand (1e6, 1));
compare (file, "A by A' 2000", A, A');
compare (file, "single 2000", single (A), single (A));
compare (file, "complex 1000", complex (rand (1000), rand (1000)), complex (rand (1000), 1));
compare (file, "real by complex 1000", rand (1000), complex (rand (1000), rand (1000)));
compare (file, "complex by real 1000", complex (rand (1000), rand (1000)), rand (1000));
S = sprand (50000, 50000, 3e-4);
T = sprand (50000, 50000, 3e-4);
compare (file, "sparse by sparse 50000", S, T);
compare (file, "sparse by full 64 columns", S, rand (50000, 64));
compare (file, "full 64 rows by sparse", rand (64, 50000), S);
compare (file, "sparse by vector", S, rand (50000, 1));
compare (file, "vector by sparse", rand (1, 50000), S);
compare (file, "sparse complex by sparse", S * (1 + 2i), T);
for n = [50, 100, 200, 300, 500, 1000]
  S = random_columns (n, 8);
  compare (file, sprintf ("sparse %d of 8 a column", n), S, S);
endfor
for other = [1, 4, 16, 64] # S is now 1000 x 1000
  compare (file, sprintf ("sparse by %d columns", other), S, rand (1000, other));
  compare (file, sprintf ("%d rows by sparse", other), rand (other, 1000), S);
endfor
S = random_columns (5000, 8);
for other = [1, 2, 3, 4, 16, 64, 200]
  compare (file, sprintf ("%d rows by sparse 5000", other), rand (other, 5000), S);
  compare (file, sprintf ("%d complex rows by sparse 5000", other),
           complex (rand (other, 5000), 1), S);
endfor
S = sprand (20000, 5, 0.1);
compare (file, "row by 5 sparse columns", rand (1, 20000), S);
compare (file, "300 rows by 5 sparse columns", rand (300, 20000), S);
fclose (file);

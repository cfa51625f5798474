## bench_mix.m - one product of each kind, from host to host, to compare two versions of gpumm.
##
##   for i in 1 2 3; do
##     octave-cli --norc bench/bench_mix.m OLD/package OLD/octave
##     octave-cli --norc bench/bench_mix.m build/package octave
##   done
##
## Each process prints a name and the median time of its calls in ms (the first in us) per line.
## Compare medians over processes that run in turn; needs a GPU.
## SPDX-License-Identifier: BSD-3-Clause
1;

function t = median_time (call, repeats)
  call ();
  for k = 1:repeats
    started = tic ();
    C = call ();
    t(k) = toc (started);
    clear C;
  endfor
  t = median (t);
endfunction

function report (name, call, repeats)
  printf ("%s %.3f\n", name, 1e3 * median_time (call, repeats));
endfunction

folders = argv ();
addpath (folders{:});
rand ("twister", 1);
randn ("twister", 1);

A = rand (2);
started = tic ();
for k = 1:20000
  gpumm (A, A);
endfor
printf ("2x2_us %.2f\n", 1e6 * toc (started) / 20000);
for n = [256, 512, 1024, 2048, 4096, 8192]
  A = rand (n);
  report (sprintf ("double_%d", n), @() gpumm (A, A), 9 + 6 * (n < 2000) - 4 * (n > 5000));
endfor
A = single (rand (4096));
report ("single_4096", @() gpumm (A, A), 9);
A = complex (rand (2048), rand (2048));
report ("complex_2048", @() gpumm (A, A), 9);
A = rand (3000);
report ("A'*A_3000", @() gpumm (A, A, "TransposeA", "transpose"), 9);

S = sprand (200000, 200000, 16 / 200000);
X = rand (200000, 64);
report ("spgemm", @() gpumm (S, S, "Backend", "gpu"), 7);
report ("spmm", @() gpumm (S, X, "Backend", "gpu"), 7);
report ("spmm_transposed", @() gpumm (S, X, "Backend", "gpu", "TransposeA", "transpose"), 7);

n = 2000;
places = unique (ceil (n * rand (40000, 2)), "rows");
D = blocksparse (places(:,1), places(:,2), randn (9, 9, rows (places)), 9 * n, 9 * n);
report ("blocks_9x9", @() gpumm (D, D, "Backend", "gpu"), 7);
U = blocksparse (places(:,1), places(:,2), uint16 (ceil (9 * rand (8, 8, rows (places)))), 8 * n, 8 * n);
report ("uint16_8x8", @() gpumm (U, U, "Backend", "gpu", "OutputClass", "uint32"), 7);
report ("spgemm_cpu", @() gpumm (S, S, "Backend", "cpu"), 3);
report ("blocks_9x9_cpu", @() gpumm (D, D, "Backend", "cpu"), 3);

## bench_gpuarray.m - times programs of arrays that stay on the GPU; bench/peers_arrays.py is CuPy doing
## the same.
##
##   octave-cli --no-history --path octave --path build/package bench/bench_gpuarray.m FILE.csv
##   python3 bench/peers_arrays.py FILE.csv
##
## Both append to the file.  Random matrices of double; times are medians of 7 in milliseconds, after one run
## that is not counted, each with a wait at its end.  The results are compared with the host's first, at
## a smaller size.
## SPDX-License-Identifier: BSD-3-Clause
1;

## Steps towards the orthogonal matrix that is nearest.
function X = newton_schulz (X, steps)
  for i = 1:steps
    X = 1.5 * X - 0.5 * (X * (X' * X));
  endfor
endfunction

function X = chain (X, Y, count)
  for i = 1:count
    X = X * Y;
  endfor
endfunction

function x = added (x, count)
  for i = 1:count
    x = x + 1;
  endfor
endfunction

function report (file, work, run)
  device = gpuDevice ();
  ms = zeros (1, 7);
  run ();
  wait (device);
  for i = 1:7
    begun = tic ();
    C = run ();
    wait (device);
    ms(i) = 1e3 * toc (begun);
    clear C
  endfor
  fprintf (file, "%s,gpumm,%.4f,%.4f,%.4f\n", work, median (ms), min (ms), max (ms));
  printf ("%-40s gpumm %9.4f ms (%.4f to %.4f)\n", work, median (ms), min (ms), max (ms));
endfunction

rand ("twister", 1);
file = fopen (argv (){end}, "a");

A = rand (200) / 200;
assert (gather (newton_schulz (gpuArray (A), 5)), newton_schulz (A, 5), 1e-12);
A = rand (4096) / 4096;
report (file, "newton-schulz 4096 upload to gather", @() gather (newton_schulz (gpuArray (A), 5)));
G = gpuArray (A);
report (file, "newton-schulz 4096 resident", @() newton_schulz (G, 5));
report (file, "upload 4096", @() gpuArray (A));
report (file, "gather 4096", @() gather (G));
clear A G
G = gpuArray.rand (8192) / 8192;
report (file, "newton-schulz 8192 resident", @() newton_schulz (G, 5));
report (file, "product 8192 resident", @() G * G);
H = gpuArray.rand (8192);
K = gpuArray.rand (8192);
report (file, "G + 2 * H .* K 8192", @() G + 2 * H .* K);
report (file, "copy 8192", @() G + 0);
report (file, "sum 8192", @() sum (G));
report (file, "sum rows 8192", @() sum (G, 2));
report (file, "norm fro 8192", @() norm (G, "fro"));
report (file, "every second column 8192", @() G(:,1:2:end));
clear G H K
G = gpuArray (eye (64) + rand (64) / 100);
H = gpuArray (eye (64));
report (file, "chain of 1000 products 64", @() chain (G, H, 1000));
X = rand (64, 64, 2000);
Y = rand (64, 64, 2000);
Z = pagemtimes (gpuArray (X), gpuArray (Y));
assert (gather (Z(:,:,7)), X(:,:,7) * Y(:,:,7), 1e-12);
report (file, "pagemtimes 64x64x2000 host to host", @() pagemtimes (X, Y));
X = gpuArray (X);
Y = gpuArray (Y);
report (file, "pagemtimes 64x64x2000 resident", @() pagemtimes (X, Y));
x = gpuArray (1:10);
report (file, "1000 times x + 1", @() added (x, 1000));
fclose (file);

## bench_blas.m - times A*B, A\b, chol, inv, qr and expm of Octave itself, in milliseconds.
##
##   octave-cli --norc --path octave --path build/package bench/bench_blas.m [N...]
##
## Run it as it is for the BLAS of Octave, and with LD_PRELOAD=build/package/libgpumm_blas.so for the drop-in
## (or libnvblas.so with an NVBLAS_CONFIG_FILE). Columns: size, median of five times (qr: three, expm:
## one) after a run that is not counted, residual; for A*B also gpumm (A, B) if the drop-in is on.
## The last case is 1e5 products of 16 x 16.
##
## SPDX-License-Identifier: BSD-3-Clause

1;

function t = median_of (f, rounds = 5)
  t = zeros (1, rounds);
  f ();
  for i = 1:rounds
    begun = tic ();
    f ();
    t(i) = 1e3 * toc (begun);
  endfor
  t = median (t);
endfunction

function line (name, n, t, residual)
  printf ("%-10s %6d %10.2f ms   residual %.1e\n", name, n, t, residual);
  fflush (stdout);
endfunction

function [q, r] = run_qr (A)
  [q, r] = qr (A);
endfunction

function bench_blas (sizes)
  with_gpumm = gpumm_blas ().on;
  for n = sizes
    A = rand (n) - 0.5;
    B = rand (n) - 0.5;
    b = rand (n, 1);
    S = A*A' + n * eye (n);
    C = A*B;
    line ("A*B", n, median_of (@() A*B), norm (C*b - A*(B*b)) / norm (C*b));
    if (with_gpumm)
      line ("gpumm", n, median_of (@() gpumm (A, B)), 0);
    endif
    R = chol (S);
    line ("chol", n, median_of (@() chol (S)), norm (R'*(R*b) - S*b) / norm (S*b));
    x = A \ b;
    line ("A\\b", n, median_of (@() A \ b), norm (A*x - b) / norm (A, 1) / norm (x));
    X = inv (A);
    line ("inv", n, median_of (@() inv (A)), norm (A*(X*b) - b) / norm (X, 1) / norm (A*b));
    [Q, R] = run_qr (A);
    line ("qr", n, median_of (@() run_qr (A), 3), norm (Q*(R*b) - A*b) / norm (A*b));
  endfor
  A = (rand (max (sizes)) - 0.5) / 10;
  line ("expm", rows (A), median_of (@() expm (A), 1), 0);
  A = rand (16);
  begun = tic ();
  for i = 1:1e5
    C = A*A;
  endfor
  line ("1e5 A*B", 16, 1e3 * toc (begun), 0);
  if (with_gpumm)
    gpumm_blas ();
  endif
endfunction

rand ("seed", 1);
sizes = cellfun (@str2double, argv ().');
sizes = sizes(! isnan (sizes));
if (isempty (sizes))
  sizes = [1024, 2048, 4096, 8192];
endif
bench_blas (sizes);

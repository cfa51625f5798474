## bench_blas.m - times A*B, A\b, chol, inv, qr and expm of Octave itself, in milliseconds.
##
##   octave-cli --norc --path octave --path build/package bench/bench_blas.m [N or NAME...]
##
## Run it as it is for the BLAS of Octave, by ./setup octave --blas, which sets LD_PRELOAD and
## GLIBC_TUNABLES, for the drop-in, and with libnvblas.so and an NVBLAS_CONFIG_FILE for NVBLAS.  Names choose what is timed, in this order:
## "A*B" (with the drop-in also gpumm (A, B)), chol, det, "A\b", inv, qr, expm (of the largest size up to
## 4096), small (1e5 products of 16 x 16).  Columns: size, median of five times (from 8192 on three, expm
## one) after a run that is not counted, residual.
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

function bench_blas (sizes, names)
  with_gpumm = gpumm_blas ().on;
  times = @(name) isempty (names) || any (strcmp (name, names));
  for n = sizes
    rounds = 5 - 2 * (n >= 8192);
    A = rand (n) - 0.5;
    B = rand (n) - 0.5;
    b = rand (n, 1);
    if (times ("A*B"))
      C = A*B;
      line ("A*B", n, median_of (@() A*B, rounds), norm (C*b - A*(B*b)) / norm (C*b));
      if (with_gpumm)
        line ("gpumm", n, median_of (@() gpumm (A, B), rounds), 0);
      endif
    endif
    clear B C
    if (times ("chol"))
      S = A*A' + n * eye (n);
      R = chol (S);
      line ("chol", n, median_of (@() chol (S), rounds), norm (R'*(R*b) - S*b) / norm (S*b));
      clear S R
    endif
    if (times ("det"))
      line ("det", n, median_of (@() det (A), rounds), 0);
    endif
    if (times ("A\\b"))
      x = A \ b;
      line ("A\\b", n, median_of (@() A \ b, rounds), norm (A*x - b) / norm (A, 1) / norm (x));
    endif
    if (times ("inv"))
      X = inv (A);
      line ("inv", n, median_of (@() inv (A), rounds), norm (A*(X*b) - b) / norm (X, 1) / norm (A*b));
      clear X
    endif
    if (times ("qr"))
      [Q, R] = run_qr (A);
      line ("qr", n, median_of (@() run_qr (A), rounds), norm (Q*(R*b) - A*b) / norm (A*b));
      clear Q R
    endif
  endfor
  if (times ("expm"))
    A = (rand (min (max (sizes), 4096)) - 0.5) / 10;
    line ("expm", rows (A), median_of (@() expm (A), 1), 0);
  endif
  if (times ("small"))
    A = rand (16);
    begun = tic ();
    for i = 1:1e5
      C = A*A;
    endfor
    line ("1e5 A*B", 16, 1e3 * toc (begun), 0);
  endif
  if (with_gpumm)
    gpumm_blas ();
  endif
endfunction

rand ("seed", 1);
numbers = cellfun (@str2double, argv ().');
sizes = numbers(! isnan (numbers));
if (isempty (sizes))
  sizes = [1024, 2048, 4096, 8192];
endif
bench_blas (sizes, argv ()(isnan (numbers)));

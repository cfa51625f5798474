## bench_after.m - times gpumm alone, and right after Octave's `*`, whose BLAS threads keep
## spinning.
##
##   octave --path octave --path build/package bench/bench_after.m >FILE.csv
##
## Median, third quartile and largest time of 25 products of random n x n matrices, in milliseconds.
## The previous result is freed before.  First `*` and gpumm take turns; then, after a pause, gpumm
## runs alone.
##
## SPDX-License-Identifier: BSD-3-Clause
1; # a script

repeats = 25;
printf ("n,backend,after_median,after_q3,after_most,alone_median,alone_q3,octave_median\n");
for n = [128, 192, 256, 320, 384, 512, 640, 768, 1024, 1500, 2048]
  A = rand (n) - 0.5;
  B = rand (n) - 0.5;
  [C, info] = gpumm (A, B);
  assert (C, A * B, 1e-12 * n);
  octave_s = after = alone = zeros (1, repeats);
  for i = 1:repeats
    clear C D
    tic;
    D = A * B;
    octave_s(i) = toc;
    tic;
    C = gpumm (A, B);
    after(i) = toc;
  endfor
  pause (0.3);
  for i = 1:repeats
    clear C
    tic;
    C = gpumm (A, B);
    alone(i) = toc;
  endfor
  ms = @(t, part) 1e3 * sort (t)(ceil (part * repeats));
  printf ("%d,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", n, info.backend, ms (after, 0.5), ...
          ms (after, 0.75), ms (after, 1), ms (alone, 0.5), ms (alone, 0.75), ms (octave_s, 0.5));
endfor

## bench_pages.m - times pagemtimes beside a loop over `*`.
##
##   octave-cli --no-history --path octave --path build/package bench/bench_pages.m FILE.csv
##
## Set OPENBLAS_CORETYPE=SkylakeX or Haswell if OpenBLAS does not know the processor (see
## bench/run).
##
## Random pages of n x n: of double, of other classes and with a transpose at n = 64.  matrix_ms is one
## matrix by the pages of Y.  The ways take turns; times are medians in milliseconds, with the memory for
## the result.  The columns with cpu are the time of all cores together, which other work on the machine
## disturbs less.  gflops are those of pagemtimes_ms.  The results are compared first.
## SPDX-License-Identifier: BSD-3-Clause
1;

function Z = loop (X, Y)
  Z = zeros (rows (X), columns (Y), size (Y, 3), class (X));
  for i = 1:size (Y, 3)
    Z(:,:,i) = X(:,:,i) * Y(:,:,i);
  endfor
endfunction

function Z = transposed_loop (X, Y)
  Z = zeros (columns (X), columns (Y), size (Y, 3));
  for i = 1:size (Y, 3)
    Z(:,:,i) = X(:,:,i).' * Y(:,:,i);
  endfor
endfunction

function compare (file, name, X, Y, looped, paged)
  n = rows (X);
  pages = size (X, 3);
  A = X(:,:,1);
  ways = {looped, paged, @() pagemtimes(A, Y)};
  tic ();
  Z = looped ();
  C = paged ();
  assert (norm (C(:) - Z(:), 1) <= 1e-5 * norm (Z(:), 1));
  clear C Z
  repeats = min (max (7, floor (3 / toc ())), 51);
  ms = cpu = zeros (repeats, 3);
  for r = 1:repeats # take turns, because other work on the machine disturbs them
    for w = 1:3
      used = cputime ();
      begun = tic ();
      Z = ways{w} ();
      ms(r,w) = 1e3 * toc (begun);
      cpu(r,w) = 1e3 * (cputime () - used);
      clear Z
    endfor
  endfor
  ms = median (ms);
  cpu = median (cpu);
  flops = 2 * n^3 * pages * (1 + iscomplex (X)) * (1 + iscomplex (Y));
  fprintf (file, "%s,%d,%d,%.3f,%.3f,%.2f,%.1f,%.3f,%.3f,%.3f,%.3f\n", name, n, pages, ms(1:2), ...
           ms(1) / ms(2), 1e-6 * flops / ms(2), ms(3), cpu);
  printf ("%-22s %6d pages of %4d: loop %9.3f ms, pagemtimes %9.3f ms, of CPU %9.3f and %9.3f\n", ...
          name, pages, n, ms(1:2), cpu(1:2));
endfunction

rand ("twister", 1);
about = gpumm_info ();
device = "no GPU";
if (! isempty (about.devices))
  device = about.devices(1).name;
endif
core = getenv ("OPENBLAS_CORETYPE");
file = fopen (argv (){1}, "w");
fprintf (file, "# %soctave-cli --path octave --path build/package bench/bench_pages.m\n", ...
         merge (isempty (core), "", ["OPENBLAS_CORETYPE=", core, " "]));
fprintf (file, "# %s; %d cores; %s; Octave %s; gpumm %s (%s)\n", device, nproc (), ...
         version ("-blas"), version (), about.version, about.build);
fprintf (file, "%s,%s\n", "case,n,pages,loop_ms,pagemtimes_ms,ratio,gflops,matrix_ms", ...
         "loop_cpu_ms,pagemtimes_cpu_ms,matrix_cpu_ms");
for p = [4, 16, 64, 256, 1024; 20000, 10000, 2000, 60, 4]
  X = rand (p(1), p(1), p(2)) - 0.5;
  Y = rand (p(1), p(1), p(2)) - 0.5;
  compare (file, "double", X, Y, @() loop (X, Y), @() pagemtimes (X, Y));
endfor
X = rand (64, 64, 2000) - 0.5;
Y = rand (64, 64, 2000) - 0.5;
compare (file, "transposed", X, Y, @() transposed_loop (X, Y), @() pagemtimes (X, "transpose", Y, "none"));
X = single (X);
Y = single (Y);
compare (file, "single", X, Y, @() loop (X, Y), @() pagemtimes (X, Y));
Z = complex (double (X), 1);
Y = double (Y);
compare (file, "complex by real", Z, Y, @() loop (Z, Y), @() pagemtimes (Z, Y));
Y = complex (Y, 1);
compare (file, "complex", Z, Y, @() loop (Z, Y), @() pagemtimes (Z, Y));
fclose (file);

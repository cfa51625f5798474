## bench_filled.m - times products of sparse matrices of different densities.
##
##   octave --path octave --path build/package bench/bench_filled.m >FILE.csv
##
## Set OPENBLAS_CORETYPE=SkylakeX or Haswell if OpenBLAS does not know the processor (see
## bench/run).
##
## The product is A * B.  Both are n x n with random elements in a share of the places (density).
## It runs with Algorithm "auto" (auto_algorithm and auto_backend say the choice), with "sparse" and
## "sparse_as_dense" on the CPU, with "spgemm" and "sparse_as_dense" on the GPU if there is one
## (gpu_sparse, gpu_dense), and with Octave's `*` unless it takes many seconds.  They take turns;
## times are medians in milliseconds.  Each result is first compared with the result of "sparse".
##
## SPDX-License-Identifier: BSD-3-Clause
1; # a script

function row (class, A, B, density)
  on = @(varargin) @() gpumm (A, B, varargin{:});
  cpu = {"Backend", "cpu", "Algorithm"};
  gpu = {"Backend", "gpu", "Algorithm"};
  ways = {on(), on(cpu{:}, "sparse"), on(cpu{:}, "sparse_as_dense"), [], [], []};
  if (gpumm_available ("gpu"))
    ways([4, 5]) = {on(gpu{:}, "spgemm"), on(gpu{:}, "sparse_as_dense")};
  endif
  if (columns (A) * nnz (A) * density < 5e8)
    ways{6} = @() A * B;
  endif
  there = find (! cellfun (@isempty, ways));
  R = ways{2} ();
  tic ();
  for i = there
    C = ways{i} ();
    assert (nnz (C) == nnz (R) && norm (C - R, 1) <= 1e-12 * norm (R, 1));
  endfor
  repeats = min (max (3, floor (2 / toc ())), 15);
  ms = NaN (repeats, 6);
  for r = 1:repeats # take turns, because other work on the machine disturbs them
    for i = there
      clear C
      tic ();
      C = ways{i} ();
      ms(r,i) = 1e3 * toc ();
    endfor
  endfor
  [~, info] = ways{1} ();
  printf ("%s,%d,%g,%d,%s,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", class, rows (A), density, nnz (R), ...
          info.algorithm, info.backend, median (ms, 1));
  fflush (stdout);
endfunction

## sprand (n, n, 1) is not full
function A = matrix (n, density)
  A = sparse ((rand (n) - 0.5) .* (rand (n) < density));
endfunction

rand ("twister", 1);
about = gpumm_info ();
if (isempty (about.devices))
  device = "no GPU";
else
  device = about.devices(1).name;
endif
name = getenv ("OPENBLAS_CORETYPE");
printf ("# %soctave --path octave --path build/package bench/bench_filled.m\n", ...
        merge (isempty (name), "", ["OPENBLAS_CORETYPE=", name, " "]));
printf ("# %s; %d cores; %s; Octave %s\n", device, nproc (), version ("-blas"), version ());
printf ("%s,%s\n", "class,n,density,nonzeros_of_c,auto_algorithm,auto_backend,auto,sparse,as_dense", ...
        "gpu_sparse,gpu_dense,octave");
for n = [300, 1000, 2000]
  for density = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1]
    row ("double", matrix (n, density), matrix (n, density), density);
  endfor
endfor
for density = [0.1, 0.3, 0.7]
  row ("complex", matrix (1000, density) + i * matrix (1000, density), ...
       matrix (1000, density) + i * matrix (1000, density), density);
endfor

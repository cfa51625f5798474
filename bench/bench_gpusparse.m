## bench_gpusparse.m - iterations on sparse matrices: on the device, and from host memory.
##
##   octave-cli --path OCTAVE --path PACKAGE bench_gpusparse.m [N] > FILE.csv
##
## Markov clustering, 10 steps (square, entrywise square, scale columns, drop), and the power iteration
## G' * (G * X) with 32 columns, of graphs with N vertices: random ones and meshes.  Seconds are medians
## of three runs after one that is not counted; from host memory one run.  What is uploaded before and
## gathered after is not counted.
##
## SPDX-License-Identifier: BSD-3-Clause
1;

## Seconds of 10 steps, and what comes out.
function [seconds, M] = cluster (M)
  tic;
  for i = 1:10
    M = M * M;
    M = M .^ 2;
    M = M ./ sum (M);
    M = M .* (M > 1e-3);
  endfor
  finish (M);
  seconds = toc;
endfunction

function [seconds, M] = cluster_from_host (M)
  tic;
  for i = 1:10
    M = gpumm (M, M, "Backend", "gpu");
    M = M .^ 2;
    M = M * diag (1 ./ full (sum (M)));
    M = M .* (M > 1e-3);
  endfor
  seconds = toc;
endfunction

function [seconds, X] = power_iteration (G, X)
  tic;
  for i = 1:10
    X = G' * (G * X);
    X = X / norm (X, "fro");
  endfor
  finish (X);
  seconds = toc;
endfunction

function finish (X)
  if (strcmp (class (X), "gpuArray"))
    nnz (X(1,1)); # waits
  endif
endfunction

function G = mesh (n)
  k = round (sqrt (n));
  T = spdiags (ones (k, 2), [-1, 1], k, k);
  G = kron (T, speye (k)) + kron (speye (k), T) + speye (k ^ 2);
endfunction

function G = columns_of_one (G)
  G = G * diag (1 ./ full (sum (G)));
endfunction

n = 1e6;
if (! isempty (argv ()))
  n = str2double (argv (){end});
endif
rand ("twister", 1);
info = gpumm_info ();
printf ("# gpumm %s; %s\n", info.version, strtrim (evalc ("disp (info.devices)")));
printf ("work,graph,vertices,nonzeros,resident_s,from_host_s\n");
randoms = sparse (ceil (rand (4 * n, 1) * n), ceil (rand (4 * n, 1) * n), 1, n, n);
graphs = {"random", randoms + randoms.' + speye(n); "mesh", mesh(n)};
for i = 1:rows (graphs)
  [name, S] = graphs{i,:};
  M = columns_of_one (S);
  G = gpuArray (M);
  cluster (G);
  seconds = arrayfun (@(k) cluster (G), 1:3);
  cluster_from_host (speye (100));
  from_host = cluster_from_host (M);
  printf ("clustering,%s,%d,%d,%.4f,%.4f\n", name, rows (S), nnz (S), median (seconds), from_host);
  X = rand (rows (S), 32);
  Y = gpuArray (X);
  power_iteration (G, Y);
  seconds = arrayfun (@(k) power_iteration (G, Y), 1:3);
  from_host = power_iteration (M, X);
  printf ("power iteration,%s,%d,%d,%.4f,%.4f\n", name, rows (S), nnz (S), median (seconds), from_host);
endfor

## bench_gpusparse.m - iterations on sparse matrices: on the device, and from host memory.
##
##   octave-cli --path OCTAVE --path PACKAGE bench_gpusparse.m [N [FOLDER]] > FILE.csv
##   python3 bench/peers_gpusparse.py FOLDER >> FILE.csv
##
## Markov clustering, 10 steps (square, entrywise square, scale columns, drop), and the power iteration
## G' * (G * X) with 32 columns, of graphs with N vertices: random ones with four elements a column,
## meshes, and R-MAT ones (hubs).  Seconds are medians of three runs after one that is not counted; from
## host memory one run.  What is uploaded before and gathered after is not counted.  Into FOLDER go the
## graphs, for peers.
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

## The recursive matrix of Chakrabarti, Zhan, Faloutsos (2004) with its usual four chances, symmetric.
function G = rmat (n)
  n = 2 ^ round (log2 (n));
  i = j = zeros (n, 1);
  for bit = 1:log2 (n)
    r = rand (n, 1);
    i = 2 * i + (r > 0.76);
    j = 2 * j + ((r > 0.57 & r <= 0.76) | r > 0.95);
  endfor
  G = sparse (i + 1, j + 1, 1, n, n);
  G = spones (G + G.' + speye (n));
endfunction

function G = columns_of_one (G)
  G = G * diag (1 ./ full (sum (G)));
endfunction

## Rows, elements, then starts of columns, rows and values, as they lie in memory.
function keep (name, G)
  [i, j, x] = find (G);
  file = fopen (name, "w");
  fwrite (file, [rows(G), nnz(G)], "int64");
  fwrite (file, [0; cumsum(full (sum (G != 0, 1)).')], "int64");
  fwrite (file, i - 1, "int32");
  fwrite (file, x, "double");
  fclose (file);
endfunction

n = 1e6;
folder = "";
given = argv ();
if (! isempty (given) && ! isnan (str2double (given{1})))
  n = str2double (given{1});
  folder = [given(2:end){:}];
endif
rand ("twister", 1);
info = gpumm_info ();
printf ("# gpumm %s; %s\n", info.version, strtrim (evalc ("disp (info.devices)")));
printf ("work,graph,who,vertices,nonzeros,seconds\n");
edges = 1.5 * n;
randoms = sparse (ceil (rand (edges, 1) * n), ceil (rand (edges, 1) * n), 1, n, n);
graphs = {"random", randoms + randoms.' + speye(n); "mesh", mesh(n); "rmat", rmat(n)};
for i = 1:rows (graphs)
  [name, S] = graphs{i,:};
  line = @(work, who, seconds) printf ("%s,%s,%s,%d,%d,%.4f\n", work, name, who, rows (S), nnz (S), seconds);
  M = columns_of_one (S);
  if (! isempty (folder))
    keep (fullfile (folder, [name, ".graph"]), M);
  endif
  G = gpuArray (M);
  cluster (G);
  line ("clustering", "resident", median (arrayfun (@(k) cluster (G), 1:3)));
  cluster_from_host (speye (100));
  line ("clustering", "from host", cluster_from_host (M));
  X = rand (rows (S), 32);
  Y = gpuArray (X);
  power_iteration (G, Y);
  line ("power iteration", "resident", median (arrayfun (@(k) power_iteration (G, Y), 1:3)));
  line ("power iteration", "from host", power_iteration (M, X));
endfor

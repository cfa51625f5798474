## bench_sparse.m - times products with sparse matrices, from host array to host array.
##
##   octave --path octave --path build/package bench/bench_sparse.m >FILE.csv
##
## A is n x n with a fixed number of random elements in each column.  The products are A * A; A * X
## with few columns in X ("left"); X * A with few rows in X ("right").  gpumm runs with Backend
## "auto" (auto_backend has its choice), "gpu" and "cpu"; Octave's `*` runs unless it takes many
## seconds.  Times are medians of several calls after the first, in milliseconds; upload, compute
## and download are of the last call on the GPU.  Each result is checked with a random vector before
## it is timed.  The last row of A * A fills the memory: 755 million nonzeros, 12 GB.
##
## SPDX-License-Identifier: BSD-3-Clause
1; # a script

function A = random_columns (n, each)
  A = sparse (randi (n, n * each, 1), repmat ((1:n)', each, 1), rand (n * each, 1) - 0.5, n, n);
endfunction

function check (C, A, B)
  x = rand (columns (B), 1) - 0.5;
  y = A * (B * x);
  assert (C * x, y, 1e-10 * norm (abs (A) * (abs (B) * abs (x)), Inf));
endfunction

function milliseconds = time_of (multiply, repeats)
  times = zeros (1, repeats);
  for i = 1:repeats
    clear C
    tic;
    C = multiply ();
    times(i) = 1e3 * toc;
  endfor
  milliseconds = [median(times), min(times)];
endfunction

function row (kind, n, each, A, B, repeats, octave_too)
  on = @(where) @() gpumm (A, B, "Backend", where);
  C = gpumm (A, B, "Backend", "gpu");
  check (C, A, B);
  nonzeros = nnz (C);
  clear C
  other = merge (issparse (B), rows (A) * ! issparse (A), columns (B));
  cpu = octave_ms = [NaN, NaN];
  if (nonzeros < 1e8)
    cpu = time_of (on ("cpu"), min (repeats, 5));
  endif
  if (octave_too)
    octave_ms = time_of (@() A * B, 3);
  endif
  chosen = time_of (@() gpumm (A, B), repeats);
  [~, took] = gpumm (A, B);
  gpu = time_of (on ("gpu"), repeats);
  [~, info] = on ("gpu") ();
  s = info.seconds;
  printf ("%s,%d,%d,%d,%d,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", kind, n, each, other, nonzeros,
          took.backend, chosen(1), gpu, 1e3 * s.upload, 1e3 * s.compute, 1e3 * s.download, ...
          cpu(1), octave_ms(1));
  fflush (stdout);
endfunction

rand ("twister", 1);
printf ("# bench_sparse.m: %s\n", gpumm_info ().devices(1).name);
printf ("kind,n,a_column,other,nonzeros,auto_backend,auto,gpu,gpu_least,upload,compute,download,%s\n",
        "cpu,octave");
for n = [50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000]
  A = random_columns (n, 8);
  row ("square", n, 8, A, A, 9, true);
endfor
for c = {[5000, 40, 5], [200000, 16, 5], [1000000, 8, 5], [32768, 200, 2]}
  A = random_columns (c{1}(1), c{1}(2));
  row ("square", c{1}(1), c{1}(2), A, A, c{1}(3), false);
endfor
for c = {[1000, 8], [20000, 8], [20000, 64], [200000, 16], [1000000, 8]}
  n = c{1}(1);
  A = random_columns (n, c{1}(2));
  for other = [1, 4, 16, 64, 256]
    if (n * other > 8e7)
      continue;
    endif
    row ("left", n, c{1}(2), A, rand (n, other) - 0.5, 7, nnz (A) * other < 1e8);
    row ("right", n, c{1}(2), rand (other, n) - 0.5, A, 7, nnz (A) * other < 1e8);
  endfor
endfor

## bench_blocksparse.m - times products of floating-point blocksparse matrices, from host array to
## host array.
##
##   octave --path octave --path build/package bench/bench_blocksparse.m >FILE.csv
##
## The products are S * S, S * F and F' * S, where F is full with 256 columns.  S has square blocks:
## "random", with a fixed number of random blocks in each block row, or "mesh", a mesh of nodes with
## 26 neighbours each.  gpumm runs with Backend "auto", "gpu" (the median of several calls after the
## first) and "cpu".  Times are in milliseconds; gflops is the rate of the kernels alone.  Each
## result is checked with a random vector before it is timed.
##
## SPDX-License-Identifier: BSD-3-Clause
1; # a script

function S = random_blocks (name, b, n, each)
  J = zeros (each, n);
  for i = 1:n
    J(:,i) = i + [0, randperm(n - 1, each - 1)];
  endfor
  S = of_places (name, b, n, kron ((1:n)', ones (each, 1)), mod (J(:) - 1, n) + 1);
endfunction

## Couples each node of an n x n x n cube with its neighbours.
function S = mesh_blocks (name, b, n)
  [x, y, z] = ndgrid (1:n);
  [dx, dy, dz] = ndgrid (-1:1);
  X = x(:)' + dx(:);
  Y = y(:)' + dy(:);
  Z = z(:)' + dz(:);
  inside = min (min (X, Y), Z) >= 1 & max (max (X, Y), Z) <= n;
  I = repmat (1:n^3, 27, 1)(inside);
  J = (X + n * (Y - 1) + n^2 * (Z - 1))(inside);
  S = of_places (name, b, n^3, I, J);
endfunction

function S = of_places (name, b, n, I, J)
  real_name = strrep (name, "complex ", "");
  blocks = rand (b, b, numel (I), real_name) - 0.5;
  if (! strcmp (name, real_name))
    blocks = complex (blocks, rand (b, b, numel (I), real_name) - 0.5);
  endif
  S = blocksparse (I, J, blocks, n * b, n * b);
endfunction

## Compares C * x with A * (B * x), relative to the largest element.
function check (C, A, B)
  x = rand (columns (B), 1) - 0.5;
  on_cpu = @(X, y) gpumm (X, y, "Backend", "cpu");
  y = on_cpu (A, on_cpu (B, double (x)));
  tolerance = 1e-12;
  if (isa (y, "single"))
    tolerance = 1e-4;
  endif
  assert (norm (on_cpu (C, x) - y, Inf) <= tolerance * norm (y, Inf));
endfunction

function [ms, info] = time_of (A, B, backend, repeats)
  ms = zeros (1, repeats);
  for i = 1:repeats
    clear C
    tic;
    [C, info] = gpumm (A, B, "Backend", backend);
    ms(i) = 1e3 * toc;
  endfor
  ms = median (ms);
endfunction

function row (what, name, b, A, B, repeats)
  has_gpu = gpumm_available ("gpu");
  gpu = NaN;
  info = struct ("kernel", "");
  [seconds.upload, seconds.compute, seconds.download] = deal (NaN);
  gflops = NaN;
  if (has_gpu)
    [C, info] = gpumm (A, B, "Backend", "gpu");
    check (C, A, B);
    clear C
    [gpu, info] = time_of (A, B, "gpu", repeats);
    seconds = info.seconds;
    gflops = 1e-9 * info.flops / seconds.compute;
  endif
  [C, host] = gpumm (A, B, "Backend", "cpu");
  check (C, A, B);
  stored = NaN;
  if (isa (C, "blocksparse"))
    stored = nnzb (C);
  endif
  clear C
  cpu = time_of (A, B, "cpu", min (repeats, 3));
  [chosen, how] = time_of (A, B, "auto", repeats);
  printf ("%s,%s,%d,%d,%d,%d,%.4g,%s,%.3f,%s,%.3f,%.3f,%.3f,%.3f,%.1f,%.3f\n", what, name, b, ...
          rows (A), columns (B), stored, host.flops, how.backend, chosen, info.kernel, gpu, ...
          1e3 * seconds.upload, 1e3 * seconds.compute, 1e3 * seconds.download, gflops, cpu);
  fflush (stdout);
endfunction

function n = repeats (block_rows)
  n = 7;
  if (block_rows >= 4000)
    n = 3;
  endif
endfunction

rand ("twister", 1);
randn ("twister", 1);
printf (["case,elements,b,rows,columns,blocks_of_c,flops,auto,auto_ms,kernel,gpu_ms,upload," ...
         "compute,download,gflops,cpu_ms\n"]);
cases = {"double", 4, 100, 8; "double", 4, 400, 8; "double", 4, 1600, 8; "double", 4, 6400, 8; ...
         "double", 1, 6400, 8; "double", 2, 6400, 8; "double", 16, 100, 8; "double", 16, 400, 8; ...
         "double", 64, 20, 8; "double", 64, 60, 8; "double", 4, 25000, 16; ...
         "double", 9, 8000, 16; "double", 64, 300, 16; "single", 4, 25000, 16; ...
         "complex double", 9, 4000, 16};
for n = [200, 2000, 50000]
  S = random_blocks ("double", 4, n, 16);
  F = rand (4 * n, 256) - 0.5;
  row ("random 16 x full", "double", 4, S, F, repeats (n));
  row ("full x random 16", "double", 4, F', S, repeats (n));
  row ("full x random 16 not in blocks", "double", 1, F', sparse (S), repeats (n));
endfor
S = mesh_blocks ("double", 3, 46);
row ("mesh", "double", 3, S, S, 3);
for i = 1:rows (cases)
  [name, b, n, each] = cases{i,:};
  S = random_blocks (name, b, n, each);
  row (sprintf ("random %d", each), name, b, S, S, repeats (n));
endfor

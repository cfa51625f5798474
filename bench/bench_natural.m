## bench_natural.m - times products of sparse matrices that consist of natural blocks.
##
##   octave --path octave --path build/package bench/bench_natural.m >FILE.csv
##
## The products are A * A, and A * X with a full X.  A is the matrix of a mesh, as in finite
## elements: each node has b unknowns and 8 neighbours in the plane or 26 in space.  "but one" is A
## without one element, and therefore without blocks.  gpumm runs with "auto" (the column backend
## has its choice), on the CPU, and on the GPU if there is one (with its computing time).  Octave's
## `*` runs too.  Times are medians of several calls after the first, in milliseconds.
##
## With GPUMM_BENCH=large in the environment the largest matrices have a million rows, otherwise a
## tenth of a million.  Each result of the CPU is first compared with `*`, to the last bit, and with
## the GPU's result.
##
## SPDX-License-Identifier: BSD-3-Clause
1; # a script

function A = of_mesh (rows, dimensions, b)
  n = round ((rows / b) ^ (1 / dimensions));
  flat = dimensions == 2;
  [x, y, z] = ndgrid (1:n, 1:n, 1:n^!flat);
  [dx, dy, dz] = ndgrid (-1:1, -1:1, (-1:1) * !flat);
  near = ! flat | (1:27)' <= 9;
  X = x(:)' + dx(near);
  Y = y(:)' + dy(near);
  Z = z(:)' + dz(near);
  inside = min (min (X, Y), Z) >= 1 & max (X, Y) <= n & Z <= n;
  I = repmat (1:numel (x), nnz (near), 1)(inside);
  J = (X + n * (Y - 1) + n^2 * (Z - 1))(inside);
  clear X Y Z inside
  A = kron (sparse (I, J, 1), ones (b));
  A = spfun (@(v) rand (size (v)) - 0.5, A);
endfunction

function ms = time_of (A, B, backend, repeats)
  ms = zeros (1, repeats);
  for i = 1:repeats
    clear C
    tic;
    C = gpumm (A, B, "Backend", backend);
    ms(i) = 1e3 * toc;
  endfor
  ms = median (ms);
endfunction

function row (what, b, A, B, repeats, octave_too)
  [C, cpu] = gpumm (A, B, "Backend", "cpu");
  nonzeros = nnz (C);
  octave_ms = gpu_ms = gpu_compute_ms = NaN;
  if (octave_too)
    tic;
    R = A * B;
    octave_ms = 1e3 * toc;
    assert (isequal (C, R));
    clear R
  endif
  if (gpumm_available ("gpu"))
    G = gpumm (A, B, "Backend", "gpu");
    assert (norm (G - C, 1) <= 1e-12 * norm (C, 1));
    clear C G
    gpu_ms = time_of (A, B, "gpu", repeats);
    [~, gpu] = gpumm (A, B, "Backend", "gpu");
    gpu_compute_ms = 1e3 * gpu.seconds.compute;
  endif
  clear C
  cpu_ms = time_of (A, B, "cpu", repeats);
  auto_ms = time_of (A, B, "auto", repeats);
  [~, took] = gpumm (A, B);
  printf ("%s,%d,%d,%d,%d,%.4g,%s,%.3f,%s,%.3f,%.3f,%.3f,%.3f\n", what, b, rows (A), nnz (A), ...
          nonzeros, cpu.flops, took.backend, auto_ms, cpu.kernel, cpu_ms, gpu_ms, gpu_compute_ms, ...
          octave_ms);
  fflush (stdout);
endfunction

## A, then A without one element
function both (what, b, A, B, repeats, octave_too)
  same = isempty (B); # A * A
  for what = {what, [what " but one"]}
    if (same)
      B = A;
    endif
    row (what{1}, b, A, B, repeats, octave_too);
    A(1, 1) = 0;
  endfor
endfunction

rand ("twister", 1);
large = strcmp (getenv ("GPUMM_BENCH"), "large");
size = merge (large, 1e6, 1e5);
printf ("# bench_natural.m: gpumm %s, %d cores\n", gpumm_info ().version, nproc ());
printf ("case,b,rows,nonzeros,nonzeros_of_c,flops,backend,auto_ms,kernel,cpu_ms,gpu_ms,%s\n",
        "gpu_compute_ms,octave_ms");
for b = [1, 2, 3, 4, 6, 8]
  both ("plane", b, of_mesh (size, 2, b), [], 3, ! large);
endfor
for r = [300, 1000, 3000, 10000, 30000, size]
  both ("space", 3, of_mesh (r, 3, 3), [], merge (r < 1e4, 9, 3), r < 1e6);
endfor
for b = [2, 3, 4, 6, 8]
  A = of_mesh (size / 4, 2, b);
  for columns = [16, 64]
    both (sprintf ("plane by %d columns", columns), b, A, rand (rows (A), columns) - 0.5, 5, ! large);
  endfor
endfor

## programs.m - the tables of products.m that are more than a product: programs of gpuArrays,
## several GPUs, memory, and Octave's own functions.
##
## SPDX-License-Identifier: BSD-3-Clause
1;

## ---- arrays that stay on the GPU ---------------------------------------------------------------

## Steps towards the orthogonal matrix that is nearest.
function X = newton_schulz (X)
  for i = 1:5
    X = 1.5 * X - 0.5 * (X * (X' * X));
  endfor
endfunction

function X = chain (X, Y)
  for i = 1:1000
    X = X * Y;
  endfor
endfunction

function x = added (x)
  for i = 1:1000
    x = x + 1;
  endfor
endfunction

## With a wait at its end. gpuDevice () would add 20 us to each.
function C = finished (run)
  persistent device = gpuDevice ();
  C = run ();
  wait (device);
endfunction

function i = places (x)
  [~, i] = sort (x);
endfunction

function array_row (work, run)
  if (is_asked ("%s", work))
    [ms, least, most] = in_turn ({@() finished(run)}, 7);
    put ("%s,gpumm,%.4f,%.4f,%.4f\n", work, ms, least, most);
  endif
endfunction

function array_programs (~)
  put ("work,who,median_ms,least_ms,most_ms\n");
  A = rand (200) / 200;
  assert (gather (newton_schulz (gpuArray (A))), newton_schulz (A), 1e-12);
  A = rand (4096) / 4096;
  G = gpuArray (A);
  array_row ("newton-schulz 4096 upload to gather", @() gather (newton_schulz (gpuArray (A))));
  array_row ("newton-schulz 4096 resident", @() newton_schulz (G));
  array_row ("upload 4096", @() gpuArray (A));
  array_row ("gather 4096", @() gather (G));
  array_row ("sort columns 4096", @() sort (G));
  array_row ("median of columns 4096", @() median (G));
  U = triu (G) + eye (4096);
  S = G' * G + eye (4096);
  array_row ("triangular 4096 by 4096", @() U \ G);
  array_row ("chol 4096", @() chol (S));
  v = gpuArray (rand (1e7, 1));
  array_row ("sort 10^7", @() sort (v));
  array_row ("places of sort 10^7", @() places (v));
  array_row ("cummax 10^7", @() cummax (v));
  clear U S v
  G = gpuArray.rand (8192) / 8192;
  H = gpuArray.rand (8192);
  K = gpuArray.rand (8192);
  array_row ("newton-schulz 8192 resident", @() newton_schulz (G));
  array_row ("product 8192 resident", @() G * G);
  array_row ("G + 2 * H .* K 8192", @() G + 2 * H .* K);
  array_row ("copy 8192", @() G + 0);
  array_row ("sum 8192", @() sum (G));
  array_row ("sum rows 8192", @() sum (G, 2));
  array_row ("norm fro 8192", @() norm (G, "fro"));
  array_row ("every second column 8192", @() G(:,1:2:end));
  clear G H K
  G = gpuArray (eye (64) + rand (64) / 100);
  H = gpuArray (eye (64));
  array_row ("chain of 1000 products 64", @() chain (G, H));
  X = rand (64, 64, 2000);
  Y = rand (64, 64, 2000);
  array_row ("pagemtimes 64x64x2000 host to host", @() pagemtimes (X, Y));
  X = gpuArray (X);
  Y = gpuArray (Y);
  array_row ("pagemtimes 64x64x2000 resident", @() pagemtimes (X, Y));
  x = gpuArray (1:10);
  array_row ("1000 times x + 1", @() added (x));
endfunction

## The Laplacian of a square grid of n unknowns.
function L = laplacian (n)
  side = round (sqrt (n));
  e = ones (n, 1);
  beside = e;
  beside(side:side:end) = 0;
  L = spdiags ([-e, -beside, 4 * e, -[0; beside(1:end-1)], -e], [-side, -1, 0, 1, side], n, n);
endfunction

## A sparse matrix of n columns with about `each` entries in random rows of each; full: and a full
## row and a full column.
function S = scattered (n, each, full)
  i = randi (n, n * each, 1);
  j = repmat ((1:n)', each, 1);
  if (full)
    i = [i; ones(n, 1); (1:n)'];
    j = [j; (1:n)'; ones(n, 1)];
  endif
  S = sparse (i, j, rand (numel (i), 1), n, n);
endfunction

function x = changed (x, mask)
  x(mask) = 2;
endfunction

function x = without (x, mask)
  x(mask) = [];
endfunction

function [i, j, v] = triplets (x)
  [i, j, v] = find (x);
endfunction

## Operations one by one, each waited for; peers.py operations is CuPy doing the same.
function operation_programs (~)
  put ("work,who,median_ms,least_ms,most_ms\n");
  h = gpuArray (rand (16));
  small = rand (16);
  array_row ("h + h 16", @() h + h);
  array_row ("gather 16", @() gather (h));
  array_row ("upload 16", @() gpuArray (small));
  array_row ("upload 1", @() gpuArray (1));
  array_row ("h(3,4)", @() gather (h(3,4)));
  for type = {"double", "single"}
    name = @(work) [work, {"", " single"}{1 + strcmp(type{1}, "single")}];
    x = gpuArray (rand (2.25e6, 1, type{1}));
    mask = x > 0.5;
    numbers = find (mask);
    array_row (name ("x(x > 0.5) 2.25 M"), @() x(x > 0.5));
    array_row (name ("find 2.25 M"), @() find (x > 0.5));
    array_row (name ("triplets 2.25 M"), @() triplets (x));
    array_row (name ("x(numbers) 2.25 M"), @() x(numbers));
    array_row (name ("x(mask) = 2 2.25 M"), @() changed (x, mask));
    array_row (name ("x(mask) = [] 2.25 M"), @() without (x, mask));
    array_row (name ("cumsum 2.25 M"), @() cumsum (x));
    array_row (name ("max (abs (x)) 2.25 M"), @() max (abs (x)));
    array_row (name ("diff 2.25 M"), @() diff (x));
    array_row (name ("rand 8192"), @() gpuArray.rand (8192, type{1}));
    array_row (name ("randn 8192"), @() gpuArray.randn (8192, type{1}));
    array_row (name ("randi 8192"), @() gpuArray.randi (1000, 8192, type{1}));
    B = gpuArray.rand (8192, type{1});
    array_row (name ("B' + 0 8192"), @() B' + 0);
    array_row (name ("B + B' 8192"), @() B + B');
    array_row (name ("permute 8192"), @() permute (B, [2, 1]));
    array_row (name ("[B, B] 8192"), @() [B, B]);
    array_row (name ("[B; B] 8192"), @() [B; B]);
    array_row (name ("triu 8192"), @() triu (B));
    array_row (name ("repmat 2 x 2 4096"), @() repmat (B(1:4096,1:4096), 2, 2));
    array_row (name ("sum (B, 1) 8192"), @() sum (B, 1));
    array_row (name ("sum (B, 2) 8192"), @() sum (B, 2));
    array_row (name ("max (B) 8192"), @() max (B));
    clear B
  endfor
  matrices = {"laplacian", laplacian(1500^2); "random", scattered(1e6, 16, false); ...
              "full row and column", scattered(1e6, 4, true)};
  for m = matrices.'
    [name, S] = m{:};
    G = gpuArray (S);
    x = gpuArray (rand (columns (S), 1));
    X = gpuArray (rand (columns (S), 8));
    y = S * gather (x);
    assert (norm (gather (G * x) - y, 1) <= 1e-13 * norm (y, 1));
    array_row ([name " S*x"], @() G * x);
    array_row ([name " S'*x"], @() G' * x);
    array_row ([name " S*X, 8 columns"], @() G * X);
  endfor
endfunction

## ---- how time grows -----------------------------------------------------------------------------

function X = with_part (X, varargin)
  X(varargin{1:end-1}) = varargin{end};
endfunction

function X = removed (X, varargin)
  X(varargin{:}) = [];
endfunction

function growth_row (work, n, make, run)
  if (is_asked ("%s", work))
    few = make (n);
    many = make (4 * n);
    [~, ms] = in_turn ({@() gather(run (few)), @() gather(run (many))}, 9);
    put ("%s,%d,%.3f,%.3f,%.2f\n", work, n, ms, ms(2) / ms(1));
  endif
endfunction

function file = text_file (folder, varargin)
  file = tempname (folder);
  id = fopen (file, "w");
  fputs (id, ["%%MatrixMarket matrix ", varargin{:}]);
  fclose (id);
endfunction

## A mask, places, and parts to join.  A file of many entries or comments.
function growth (~)
  put ("work,n,least_ms,least_ms_of_4n,ratio\n");
  random = @(n) gpuArray (rand (1, n));
  growth_row ("x(mask) = y", 1e5, random, @(x) with_part (x, x > 0.3, x(x > 0.3)));
  growth_row ("x(host mask) = y", 1e5, random, ...
              @(x) with_part (x, gather (x) > 0.3, gather (x(x > 0.3))));
  growth_row ("x(places) = y", 1e5, random, ...
              @(x) with_part (x, gpuArray (randperm (numel (x))), x));
  growth_row ("x(places twice) = y", 1e5, random, ...
              @(x) with_part (x, [1:numel(x), 1:numel(x)], [x, x]));
  growth_row ("x(mask) = []", 1e5, random, @(x) removed (x, x > 0.3));
  growth_row ("x(mask)", 1e5, random, @(x) x(x > 0.3));
  growth_row ("find (mask)", 1e5, random, @(x) find (x > 0.3));
  parts = @(n) arrayfun (@(i) sparse (mod (i, 7) + 1, 1 + mod (i, 3), i, 9, 3), 1:n, ...
                         "UniformOutput", false);
  for kind = {"full", @full; "sparse", @(x) x; "blocks", @(x) blocksparse(full (x), [3, 3])}.'
    up = @(n) cellfun (@(x) gpuArray (kind{2} (x)), parts (n), "UniformOutput", false);
    growth_row (["horzcat ", kind{1}], 400, up, @(x) horzcat (x{:}));
    growth_row (["vertcat ", kind{1}], 400, up, @(x) vertcat (x{:}));
  endfor
  folder = tempname ();
  mkdir (folder);
  unwind_protect
    growth_row ("mmread coordinate", 5e4, @(n) text_file (folder, sprintf ( ...
                ["coordinate real general\n", repmat("%d ", 1, 3), "\n"], n, n, n), ...
                sprintf ("%d %d 0.5\n", [1:n; 1:n])), @mmread);
    growth_row ("mmread comments", 5e4, @(n) text_file (folder, "array real general\n", ...
                sprintf ("%% comment %d\n", 1:n), "1 1\n5\n"), @mmread);
  unwind_protect_cleanup
    confirm_recursive_rmdir (false, "local");
    rmdir (folder, "s");
  end_unwind_protect
endfunction

## ---- iterations on sparse matrices and on blocks -----------------------------------------------

function M = cluster (M)
  for i = 1:10
    M = M * M;
    M = M .^ 2;
    M = M ./ sum (M);
    M = M .* (M > 1e-3);
  endfor
endfunction

function X = power_iteration (G, X)
  for i = 1:10
    X = G' * (G * X);
    X = X / norm (X, "fro");
  endfor
endfunction

## The sign function: blocks below 1e-8 are dropped.
function X = sign_of (X, steps)
  for i = 1:steps
    X = dropblocks (1.5 * X - 0.5 * X ^ 3, 1e-8);
  endfor
endfunction

## The recursive matrix of Chakrabarti, Zhan, Faloutsos (2004) with its usual four chances,
## symmetric.
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

## Diagonal blocks of both signs, and off them blocks that fall by a factor of 20 a step: three on
## each side.
function S = banded (b, n)
  [I, D] = ndgrid (1:n, -3:3);
  J = I + D;
  inside = J >= 1 & J <= n;
  I = I(inside);
  J = J(inside);
  blocks = (rand (b, b, numel (I)) - 0.5) .* reshape (20 .^ -abs (I - J), 1, 1, []) / b;
  diagonal = find (I == J).';
  blocks(:,:,diagonal) += eye (b) .* reshape ((-1) .^ I(diagonal), 1, 1, []);
  S = blocksparse (I, J, blocks, n * b, n * b);
  S = (S + S') * 0.4; # its norm is below the square root of 3
endfunction

## Rows, elements, then starts of columns, rows and values, as they lie in memory.
function keep (name, G)
  [i, j, x] = find (G);
  id = fopen (name, "w");
  fwrite (id, [rows(G), nnz(G), 0, cumsum(full (sum (G != 0, 1)))], "int64");
  fwrite (id, i - 1, "int32");
  fwrite (id, x, "double");
  fclose (id);
endfunction

## What is uploaded before and gathered after is not counted.
function iteration_row (work, on, who, size, stored, run)
  if (is_asked ("%s %s %s", work, on, who))
    put ("%s,%s,%s,%d,%d,%.4f\n", work, on, who, size, stored, 1e-3 * in_turn ({run}, 3));
  endif
endfunction

function iterations (folder)
  put ("work,on,who,size,stored,seconds\n");
  n = 1e6;
  k = sqrt (n);
  T = spdiags (ones (k, 2), [-1, 1], k, k);
  randoms = sparse (randi (n, 1.5 * n, 1), randi (n, 1.5 * n, 1), 1, n, n);
  graphs = {"random", @() randoms + randoms.' + speye(n); ...
            "mesh", @() kron(T, speye (k)) + kron (speye (k), T) + speye(n); "rmat", @() rmat(n)};
  for g = graphs.'
    M = g{2} ();
    M = M * diag (1 ./ full (sum (M)));
    if (! isempty (folder))
      keep (fullfile (folder, [g{1} ".graph"]), M);
    endif
    G = gpuArray (M);
    Y = gpuArray.rand (rows (M), 32);
    row = @(work, run) iteration_row (work, g{1}, "resident", rows (M), nnz (M), ...
                                      @() finished (run));
    row ("clustering", @() cluster (G));
    row ("power iteration", @() power_iteration (G, Y));
  endfor
  for b = [23, 9]
    S = banded (b, 20000);
    G = gpuArray (S);
    row = @(work, who, run) iteration_row (work, sprintf ("blocks %d", b), who, 20000, ...
                                           nnzb (S), run);
    row ("sign, 20 steps", "resident", @() finished (@() sign_of (G, 20)));
    row ("sign, 2 steps", "resident", @() finished (@() sign_of (G, 2)));
    row ("sign, 2 steps", "from host", @() sign_of (S, 2));
  endfor
endfunction

## ---- several GPUs, memory, Octave's own functions ----------------------------------------------

function device_row (kind, type, m, k, n)
  shown = sprintf ("%dx%dx%d", m, k, n);
  if (! is_asked ("%s %s %s", kind, type, shown))
    return;
  endif
  A = cast (uniform (m, k), strrep (type, "complex", "double"));
  B = cast (uniform (k, n), class (A));
  if (strcmp (type, "complex"))
    A = complex (A, 1);
    B = complex (B, uniform (k, n));
  endif
  ways = {on(A, B, "Device", 0), on(A, B, "Device", "all")};
  bytes = 0;
  for way = ways
    C = way{1} ();
    check (C, A, B);
    bytes = sizeof (C);
  endfor
  clear C
  [ms, least] = in_turn (ways, 31);
  info = report_of (ways{2});
  put ("%s,%s,%s,%.4g,%.4g,%.4g,%.4g,%.3f,%d,%.4g,%.4g,\"%s\"\n", kind, type, shown, ms(1), ...
       least(1), ms(2), least(2), ms(2) / ms(1), max (1, numel (info.devices)), bytes, ...
       1e-6 * bytes / ms(2), info.reason);
endfunction

function device_products (~)
  put ("kind,type,sizes,one,one_least,all,all_least,all_by_one,gpus,bytes_c,gb_c_per_s,reason\n");
  gpumm (rand (4096), rand (4096), "Device", "all"); # opens the devices
  for n = [1000, 1500, 2000, 2500, 3000, 3500, 4096, 5000, 6000, 8192, 12000, 16384]
    for type = {"double", "single", "complex"}(1:2 + (n <= 8192))
      device_row ("full", type{1}, n, n, n);
    endfor
  endfor
  for s = [100, 100000, 100000, 500, 2000, 20000, 20000, 64, 20000, 3000; ...
           4000, 4000, 500, 500, 200000, 20, 500, 20000, 20000, 3001; ...
           100000, 100, 500, 100000, 2000, 20000, 20000, 20000, 64, 12000]
    device_row ("shapes", "double", num2cell (s){:});
  endfor
endfunction

## The most MB in use while the product runs three times, less the MB before (the driver's context,
## the kernels that are loaded).  A matrix that is both operands counts once.
function memory_row (name, A, B, same = false)
  if (! is_asked ("%s", name))
    return;
  endif
  samples = tempname ();
  query = "nvidia-smi -i 0 --query-gpu=memory.used --format=csv,noheader,nounits";
  most_of = @(text) max (sscanf (text, "%d")) * 2^20 / 1e6;
  gpumm (ones (1000), ones (1000), "Backend", "gpu");
  gpumm_reset ();
  [~, now] = system (query);
  [~, pid] = system ([query " -lms 10 >" samples " & echo $!"]);
  for i = 1:3
    C = [];
    [C, info] = gpumm (A, B, "Backend", "gpu");
  endfor
  pause (0.1);
  system (["kill " strtrim(pid)]);
  used = most_of (fileread (samples)) - most_of (now);
  unlink (samples);
  operands = 1e-6 * (bytes_of (A) + (! same) * bytes_of (B));
  result = 1e-6 * bytes_of (C);
  put ("%s,%s,%s,%.0f,%.0f,%.0f,%.0f\n", name, info.algorithm, strrep (info.kernel, ",", ";"), ...
       operands, result, used, 100 * (used - operands - result) / (operands + result));
endfunction

function memory_products (~)
  put ("product,algorithm,kernel,operands_mb,result_mb,device_mb,more_percent\n");
  S = random_blocks (9, 4000, 40);
  memory_row ("blocks 9x9 by themselves", S, S, true);
  S = random_blocks (4, 200000, 20);
  memory_row ("blocks 4x4 by full 256 columns", S, uniform (800000, 256));
  memory_row ("full 256 rows by blocks 4x4", uniform (256, 800000), S);
  S = random_blocks (4, 8192, 122, "uint16");
  memory_row ("uint16 blocks 4x4 by themselves", S, S, true);
  S = random_blocks (8, 4096, 537, "uint16");
  memory_row ("uint16 blocks 8x8 by themselves", S, S, true);
  S = sprand (1e6, 1e6, 8e-6);
  memory_row ("sparse by sparse", S, S, true);
  S = sprand (400000, 400000, 4e-5);
  memory_row ("sparse by full 256 columns", S, rand (400000, 256));
  memory_row ("full 256 rows by sparse", rand (256, 400000), S);
  A = uniform (12000);
  memory_row ("full by full", A, A(:,end:-1:1));
endfunction

function C = run_qr (A)
  [Q, C] = qr (A);
endfunction

## Run as it is, by ./setup octave --blas, and with NVBLAS.
function octave_functions (label)
  put ("work,n,who,ms\n");
  for n = [1024, 2048, 4096, 8192]
    A = uniform (n);
    B = uniform (n);
    S = A * A' + n * eye (n);
    x = rand (n, 1);
    assert (norm ((A * B) * x - A * (B * x)) <= 1e-10 * norm (A * (B * x)));
    assert (norm (A * (A \ x) - x) <= 1e-6 * norm (x));
    R = chol (S);
    assert (norm (R' * (R * x) - S * x) <= 1e-10 * norm (S * x));
    works = {"A*B", @() A * B; "gpumm (A, B)", @() gpumm(A, B); "chol", @() chol(S); ...
             "A\\b", @() A \ x; "inv", @() inv(A); "qr", @() run_qr(A)};
    for w = works.'
      if (is_asked ("%s %d", w{1}, n))
        who = label;
        if (strncmp (w{1}, "gpumm", 5))
          [who, w{1}] = deal ("\"gpumm (A, B)\"", "A*B");
        endif
        put ("%s,%d,%s,%.2f\n", w{1}, n, who, in_turn (w(2), 5));
      endif
    endfor
  endfor
endfunction

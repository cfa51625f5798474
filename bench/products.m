## products.m - times products and arrays in Octave, beside Octave's own, by tables of cases.
##
##   octave-cli --no-history --norc bench/products.m PACKAGE TABLE FILE.csv [ONLY [LABEL]]
##
## PACKAGE is the folder with the gateways (build/package).  TABLE, by the file of bench/results:
##
##   full         square products by algorithm: auto.csv; data that narrow types hold: narrow.csv
##   sparse       sparse by sparse and by full
##   filled       sparse by sparse, from few elements to all
##   natural      sparse matrices that consist of natural blocks, as of meshes
##   blocksparse  floating-point blocks, by themselves and with full matrices
##   integers     blocks of uint16, host to host: the rows "engine" of blocks.csv
##   cpu          gpumm on the CPU beside `*`; hide a GPU with CUDA_VISIBLE_DEVICES=
##   walk         "auto" beside `*` and plain loops in C, over patterns of sparse matrices: each
##                ratio, and at last how many are slower than both by more than 10 % and 20 us
##   mtimes       Octave's operator without and with gpumm_mtimes
##   pages        pagemtimes beside a loop over `*`
##   arrays       programs of gpuArrays; peers.py arrays is CuPy doing the same
##   operations   operations of gpuArrays one by one; peers.py operations is CuPy doing the same
##   growth       gpuArrays and mmread, with n elements and with 4 n: linear work takes 4 times the
##                time, quadratic work 16 times
##   iterations   Markov clustering, power iteration, sign function: gpusparse.csv, gpublocks.csv
##   devices      one GPU, and "Device" "all"
##   memory       the most device memory, by nvidia-smi; nothing else may use the GPU
##   blas         A*B, A\b, chol, inv and qr of Octave: plain.csv, once by each BLAS, which LABEL
##                names
##
## ONLY: a regular expression; cases whose text matches it (all).  LABEL: the column build of full,
## the column who of blas; for iterations the folder into which graphs are written for peers.py.
##
## The ways of a case take turns, because other work on the machine disturbs them.  Times are
## medians in milliseconds, from host array to host array; results are cleared before, and are
## checked first.  Set OPENBLAS_CORETYPE=SkylakeX or Haswell if OpenBLAS does not know the
## processor (see bench/run).
##
## SPDX-License-Identifier: BSD-3-Clause
1;

## ---- full matrices -----------------------------------------------------------------------------

## Repeats a block of 1024 of integers or of numbers that are exactly single.
function X = narrow_data (letter, n, data)
  X = uniform (1024);
  switch (data)
    case "fractions"
      X = of_type (letter, n);
      return;
    case "singles"
      X = double (single (X));
    otherwise
      X = randi (str2double (data), 1024);
  endswitch
  X = repmat (X, n / 1024, n / 1024);
  if (letter == "s")
    X = single (X);
  endif
endfunction

## The first call is listed by itself: in it "auto" may measure the device.
function full_products (label)
  put (["build,type,n,data,algorithm,first_ms,median_ms,least_ms,most_ms,upload_ms,compute_ms," ...
        "download_ms,megabytes_up,kernel\n"]);
  cases = {"sdcz", [2048, 4096, 8192], "fractions", {"cublas", "emulated", "auto"}; ...
           "sd", 16384, "fractions", {"cublas", "emulated", "auto"}; ...
           "d", [1024, 2048, 4096, 8192], "singles", {"auto"}; ...
           "sd", [1024, 2048, 4096, 8192], "100", {"auto"}};
  for c = cases.'
    for letter = c{1}
      for n = c{2}
        wanted = c{4}(cellfun (@(name) is_asked ("%s%d %s %s", letter, n, c{3}, name), c{4}));
        if (isempty (wanted))
          continue;
        endif
        A = narrow_data (letter, n, c{3});
        B = narrow_data (letter, n, c{3});
        for name = wanted
          way = on (A, B, "Algorithm", name{1});
          begun = tic ();
          C = way ();
          first = 1e3 * toc (begun);
          check (C, A, B);
          clear C
          [ms, least, most] = in_turn ({way}, 7);
          info = report_of (way);
          put ("%s,%s,%d,%s,%s,%.2f,%.3f,%.3f,%.3f,%.2f,%.2f,%.2f,%.1f,\"%s\"\n", label, ...
               letter, n, ...
               c{3}, name{1}, first, ms, least, most, stages_of (info), 1e-6 * info.bytes.up, ...
               info.kernel);
        endfor
      endfor
    endfor
  endfor
endfunction

## ---- sparse matrices ---------------------------------------------------------------------------

function sparse_row (kind, n, each, A, B, octave_too)
  ways = {on(A, B), on(A, B, "Backend", "gpu"), on(A, B, "Backend", "cpu"), []};
  if (octave_too)
    ways{4} = @() A * B;
  endif
  other = merge (issparse (B), rows (A) * ! issparse (A), columns (B));
  C = ways{1} ();
  check (C, A, B);
  nonzeros = nnz (C);
  clear C
  if (nonzeros > 1e8)
    ways{3} = [];
  endif
  [ms, least] = in_turn (ways, 9);
  info = report_of (ways{1});
  put ("%s,%d,%d,%d,%d,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", kind, n, each, other, ...
       nonzeros, ...
       info.backend, ms(1:2), least(2), stages_of (report_of (ways{2})), ms(3:4));
endfunction

## The largest square fills the memory: 755 million nonzeros, 12 GB.
function sparse_products (~)
  put (["kind,n,a_column,other,nonzeros,auto_backend,auto,gpu,gpu_least,upload,compute," ...
        "download,cpu,octave\n"]);
  squares = [50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 5000, 200000, 1e6, 32768; ...
             8 * ones(1, 10), 40, 16, 8, 200];
  for c = squares
    if (is_asked ("square %d %d", c))
      A = random_columns (c(1), c(2));
      sparse_row ("square", c(1), c(2), A, A, prod (c) * c(2) < 1e8);
    endif
  endfor
  for c = [1000, 20000, 20000, 200000, 1000000; 8, 8, 64, 16, 8]
    A = random_columns (c(1), c(2));
    for other = [1, 4, 16, 64, 256](c(1) * [1, 4, 16, 64, 256] <= 8e7)
      if (is_asked ("left %d %d", c))
        sparse_row ("left", c(1), c(2), A, uniform (c(1), other), nnz (A) * other < 1e8);
      endif
      if (is_asked ("right %d %d", c))
        sparse_row ("right", c(1), c(2), uniform (other, c(1)), A, nnz (A) * other < 1e8);
      endif
    endfor
  endfor
endfunction

function filled_products (~)
  put (["class,n,density,nonzeros_of_c,auto_algorithm,auto_backend,auto,sparse,as_dense," ...
        "gpu_sparse,gpu_dense,octave\n"]);
  some = @(n, density) sparse (uniform (n) .* (rand (n) < density)); # sprand (n, n, 1) is not full
  by = {"Backend", "cpu", "Algorithm"};
  on_gpu = {"Backend", "gpu", "Algorithm"};
  cases = [kron([300, 1000, 2000], ones (1, 8)), 1000, 1000, 1000; ...
           repmat([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1], 1, 3), 0.1, 0.3, 0.7];
  for i = 1:columns (cases)
    class = merge (i > 24, "complex", "double");
    [n, density] = num2cell (cases(:,i)){:};
    if (! is_asked ("%s %d %g", class, n, density))
      continue;
    endif
    A = some (n, density) + (i > 24) * 1i * some (n, density);
    B = some (n, density) + (i > 24) * 1i * some (n, density);
    ways = {on(A, B), on(A, B, by{:}, "sparse"), on(A, B, by{:}, "sparse_as_full"), ...
            on(A, B, on_gpu{:}, "spgemm"), on(A, B, on_gpu{:}, "sparse_as_full"), []};
    if (n * nnz (A) * density < 5e8)
      ways{6} = @() A * B;
    endif
    R = ways{2} ();
    for way = ways(! cellfun (@isempty, ways))
      C = way{1} ();
      assert (nnz (C) == nnz (R) && norm (C - R, 1) <= 1e-12 * norm (R, 1));
    endfor
    ms = in_turn (ways);
    info = report_of (ways{1});
    put ("%s,%d,%g,%d,%s,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", class, n, density, nnz (R), ...
         info.algorithm, info.backend, ms);
  endfor
endfunction

function natural_row (what, b, A, B)
  ways = {on(A, B), on(A, B, "Backend", "cpu"), on(A, B, "Backend", "gpu"), []};
  C = ways{2} ();
  if (nnz (C) < 1e8)
    ways{4} = @() A * B;
    assert (isequal (C, A * B)); # to the last bit
  endif
  if (! isempty (ways{3}))
    assert (norm (ways{3} () - C, 1) <= 1e-12 * norm (C, 1));
  endif
  nonzeros = nnz (C);
  clear C
  ms = in_turn (ways, 9);
  cpu = report_of (ways{2});
  put ("%s,%d,%d,%d,%d,%.4g,%s,%.3f,%s,%.3f,%.3f,%.3f,%.3f\n", what, b, rows (A), nnz (A), ...
       nonzeros, ...
       cpu.flops, report_of (ways{1}).backend, ms(1), cpu.kernel, ms(2:3), ...
       stages_of (report_of (ways{3}))(2), ms(4));
endfunction

## "but one" is A without one element, and therefore without blocks.
function natural_products (~)
  put (["case,b,rows,nonzeros,nonzeros_of_c,flops,backend,auto_ms,kernel,cpu_ms,gpu_ms," ...
        "gpu_compute_ms,octave_ms\n"]);
  ## b, rows, dimensions, columns of a full X (0: A * A)
  cases = [1, 1e5, 2, 0; 2, 1e5, 2, 0; 3, 1e5, 2, 0; 4, 1e5, 2, 0; 6, 1e5, 2, 0; 8, 1e5, 2, 0; ...
           3, 300, 3, 0; 3, 1000, 3, 0; 3, 3000, 3, 0; 3, 1e4, 3, 0; 3, 3e4, 3, 0; 3, 1e5, 3, 0; ...
           2, 25000, 2, 16; 2, 25000, 2, 64; 3, 25000, 2, 16; 3, 25000, 2, 64; ...
           4, 25000, 2, 16; 4, 25000, 2, 64; 6, 25000, 2, 16; 6, 25000, 2, 64; ...
           8, 25000, 2, 16; 8, 25000, 2, 64];
  for c = cases.'
    [b, size, dimensions, width] = num2cell (c){:};
    name = {"plane", "space"}{dimensions - 1};
    if (width > 0)
      name = sprintf ("plane by %d columns", width);
    endif
    if (! is_asked ("%s %d %d", name, b, size))
      continue;
    endif
    A = B = of_mesh (size, dimensions, b);
    if (width > 0)
      B = uniform (rows (A), width);
    endif
    natural_row (name, b, A, B);
    A(1,1) = 0;
    if (width == 0)
      B = A;
    endif
    natural_row ([name " but one"], b, A, B);
  endfor
endfunction

## ---- matrices in blocks ------------------------------------------------------------------------

function blocks_row (what, type, b, A, B)
  ways = {on(A, B), on(A, B, "Backend", "gpu"), on(A, B, "Backend", "cpu")};
  for way = ways(! cellfun (@isempty, ways))
    C = way{1} ();
    check (C, A, B);
  endfor
  stored = NaN;
  if (isa (C, "blocksparse"))
    stored = nnzb (C);
  endif
  clear C
  ms = in_turn (ways, 7);
  info = report_of (ways{2});
  stages = stages_of (info);
  put ("%s,%s,%d,%d,%d,%d,%.4g,%s,%.3f,%s,%.3f,%.3f,%.3f,%.3f,%.1f,%.3f\n", what, type, b, ...
       rows (A), ...
       columns (B), stored, report_of (ways{3}).flops, report_of (ways{1}).backend, ms(1), ...
       info.kernel, ms(2), stages, 1e-6 * info.flops / stages(2), ms(3));
endfunction

function blocksparse_products (~)
  put (["case,elements,b,rows,columns,blocks_of_c,flops,auto,auto_ms,kernel,gpu_ms,upload," ...
        "compute,download,gflops,cpu_ms\n"]);
  for n = [200, 2000, 50000]
    if (is_asked ("full %d", n))
      S = random_blocks (4, n, 16);
      F = uniform (4 * n, 256);
      blocks_row ("random 16 x full", "double", 4, S, F);
      blocks_row ("full x random 16", "double", 4, F', S);
      blocks_row ("full x random 16 not in blocks", "double", 1, F', sparse (S));
    endif
  endfor
  if (is_asked ("mesh"))
    [I, J, n] = mesh (46, 3);
    S = of_places (3, n, I, J, "double");
    blocks_row ("mesh", "double", 3, S, S);
  endif
  cases = {"double", 4, 100, 8; "double", 4, 400, 8; "double", 4, 1600, 8; "double", 4, 6400, 8; ...
           "double", 16, 400, 8; "double", 64, 60, 8; "double", 4, 25000, 16; ...
           "double", 9, 8000, 16; ...
           "double", 64, 300, 16; "single", 4, 25000, 16; "complex double", 9, 4000, 16};
  for c = cases.'
    if (is_asked ("%s %d %d %d", c{:}))
      S = random_blocks (c{2:4}, c{1});
      blocks_row (sprintf ("random %d", c{4}), c{1}, c{2}, S, S);
    endif
  endfor
endfunction

## `count` random places of the block matrix, about as many in each row.
function S = random_integers (b, n, count)
  [J, I] = find (rand (n / b) < count / (n / b)^2); # by rows, as they are stored
  S = of_places (b, n / b, I, J, "uint16");
endfunction

function integer_products (~)
  put ("n,m,blocks,high,products,blocks_c,kernel,note,ms_symbolic,ms_numeric,ms,gops,wrong\n");
  for c = [32768, 32768, 32768, 32768, 8192; 4, 4, 4, 8, 8; 1e6, 1e7, 3.3e7, 8.8e6, 6e4]
    if (! is_asked ("%d %d %d", c))
      continue;
    endif
    A = random_integers (c(2), c(1), c(3));
    B = random_integers (c(2), c(1), c(3));
    way = on (A, B, "OutputClass", "uint32");
    ms = in_turn ({way}, 5);
    [C, info] = way ();
    wrong = ! isequal (C(1:64,:), gpumm (A(1:64,:), B, "OutputClass", "uint32", "Backend", "cpu"));
    stages = stages_of (info);
    put ("%d,%d,%d,65535,%.6g,%d,engine,%s,%.4f,%.4f,%.4f,%.4g,%d\n", c, ...
         info.flops / 2 / c(2)^3, ...
         nnzb (C), info.kernel, stages(1:2), ms, 1e-6 * info.flops / ms, wrong);
  endfor
endfunction

## ---- the CPU beside `*` ------------------------------------------------------------------------

function cpu_row (name, A, B)
  if (! is_asked ("%s", name))
    return;
  endif
  R = A * B;
  assert (norm (gpumm (A, B) - R, 1) <= 1e-5 * norm (R, 1));
  clear R
  ms = in_turn ({@() A * B, @() gpumm(A, B)}, 201);
  put ("%s,%.4f,%.4f,%.2f\n", name, ms, ms(2) / ms(1));
endfunction

function cpu_products (~)
  put ("case,octave_ms,gpumm_ms,ratio\n");
  for n = [2, 10, 30, 100, 200, 300, 500, 1000, 2000, 4000]
    cpu_row (sprintf ("double %d", n), uniform (n), uniform (n));
  endfor
  A = uniform (2000);
  Z = of_type ("z", 1000);
  cpu_row ("matrix by vector 2000", A, rand (2000, 1));
  cpu_row ("vector by matrix 2000", rand (1, 2000), A);
  cpu_row ("column by row 2000", rand (2000, 1), rand (1, 2000));
  cpu_row ("row by column 1e6", rand (1, 1e6), rand (1e6, 1));
  cpu_row ("A by A' 2000", A, A');
  cpu_row ("single 2000", single (A), single (A));
  cpu_row ("complex 1000", Z, Z);
  cpu_row ("real by complex 1000", rand (1000), Z);
  cpu_row ("complex by real 1000", Z, rand (1000));
  S = sprand (50000, 50000, 3e-4);
  T = sprand (50000, 50000, 3e-4);
  cpu_row ("sparse by sparse 50000", S, T);
  cpu_row ("sparse by full 64 columns", S, rand (50000, 64));
  cpu_row ("full 64 rows by sparse", rand (64, 50000), S);
  cpu_row ("sparse by vector", S, rand (50000, 1));
  cpu_row ("vector by sparse", rand (1, 50000), S);
  cpu_row ("sparse complex by sparse", S * (1 + 2i), T);
  for n = [50, 100, 200, 300, 500, 1000]
    S = random_columns (n, 8);
    cpu_row (sprintf ("sparse %d of 8 a column", n), S, S);
  endfor
  for other = [1, 4, 16, 64] # S is now 1000 x 1000
    cpu_row (sprintf ("sparse by %d columns", other), S, rand (1000, other));
    cpu_row (sprintf ("%d rows by sparse", other), rand (other, 1000), S);
  endfor
  S = random_columns (5000, 8);
  for other = [1, 2, 3, 4, 16, 64, 200]
    cpu_row (sprintf ("%d rows by sparse 5000", other), rand (other, 5000), S);
    cpu_row (sprintf ("%d complex rows by sparse 5000", other), complex (rand (other, 5000), 1), S);
  endfor
  S = sprand (20000, 5, 0.1);
  cpu_row ("row by 5 sparse columns", rand (1, 20000), S);
  cpu_row ("300 rows by 5 sparse columns", rand (300, 20000), S);
endfunction

## Sparse matrices by their pattern, n x n, and columns; the transpose if the name ends in '.
function S = of_pattern (pattern, n)
  if (pattern(end) == "'")
    S = of_pattern (pattern(1:end - 1), n).';
    return;
  endif
  [name, count] = strtok (pattern);
  count = str2double (count);
  switch (pattern)
    case "sparse column"
      S = sprand (n, 1, 0.01);
    case "empty column"
      S = sparse (n, 1);
    case "full column"
      S = uniform (n, 1);
    case "8 full columns"
      S = uniform (n, 8);
    otherwise
      S = square_of_pattern (name, count, n);
  endswitch
endfunction

function S = square_of_pattern (name, count, n)
  switch (name)
    case "diagonal"
      S = sparse (1:n, 1:n, uniform (n, 1));
    case "band"
      S = spdiags (uniform (n, count), (1:count) - ceil (count / 2), n, n);
    case "empty"
      S = sparse (n, n);
    case "row"
      S = sparse (ceil (n / 2), 1:n, uniform (n, 1), n, n);
    case "column"
      S = sparse (1:n, ceil (n / 2), uniform (n, 1), n, n);
    case "arrow"
      S = sparse ([1:n, 1:n, ones(1, n - 1)], [1:n, ones(1, n), 2:n], ...
                  1 + rand (1, 3 * n - 1), n, n);
    case "hub" # ten columns that are a tenth full, and a random element in each column
      S = sparse ([randi(n, n, 1); (1:n)'], [(1:n)'; randi(10, n, 1)], 1 + rand (2 * n, 1), n, n);
    case "blocks"
      S = kron (speye (ceil (n / count)), ones (count))(1:n, 1:n);
    case "random"
      S = random_columns (n, count);
  endswitch
endfunction

function count = multiplications (A, B)
  if (issparse (A) && issparse (B))
    count = full (sum (spones (A), 1)) * full (sum (spones (B), 2));
  elseif (issparse (A))
    count = nnz (A) * columns (B);
  else
    count = nnz (B) * rows (A);
  endif
endfunction

## Is gpumm slower than both? [] where the product is not measured.  Backend and algorithm are those
## with a report: without one, products that read few elements go on to Octave.
function slower = walk_row (left, right, n, A, B)
  slower = [];
  if (multiplications (A, B) > 1e8)
    return;
  endif
  ways = {@() A * B, @() plain_loops(A, B), on(A, B)};
  R = ways{1} ();
  for way = ways(2:3)
    C = way{1} ();
    assert (norm (C - R, 1) <= 1e-12 * norm (R, 1));
  endfor
  clear R C
  ms = in_turn (ways, 101, 0.4);
  best = min (ms(1:2));
  slower = ms(3) > 1.1 * best && ms(3) > best + 0.02;
  info = report_of (ways{3});
  put ("%s,%s,%d,%s,%s,%.4f,%.4f,%.4f,%.2f,%d\n", left, right, n, info.backend, info.algorithm, ...
       ms, ms(3) / best, slower);
endfunction

function walk (~)
  work = tempname ();
  mkdir (work);
  tidy = onCleanup (@() rmdir (work, "s"));
  compiler = {getenv("MKOCTFILE"), "mkoctfile"}{1 + isempty (getenv ("MKOCTFILE"))};
  source_file = fullfile (fileparts (mfilename ("fullpath")), "plain_loops.c");
  [status, said] = system (sprintf ("cd '%s' && '%s' --mex '%s'", work, compiler, source_file));
  assert (status == 0, "%s", said);
  addpath (work);
  put ("left,right,n,backend,algorithm,octave_ms,loops_ms,gpumm_ms,ratio,slower\n");
  patterns = [{"diagonal"}, arrayfun(@(w) sprintf ("band %d", w), 2:9, "UniformOutput", false), ...
              {"empty", "row", "column", "arrow", "hub", "blocks 4", "random 1", "random 2", ...
               "random 5", "random 10", "random 30", "random 100"}];
  partners = {"diagonal", "band 3"};
  columns = {"sparse column", "empty column", "full column", "8 full columns"};
  slower = [];
  for n = 10 .^ (2:6)
    for pattern = patterns
      name = pattern{1};
      if (strncmp (name, "random", 6) && str2double (name(7:end)) * n > 1e7)
        continue;
      endif
      same = repmat ({name}, 1, 6);
      lefts = [{name}, same, partners, strcat(columns, "'")];
      rights = [{name}, partners, columns, same];
      asked = cellfun (@(left, right) is_asked ("%s by %s %d", left, right, n), lefts, rights);
      if (! any (asked))
        continue; # a large one takes seconds to make
      endif
      S = of_pattern (name, n);
      for i = find (asked)
        A = B = S;
        if (! strcmp (lefts{i}, name))
          A = of_pattern (lefts{i}, n);
        endif
        if (! strcmp (rights{i}, name))
          B = of_pattern (rights{i}, n);
        endif
        slower = [slower, walk_row(lefts{i}, rights{i}, n, A, B)];
      endfor
    endfor
  endfor
  put ("# slower by more than 10 %% and 20 us: %d of %d\n", sum (slower), numel (slower));
endfunction

## Within @() Octave does not tell S'*v from a transpose and a product.
function C = multiply (work, S, v, V)
  switch (work)
    case "S*v"
      C = S * v;
    case "S'*v"
      C = S' * v;
    case "v'*S"
      C = v' * S;
    case "S*V"
      C = S * V;
    case "S'*V"
      C = S' * V;
    case {"S*S", "A*A"}
      C = S * S;
    case {"S'*S", "A'*A"}
      C = S' * S;
  endswitch
endfunction

function mtimes_row (work, n, d, varargin)
  if (! is_asked ("%s %d %d", work, n, d))
    return;
  endif
  product = @() multiply (work, varargin{:});
  ms = zeros (5, 2);
  for r = 1:rows (ms)
    for with = [false, true] # gpumm_mtimes is not timed
      gpumm_mtimes (with);
      ms(r,1 + with) = in_turn ({product}, 51);
      C{1 + with} = product ();
    endfor
  endfor
  gpumm_mtimes (false);
  assert (norm (C{2} - C{1}, 1) <= 1e-10 * norm (C{1}, 1));
  ms = median (ms);
  put ("%s,%d,%d,%.4f,%.4f,%.2f\n", work, n, d, ms, ms(1) / ms(2));
endfunction

function mtimes_products (~)
  put ("work,n,d,octave_ms,gpumm_ms,ratio\n");
  for c = [3e3, 3e3, 3e3, 1e4, 1e4, 1e4, 1e5, 1e5, 1e5, 5e5, 5e5; repmat([3, 10, 50], 1, 3), 3, 10]
    S = sprand (c(1), c(1), c(2) / c(1));
    v = rand (c(1), 1);
    V = rand (c(1), 4);
    works = {"S*v", "S'*v", "v'*S", "S*V", "S'*V", "S*S", "S'*S"};
    for work = works(1:merge (prod (c) * c(2) < 3e7, 7, 5))
      mtimes_row (work{1}, c(1), c(2), S, v, V);
    endfor
  endfor
  for n = [256, 500, 1000, 2000]
    mtimes_row ("A*A", n, n, rand (n));
    mtimes_row ("A'*A", n, n, rand (n));
  endfor
endfunction

## ---- pages -------------------------------------------------------------------------------------

function Z = loop (X, Y, transposes)
  Z = zeros (rows (X), columns (Y), size (Y, 3), class (X)); # square pages
  for i = 1:size (Y, 3)
    if (transposes)
      Z(:,:,i) = X(:,:,i).' * Y(:,:,i);
    else
      Z(:,:,i) = X(:,:,i) * Y(:,:,i);
    endif
  endfor
endfunction

## The seconds of all cores together, which other work on the machine disturbs less.
function ms = cpu_of (way)
  ms = zeros (1, 7);
  for r = 1:7
    used = cputime ();
    Z = way ();
    ms(r) = 1e3 * (cputime () - used);
    clear Z
  endfor
  ms = median (ms);
endfunction

function page_products (~)
  put (["case,n,pages,loop_ms,pagemtimes_ms,ratio,gflops,matrix_ms,loop_cpu_ms," ...
        "pagemtimes_cpu_ms,matrix_cpu_ms\n"]);
  same = @(x) x;
  z = @(x) complex (x, 1);
  cases = {"double", 4, 20000, same, same; "double", 16, 10000, same, same; ...
           "double", 64, 2000, same, same; ...
           "double", 256, 60, same, same; "double", 1024, 4, same, same; ...
           "transposed", 64, 2000, same, same; "single", 64, 2000, @single, @single; ...
           "complex by real", 64, 2000, z, same; "complex", 64, 2000, z, z};
  for c = cases.'
    [name, n, pages] = c{1:3};
    if (! is_asked ("%s %d", name, n))
      continue;
    endif
    X = c{4}(rand (n, n, pages) - 0.5);
    Y = c{5}(rand (n, n, pages) - 0.5);
    A = X(:,:,1);
    transposes = strcmp (name, "transposed");
    op = {"none", "transpose"}{1 + transposes};
    ways = {@() loop(X, Y, transposes), @() pagemtimes(X, op, Y, "none"), @() pagemtimes(A, Y)};
    Z = ways{1} ();
    assert (norm ((ways{2} () - Z)(:), 1) <= 1e-5 * norm (Z(:), 1));
    clear Z
    ms = in_turn (ways, 51);
    flops = 2 * n^3 * pages * (1 + iscomplex (X)) * (1 + iscomplex (Y));
    put ("%s,%d,%d,%.3f,%.3f,%.2f,%.1f,%.3f,%.3f,%.3f,%.3f\n", name, n, pages, ms(1:2), ...
         ms(1) / ms(2), ...
         1e-6 * flops / ms(2), ms(3), cellfun (@cpu_of, ways));
  endfor
endfunction

## ---- the tables --------------------------------------------------------------------------------

root = fileparts (fileparts (mfilename ("fullpath")));
source (fullfile (root, "bench", "measuring.m"));
source (fullfile (root, "bench", "programs.m"));
tables = struct ("full", @full_products, "sparse", @sparse_products, "filled", @filled_products, ...
                 "natural", @natural_products, "blocksparse", @blocksparse_products, ...
                 "integers", @integer_products, "cpu", @cpu_products, "walk", @walk, ...
                 "mtimes", @mtimes_products, ...
                 "pages", @page_products, "arrays", @array_programs, ...
                 "operations", @operation_programs, "growth", @growth, ...
                 "iterations", @iterations, ...
                 "devices", @device_products, "memory", @memory_products, ...
                 "blas", @octave_functions);
args = argv ();
if (numel (args) < 3 || ! isfield (tables, args{2}))
  error ("usage: products.m PACKAGE TABLE FILE.csv [ONLY [LABEL]]; tables: %s", ...
         strjoin (fieldnames (tables).', " "));
endif
addpath (args{1}, fullfile (root, "octave"));
setenv ("GPUMM_TUNED", "0");
rand ("twister", 1);
global file only
args(end+1:5) = {"."; ""}(numel (args) - 2:2);
file = fopen (args{3}, "w");
only = args{4};
about = gpumm_info ();
device = "no GPU";
if (! isempty (about.devices))
  device = sprintf ("%d x %s", numel (about.devices), about.devices(1).name);
endif
put ("# products.m %s\n", strjoin (args(2:end).', " "));
put ("# %s; %d cores; %s %s; Octave %s; gpumm %s (%s)\n", device, nproc (), version ("-blas"), ...
     getenv ("OPENBLAS_CORETYPE"), version (), about.version, about.build);
tables.(args{2}) (args{5});
fclose (file);

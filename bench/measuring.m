## measuring.m - operands and times of products.m.
##
## SPDX-License-Identifier: BSD-3-Clause
1;

## ---- operands ----------------------------------------------------------------------------------

function X = uniform (m, n = m)
  X = rand (m, n) - 0.5;
endfunction

## By BLAS letter.
function X = of_type (letter, n)
  X = uniform (n);
  if (any (letter == "cz"))
    X = complex (X, uniform (n));
  endif
  if (any (letter == "sc"))
    X = single (X);
  endif
endfunction

## `each` random elements in a column.
function A = random_columns (n, each)
  A = sparse (randi (n, n * each, 1), repmat ((1:n)', each, 1), rand (n * each, 1) - 0.5, n, n);
endfunction

## n block rows with `each` random blocks of b x b.
function S = random_blocks (b, n, each, type = "double")
  I = repmat ((1:n)', each, 1);
  J = mod (I + reshape (repmat (randperm (n, each), n, 1), [], 1), n) + 1;
  S = of_places (b, n, I, J, type);
endfunction

function S = of_places (b, n, I, J, type)
  if (strcmp (type, "uint16"))
    blocks = uint16 (65535 * rand (b, b, numel (I), "single"));
  else
    blocks = rand (b, b, numel (I), strrep (type, "complex ", "")) - 0.5;
    if (strncmp (type, "complex", 7))
      blocks = complex (blocks, rand (size (blocks)) - 0.5);
    endif
  endif
  S = blocksparse (I, J, blocks, n * b, n * b);
endfunction

## Couples each node of n x n or n x n x n with its neighbours: rows and columns.
function [I, J, nodes] = mesh (n, dimensions)
  flat = dimensions == 2;
  [x, y, z] = ndgrid (1:n, 1:n, 1:n^!flat);
  [dx, dy, dz] = ndgrid (-1:1, -1:1, (-1:1) * !flat);
  near = ! flat | (1:27)' <= 9;
  X = x(:)' + dx(near);
  Y = y(:)' + dy(near);
  Z = z(:)' + dz(near);
  inside = min (min (X, Y), Z) >= 1 & max (X, Y) <= n & Z <= n;
  nodes = numel (x);
  I = repmat (1:nodes, nnz (near), 1)(inside);
  J = (X + n * (Y - 1) + n^2 * (Z - 1))(inside);
endfunction

## b unknowns at each node, about so many rows.
function A = of_mesh (rows, dimensions, b)
  [I, J] = mesh (round ((rows / b) ^ (1 / dimensions)), dimensions);
  A = kron (sparse (I, J, 1), ones (b));
  A = spfun (@(v) rand (size (v)) - 0.5, A);
endfunction

function n = bytes_of (X)
  if (isa (X, "blocksparse"))
    X = struct (X);
  endif
  n = sizeof (X);
endfunction

## ---- measuring ---------------------------------------------------------------------------------

## Prints a row to the file and the screen.
function put (varargin)
  global file
  line = sprintf (varargin{:});
  fputs (file, line);
  fputs (stdout, line);
  fflush (file);
endfunction

function yes = is_asked (varargin)
  global only
  yes = ! isempty (regexp (sprintf (varargin{:}), only, "once"));
endfunction

## [MS, LEAST, MOST] of each way, NaN where it is empty; of C only the first way's is kept.  At most
## MOST_REPEATS times, in about so many SECONDS.
function [ms, least, most, C] = in_turn (ways, most_repeats = 15, seconds = 2)
  there = find (! cellfun (@isempty, ways));
  once = 0;
  for i = fliplr (there) # loads libraries, starts threads
    clear C
    begun = tic ();
    C = ways{i} ();
    once += toc (begun);
  endfor
  repeats = min (max (3, floor (seconds / once)), most_repeats);
  ms = NaN (repeats, numel (ways));
  for r = 1:repeats
    for i = there
      clear D
      begun = tic ();
      D = ways{i} ();
      ms(r,i) = 1e3 * toc (begun);
    endfor
  endfor
  least = min (ms, [], 1);
  most = max (ms, [], 1);
  ms = median (ms, 1);
endfunction

## Compares C * x with A * (B * x).
function check (C, A, B)
  x = rand (columns (B), 1) - 0.5;
  on_cpu = @(X, y) gpumm (X, y, "Backend", "cpu");
  right = on_cpu (A, on_cpu (B, x));
  tolerance = merge (isa (right, "single"), 1e-3, 1e-10);
  assert (norm (double (on_cpu (C, x) - right), Inf) <= tolerance * norm (double (right), Inf));
endfunction

## The product with these options, or, without a GPU, none.
function way = on (A, B, varargin)
  way = @() gpumm (A, B, varargin{:});
  if (isempty (varargin)) # {:} would be timed, too
    way = @() gpumm (A, B);
  endif
  if (any (strcmp (varargin, "gpu")) && ! gpumm_available ("gpu"))
    way = [];
  endif
endfunction

## What ran; NaN and "" where there is no such way.
function info = report_of (way)
  info = struct ("kernel", "", "flops", NaN, "backend", "", "algorithm", "", ...
                 "seconds", struct ("upload", NaN, "compute", NaN, "download", NaN));
  if (! isempty (way))
    [~, info] = way ();
    info.kernel = strrep (info.kernel, ",", ";"); # a field of a CSV file
  endif
endfunction

function ms = stages_of (info)
  ms = 1e3 * [info.seconds.upload, info.seconds.compute, info.seconds.download];
endfunction

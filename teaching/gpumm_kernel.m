## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_kernel (@var{kernel}, @var{A}, @var{B})
## @deftypefnx {} {[@var{C}, @var{trace}] =} gpumm_kernel (@dots{}, @var{name}, @var{value})
## @deftypefnx {} {[@var{C}, @var{trace}, @var{record}] =} gpumm_kernel (@dots{})
## Multiply two matrices by one kernel, and count its operations and memory accesses.
##
## Without an output argument the counts are printed as a table.
##
## @var{kernel} is @qcode{"loops"}, the three loops of the definition on the CPU, or a family of
## @code{gpumm_info ().kernels}, for instance @qcode{"naive"}, one thread for each element of C, or
## @qcode{"tiled"}, tiles of A and B in shared memory.  @code{gpumm_info ()} has a line about each.
## They multiply full matrices.  @qcode{"classic"} multiplies two @code{blocksparse} matrices of
## uint16 in blocks of 4 x 4 or 8 x 8; the product has elements of uint32, and a block of threads
## computes a block of C.  Its rows are @qcode{"classic_one"}, which launches the kernel once for
## each block of C; @qcode{"classic_search"}, which looks up the blocks of B; and @qcode{"classic"},
## which merges a row of A and a column of B.  A family runs the row of the table that suits the
## sizes, or the row that the options below ask for.  @var{kernel} may also be the name of a row.
## @code{gpumm_source (@var{kernel})} shows the source.
##
## Without a GPU the kernel runs on the CPU, from the same source: for study, not for speed.  The
## CPU counts every access, warp by warp, as a GPU would make it.  A tile of 8 x 8 in shared memory
## uses each loaded number 8 times:
##
## @example
## @group
## A = magic (16);
## [C, trace] = gpumm_kernel ("naive", A, A);
## trace.load.total.elements            # 2 n^3
##   @result{} ans = 8192
## [C, trace] = gpumm_kernel ("tiled", A, A, "Tile", 8);
## trace.load.total.elements            # 2 n^3 / 8
##   @result{} ans = 1024
## @end group
## @end example
##
## Options are pairs of a name, in upper or lower case, and a value.  The first four choose a row of
## the table; if no row fits, the error says what there is.  @qcode{"classic"} does not take them:
## its tiles are the blocks of A and B.
##
## @table @asis
## @item @qcode{"Tile"}
## The part of C that a block of threads computes: @code{m} (square), @code{[m, n]}, or
## @code{[m, n, k]} with the step along the inner dimension.
##
## @item @qcode{"Thread"}
## The part of C that a thread computes in its registers, @code{m} or @code{[m, n]}.
##
## @item @qcode{"Grid"}
## The number of blocks down and across C, @code{[down, across]}.
##
## @item @qcode{"Depth"}
## The number of times that @qcode{"strassen"} halves the matrices, from 1.
##
## @item @qcode{"TransposeA"}, @qcode{"TransposeB"}
## @qcode{"none"}, @qcode{"transpose"} or @qcode{"ctranspose"}, as in @code{gpumm}.
##
## @item @qcode{"Backend"}
## @qcode{"auto"} (the default): the GPU if there is one; @qcode{"gpu"}; @qcode{"cpu"}.
##
## @item @qcode{"Device"}
## The index of the GPU to use, from 0.
##
## @item @qcode{"Count"}
## If true, count.  The default is true if you ask for @var{trace} or the table.  Counting a product
## of two 256 x 256 matrices takes 1 to 12 seconds, the longest with @qcode{"naive"}.
## Larger products, with @w{m n k} above 256^3 or k above 8192, are an error.  With
## @code{"Count", false} any size runs, and the counts are NaN.  On a GPU the counts come from a
## second run on the CPU; sizes that are too large give NaN there, and an error only if you set
## @qcode{"Count"}.
## @end table
##
## @var{trace} is a struct with these fields:
##
## @table @code
## @item kernel, algorithm, backend, device
## What ran: its row in the table and its family, @qcode{"cpu"} or @qcode{"gpu"}, the device's name.
## @item precision, m, n, k
## The class of the elements of A and B, and the sizes: C is m x n, and k is the inner size.
## @item tile, thread
## @code{[m, n, k]} of a block and @code{[m, n]} of a thread.
## @item grid, blocks, launches
## The blocks down and across C; the number of all blocks; the number of launches.
## @qcode{"strassen"} makes several launches, and so does @qcode{"classic"}, which first finds the
## blocks of C.
## @item threads, shared_bytes
## The threads of a block along x and y, and its shared memory.
## @item registers, occupancy
## The registers of a thread, and the resident share of a multiprocessor's threads.  NaN on the CPU.
## @item seconds
## The time of all launches of the kernel, without transfers and without counting; on a GPU by its
## own events.
## @item flops
## A struct: @code{needed}, 2mnk (complex: 8mnk; blocks: the operations of the blocks that meet),
## and @code{done}, the number counted, including those on padding and temporaries.
## @item load, store
## Structs of the traffic to global memory: @code{A}, @code{B}, @code{C}, @code{temporaries} and
## @code{total}.  Each is a struct of the @code{elements} that threads asked for, the
## @code{requests} of warps of 32 threads, and the @code{sectors} of 32 bytes that the requests
## touched.  A coalesced request of 32 doubles touches 8 sectors, a scattered one 32.  For
## @code{blocksparse} matrices A, B and C count elements of blocks; the positions of the blocks
## count in @code{total} only.
## @item shared
## A struct of @code{load} and @code{store}: @code{elements}, @code{requests}, @code{passes} over
## the 32 banks of 4 bytes, and @code{conflicts}, the passes that a better layout would spare.
## @item barriers
## The number of barriers, summed over all blocks.
## @item bytes, intensity
## The bytes of all sectors loaded and stored, and the operations done per byte.
## @item per_block
## @code{load}, @code{store}, @code{shared}, @code{barriers} and @code{flops} (those done), divided
## by @code{blocks}; for @qcode{"classic"} divided by the blocks of @code{grid}, one for each block
## that C can have.
## @end table
##
## @example
## @group
## [C, trace] = gpumm_kernel ("tiled", ones (33), ones (33), "Tile", 32);
## printf ("%d blocks, %d operations for %d\n", trace.blocks, trace.flops.done, trace.flops.needed)
##   @print{} 4 blocks, 524288 operations for 71874
## [C, trace] = gpumm_kernel ("tiled_32_unpadded", ones (32), ones (32));
## trace.shared.store.conflicts > 0
##   @result{} ans = 1
## @end group
## @end example
##
## @qcode{"classic"} reads @math{b^3} numbers of A for each pair of blocks that meet:
##
## @example
## @group
## S = blocksparse (uint16 (kron (eye (3), magic (4))), 4);
## [C, trace] = gpumm_kernel ("classic", S, S);
## trace.load.A.elements                # 3 pairs of 4 x 4
##   @result{} ans = 192
## @end group
## @end example
##
## @var{record} has the accesses that were counted, 131072 at most.  Each field is a column with a
## row for each access:
##
## @table @code
## @item request
## The number of the warp's request, from 0.  Between two barriers the first requests of all warps
## of a block come first, then the second ones, and so on.
## @item block, thread, barriers
## The block, the thread in it, and the barriers that all blocks have passed before; from 0.
## @item line
## The line of the kernel's source.
## @item store
## 1: the thread writes; 0: it reads.
## @item array, offset, bytes
## 1 to 3: A, B or C; 4: temporaries; from 5: the arrays in shared memory, whose @code{name} and
## @code{columns} are in the field @code{shared}; the offset in bytes, and the bytes accessed.
## The columns of A, B and C are @code{ld(1)}, @code{ld(2)} and @code{ld(3)} elements apart.
## @item transfers, conflicts
## The sectors or the passes of the request, and its bank conflicts.
## @end table
##
## Errors have the identifiers of @code{gpumm} and @code{gpumm:too-large}.
## @seealso{gpumm_steps, gpumm_source, gpumm_plot, gpumm, gpumm_info}
## @end deftypefn

function [C, trace, record] = gpumm_kernel (kernel, A, B, varargin)

  if (nargin < 3)
    print_usage ();
  endif
  if (nargout == 0)
    print_trace (trace_of (kernel, A, B, varargin));
    return;
  endif
  info = __gpumm_info__ ();
  kernels = info.kernels;
  o = parse (varargin);
  given = ! isempty (o.count);
  if (! given)
    o.count = nargout > 1;
  endif
  if (is_classic (kernel, info.sparse_kernels))
    check_blocks (kernel, A, B, o);
    o.output = "uint32";
    o.algorithm = lower (kernel);
    s = sizes_of (A, B, o);
  else
    [A, B] = alike (A, B);
    s = sizes_of (A, B, o);
    o.algorithm = choose (kernel, kernels, o, s);
  endif

  counting = o.count && ! strcmp (o.algorithm, "loops");
  if (nargout > 2 && ! counting)
    error ("gpumm:bad-value", ["gpumm_kernel: RECORD is of a kernel that is counted. Choose " ...
                               "another one than loops, and leave \"Count\" out"]);
  endif
  on_gpu = o.backend == 2;
  o.records = nargout > 2;
  [C, info, t, record] = run (A, B, o, counting && ! on_gpu);
  row = strtok (info.kernel);
  if (counting && on_gpu)
    [t, record] = count_on_cpu (t, A, B, o, row, given);
  endif
  if (nargout > 1)
    k = kernels(strcmp ({kernels.name}, row));
    trace = describe (t, info, row, k, s, underlyingType (A));
  endif

endfunction

## The trace, with counts unless "Count" is false or the product is too large to count.
function trace = trace_of (kernel, A, B, options)

  try
    [~, trace] = gpumm_kernel (kernel, A, B, options{:});
  catch err
    if (! strcmp (err.identifier, "gpumm:too-large") || any (strcmpi (options(1:2:end), "Count")))
      rethrow (err);
    endif
    [~, trace] = gpumm_kernel (kernel, A, B, options{:}, "Count", false);
  end_try_catch

endfunction

## ---- options ------------------------------------------------------------------------------------

function o = parse (list)

  ops = {"none", "transpose", "ctranspose"};
  backends = {"auto", "cpu", "gpu"};
  from_1 = @(x, counts) isnumeric (x) && isreal (x) && any (numel (x) == counts) ...
                        && all (x(:) >= 1) && all (x(:) == fix (x(:)));
  table = { ...
    "Tile", [], @(x) from_1 (x, 1:3), "one to three whole numbers from 1, [m, n, k]"; ...
    "Thread", [], @(x) from_1 (x, 1:2), "one or two whole numbers from 1, [m, n]"; ...
    "Grid", [], @(x) from_1 (x, 2), "two whole numbers from 1, [down, across]"; ...
    "Depth", [], @(x) from_1 (x, 1), "a whole number from 1"; ...
    "TransposeA", "none", @(x) is_word (x, ops), '"none", "transpose" or "ctranspose"'; ...
    "TransposeB", "none", @(x) is_word (x, ops), '"none", "transpose" or "ctranspose"'; ...
    "Backend", "auto", @(x) is_word (x, backends), '"auto", "cpu" or "gpu"'; ...
    "Device", -1, @(x) isnumeric (x) && isscalar (x) && x >= 0 && x == fix (x), ...
    "the index of a device, from 0"; ...
    "Count", [], @(x) isscalar (x) && (islogical (x) || isnumeric (x)), "true or false"};
  o = __options_of__ ("gpumm_kernel", list, table);
  for name = {"tile", "thread", "grid", "depth"}
    o.(name{1}) = double (o.(name{1})(:).');
  endfor
  if (isscalar (o.tile))
    o.tile = [o.tile, o.tile];
  endif
  if (isscalar (o.thread))
    o.thread = [o.thread, o.thread];
  endif
  o.transpose_a = find (strcmpi (o.transposea, ops)) - 1;
  o.transpose_b = find (strcmpi (o.transposeb, ops)) - 1;
  o.backend = find (strcmpi (o.backend, backends)) - 1;
  if (o.backend == 0)
    o.backend = 1 + gpumm_available ("gpu");
  endif
  o.device = double (o.device);
  o.count = logical (o.count);
  o.max_device_memory = 0;
  o.max_capability = 0;

endfunction

function yes = is_word (x, words)
  yes = ischar (x) && isrow (x) && any (strcmpi (x, words));
endfunction

## ---- operands -----------------------------------------------------------------------------------

## Full matrices of the class of their product, both real or both complex.
function [A, B] = alike (A, B)

  for X = {A, B}
    if (ndims (X{1}) > 2)
      error ("gpumm:nd-array", ["gpumm_kernel: A is %s and B is %s; a kernel multiplies " ...
                                "matrices. pagemtimes (A, B) multiplies each page"], ...
             sprintf ("%dx", size (A))(1:end-1), sprintf ("%dx", size (B))(1:end-1));
    elseif (strcmp (class (X{1}), "gpuArray"))
      error ("gpumm:unsupported", ["gpumm_kernel: a kernel multiplies matrices in host memory. " ...
                                   "Use gather (X) of a gpuArray"]);
    elseif (! (isfloat (X{1}) || islogical (X{1}) || ischar (X{1})) || issparse (X{1}))
      error ("gpumm:unsupported", ["gpumm_kernel: the kernels multiply full matrices, double " ...
                                   "or single, real or complex; only classic multiplies " ...
                                   "blocksparse matrices"]);
    endif
  endfor
  to = "double";
  if (isa (A, "single") || isa (B, "single"))
    to = "single";
  endif
  convert = @(X) full (feval (to, X));
  if (iscomplex (A) || iscomplex (B)) # also where all imaginary parts are 0
    convert = @(X) complex (full (feval (to, X)));
  endif
  A = convert (A);
  B = convert (B);

endfunction

## An error unless the kernel multiplies these matrices.
function check_blocks (kernel, A, B, o)

  if (! isempty ([o.tile, o.thread, o.grid, o.depth]))
    error ("gpumm:bad-value", ["gpumm_kernel: %s has no Tile, Thread, Grid or Depth: its tiles " ...
                               "are the blocks of A and B"], lower (kernel));
  elseif (! (is_short (A) && is_short (B) && isequal (blocksize (A), blocksize (B)))
          || o.transpose_a || o.transpose_b)
    error ("gpumm:unsupported", ["gpumm_kernel: %s multiplies two blocksparse matrices of " ...
                                 "uint16, both in blocks of 4x4 or both of 8x8, not " ...
                                 "transposed"], lower (kernel));
  endif

endfunction

function yes = is_short (X)
  yes = isa (X, "blocksparse") && strcmp (underlyingType (X), "uint16") ...
        && (isequal (blocksize (X), [4, 4]) || isequal (blocksize (X), [8, 8]));
endfunction

## The sizes of the product and its operations; for blocks the engine counts the operations.
function s = sizes_of (A, B, o)

  if (isa (A, "blocksparse"))
    s = struct ("m", rows (A), "k", columns (A), "n", columns (B), "flops", NaN, ...
                "blocks", [blocksize(A)(1), blocksize(B)(2), blocksize(A)(2)]);
    return;
  endif
  [s.m, s.k] = size (A);
  if (o.transpose_a > 0)
    [s.k, s.m] = size (A);
  endif
  s.n = size (B, 1 + (o.transpose_b == 0));
  s.flops = (2 + 6 * iscomplex (A)) * s.m * s.n * s.k;

endfunction

## ---- rows of the table --------------------------------------------------------------------------

## Is KERNEL the family that multiplies blocks, or one of its rows?
function yes = is_classic (kernel, rows)
  rows = rows(strcmp ({rows.algorithm}, "classic"));
  yes = ischar (kernel) && isrow (kernel) && any (strcmpi (kernel, [{"classic"}, {rows.name}]));
endfunction

## The algorithm for the engine: a family, of which it chooses a row, or a row.
function name = choose (kernel, kernels, o, s)

  families = [{"loops"}, unique({kernels.algorithm}, "stable"), {"classic"}];
  rows = {kernels.name};
  name = "";
  if (ischar (kernel) && isrow (kernel))
    name = lower (kernel);
  endif
  if (! any (strcmp (name, [families, rows])))
    error ("gpumm:bad-value", ["gpumm_kernel: KERNEL must be one of %s, or the name of one of " ...
                               "gpumm_info ().kernels"], strjoin (families, ", "));
  endif
  if (isempty ([o.tile, o.thread, o.grid, o.depth]))
    return;
  endif
  if (strcmp (name, "loops"))
    error ("gpumm:bad-value", "gpumm_kernel: loops has no Tile, Thread, Grid or Depth");
  endif
  own = kernels(strcmp ({kernels.algorithm}, name) | strcmp (rows, name))(:).';
  fits = arrayfun (@(k) suits (k, o, s), own);
  if (! any (fits))
    refuse_row (name, own, o, s);
  endif
  own = own(fits);
  name = own(1).name;

endfunction

function yes = suits (k, o, s)

  tile = [k.tile_m, k.tile_n, k.tile_k];
  yes = isequal (o.tile, tile(1:numel (o.tile))) || isempty (o.tile);
  yes = yes && (isempty (o.thread) || isequal (o.thread, [k.thread_m, k.thread_n]));
  yes = yes && (isempty (o.grid) || isequal (o.grid, grid_of (k, s)));
  yes = yes && (isempty (o.depth) || isequal (o.depth, depth_of (k)));

endfunction

## strassen's rows have a depth and no tiles: the grids are its base kernel's.
function yes = has_tiles (k)
  yes = ! strcmp (k.algorithm, "strassen") && k.tile_m * k.tile_n > 1;
endfunction

function grid = grid_of (k, s)
  grid = [NaN, NaN];
  if (has_tiles (k))
    grid = [ceil(s.m / k.tile_m), ceil(s.n / k.tile_n)];
  endif
endfunction

function depth = depth_of (k)
  depth = NaN;
  if (strcmp (k.algorithm, "strassen"))
    depth = str2double (regexp (k.name, '\d+$', "match", "once"));
  endif
endfunction

## No row has what was asked for: an error that says what there is.
function refuse_row (name, own, o, s)
  fields = {"tile", "thread", "grid", "depth"};
  fields = fields(! cellfun (@(field) isempty (o.(field)), fields));
  titles = cellfun (@(field) [upper(field(1)), field(2:end)], fields, "UniformOutput", false);
  for i = 1:numel (fields)
    only = struct ("tile", [], "thread", [], "grid", [], "depth", []);
    only.(fields{i}) = o.(fields{i});
    if (! any (arrayfun (@(k) suits (k, only, s), own)))
      there = unique (arrayfun (@(k) value_of (k, fields{i}, s), own, "UniformOutput", false), ...
                      "stable");
      there(strcmp (there, "")) = [];
      if (isempty (there))
        error ("gpumm:bad-value", "gpumm_kernel: %s has no %s", name, titles{i});
      endif
      where = "";
      if (strcmp (fields{i}, "grid"))
        where = sprintf (" for a C of %dx%d", s.m, s.n);
      endif
      error ("gpumm:bad-value", "gpumm_kernel: %s has no %s %s; write %s%s", name, titles{i}, ...
             short (o.(fields{i}), fields{i}), listed (there), where);
    endif
  endfor
  values = @(k) cellfun (@(field) value_of (k, field, s), fields, "UniformOutput", false);
  texts = arrayfun (@(k) ["(" strjoin(values (k), ", ") ")"], own, "UniformOutput", false);
  error ("gpumm:bad-value", "gpumm_kernel: %s has no row with these %s; write %s", name, ...
         strjoin (titles, " and "), listed (unique (texts, "stable")));
endfunction

## What a row has, as one writes it, or "".
function text = value_of (k, field, s)
  value = NaN;
  if (strcmp (field, "depth"))
    value = depth_of (k);
  elseif (has_tiles (k))
    value = struct ("tile", [k.tile_m, k.tile_n, k.tile_k], ...
                    "thread", [k.thread_m, k.thread_n], "grid", grid_of (k, s)).(field);
  endif
  text = "";
  if (! any (isnan (value)))
    text = short (value, field);
  endif
endfunction

## A square as one number.
function text = short (value, field)
  if (field(1) != "g" && all (value == value(1)))
    value = value(1);
  endif
  text = strrep (mat2str (value), " ", ", ");
endfunction

function text = listed (words)
  text = words{end};
  if (numel (words) > 1)
    text = [strjoin(words(1:end-1), ", ") " or " text];
  endif
endfunction

## ---- running and counting -----------------------------------------------------------------------

function [C, info, t, record] = run (A, B, o, count)

  record = [];
  if (strcmp (o.algorithm, "loops"))
    o.backend = 1;
  endif
  try
    if (o.records && count)
      [C, info, t, record] = __gpumm_kernel__ (A, B, o, count);
    else
      [C, info, t] = __gpumm_kernel__ (A, B, o, count);
    endif
  catch err
    text = regexprep (err.message, '^gpumm:', "gpumm_kernel:");
    if (strcmp (err.identifier, "gpumm:too-large"))
      text = [text, "; \"Count\", false runs it uncounted"];
    endif
    error (err.identifier, "%s", text);
  end_try_catch

endfunction

## The GPU cannot count, but the CPU can, for the kernels that it runs.
function [t, record] = count_on_cpu (t, A, B, o, row, demanded)

  record = [];
  o.backend = 1;
  o.device = -1;
  o.algorithm = row;
  try
    [~, ~, counted, record] = run (A, B, o, true);
  catch err
    if (demanded || ! any (strcmp (err.identifier, {"gpumm:too-large", "gpumm:unsupported"})))
      rethrow (err);
    endif
    return;
  end_try_catch
  for field = {"operations", "barriers", "load", "store", "shared"}
    t.(field{1}) = counted.(field{1});
  endfor

endfunction

## ---- the trace ----------------------------------------------------------------------------------

function trace = describe (t, info, row, k, s, precision)

  trace = struct ("kernel", row, "algorithm", info.algorithm, "backend", info.backend, ...
                  "device", info.device.name, "precision", precision, "m", s.m, "n", s.n, ...
                  "k", s.k, "tile", NaN (1, 3), "thread", NaN (1, 2), "grid", NaN (1, 2));
  if (! isempty (k) && has_tiles (k))
    trace.tile = [k.tile_m, k.tile_n, k.tile_k];
    trace.thread = [k.thread_m, k.thread_n];
    trace.grid = grid_of (k, s);
  elseif (isfield (s, "blocks"))
    trace.tile = s.blocks;
    trace.thread = [1, 1];
    trace.grid = [s.m, s.n] ./ s.blocks(1:2);
    s.flops = info.flops;
  endif
  for field = {"blocks", "launches", "threads", "shared_bytes", "registers", "occupancy"}
    trace.(field{1}) = t.(field{1});
  endfor
  blocks = t.blocks;
  if (isfield (s, "blocks")) # the other launches, with other threads, only prepare
    trace.threads = s.blocks(1:2);
    blocks = prod (trace.grid);
  endif
  trace.seconds = info.seconds.compute;
  trace.flops = struct ("needed", s.flops, "done", t.operations);
  for field = {"load", "store", "shared", "barriers"}
    trace.(field{1}) = t.(field{1});
  endfor
  trace.bytes = 32 * (t.load.total.sectors + t.store.total.sectors);
  trace.intensity = t.operations / trace.bytes;
  whole = struct ("load", t.load, "store", t.store, "shared", t.shared, "barriers", t.barriers, ...
                  "flops", t.operations);
  trace.per_block = divided (whole, blocks);

endfunction

function x = divided (x, blocks)

  if (isstruct (x))
    x = structfun (@(y) divided (y, blocks), x, "UniformOutput", false);
  else
    x /= blocks;
  endif

endfunction

%!assert (gpumm_kernel ("loops", [1, 2; 3, 4], [5; 6]), [17; 39])
%!assert (gpumm_kernel ("Naive", single ([1, 2; 3, 4]), [5; 6]), single ([17; 39]))
%!error <Invalid call> gpumm_kernel ("naive", 1)
%!error id=gpumm:bad-value gpumm_kernel ("cannon", 1, 1)
%!error id=gpumm:bad-value gpumm_kernel (3, 1, 1)
%!error id=gpumm:unknown-option gpumm_kernel ("naive", 1, 1, "Blocks", 3)
%!error id=gpumm:missing-value gpumm_kernel ("naive", 1, 1, "Count")
%!error id=gpumm:bad-value gpumm_kernel ("tiled", 1, 1, "Tile", 2.5)
%!error id=gpumm:bad-value gpumm_kernel ("loops", 1, 1, "Tile", 8)
%!error id=gpumm:bad-value gpumm_kernel ("classic", 1, 1, "Tile", 4)
%!error id=gpumm:unsupported gpumm_kernel ("classic", 1, 1)
%!error id=gpumm:unsupported gpumm_kernel ("naive", speye (2), speye (2))
%!error id=gpumm:unsupported gpumm_kernel ("naive", int8 (1), int8 (1))
%!error id=Octave:nonconformant-args gpumm_kernel ("naive", ones (2, 3), ones (2, 3))

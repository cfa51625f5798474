## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_tune ()
## @deftypefnx {} {@var{T} =} gpumm_tune (@var{name}, @var{value}, @dots{})
## Measure which kernel is the fastest on this machine's GPU, by type and size, and let @code{gpumm}
## use it.
##
## @code{gpumm_tune} multiplies random square matrices with each row of @code{gpumm_info ().kernels}
## that @qcode{"auto"} may take, and checks the results.  It compares the medians of the seconds on the
## device.  A row that takes more than 20 times as long as the fastest, at a size of 512 or above, is
## not measured at larger sizes.  The function prints its progress and a table, and draws a figure: the rate of each
## block size of the algorithm @code{tiled}, and of the fastest row.
##
## The winners go to a text file in the folder @file{gpumm} of the user's configuration
## (@env{XDG_CONFIG_HOME}, or @file{~/.config}).  From then on Algorithm @qcode{"auto"} takes the
## fastest row for the product's type and size class, and an algorithm that you name takes its own
## fastest row.  If two rows differ only by chance, the row that wins at larger sizes is stored.  The
## smaller size of the result determines the size class.  If a size of the product is more than 4
## times the size that its class begins with, or less than a quarter of it, gpumm ignores the file:
## the product differs too much from the measured ones.
##
## The file is valid only for the GPU, driver, CUDA runtime and version of gpumm that it was measured
## with.  @code{gpumm_info} says where the file is and whether it is in use; @code{info.reason} of
## @code{gpumm} says whether the file chose the kernel.  With @code{setenv ("GPUMM_TUNED", "0")} gpumm
## ignores all such files.  To forget a file, delete it and call @code{gpumm_reset}.
##
## Options are pairs of a name, in upper or lower case, and a value:
##
## @table @asis
## @item @qcode{"Types"}
## Letters of the types to measure: @code{s} for single, @code{d} for double, @code{c} and @code{z}
## for complex single and complex double.  The default is @qcode{"sdcz"}.  The file has only these
## types.
##
## @item @qcode{"Sizes"}
## A vector of the sizes n of the n x n matrices.  The default goes from 16 to 4096, on the CPU to
## 64.
##
## @item @qcode{"Repeats"}
## The largest number of runs for a median, by default 7.  Slow rows get fewer.
##
## @item @qcode{"Backend"}
## @qcode{"gpu"} (the default), or @qcode{"cpu"}, which measures the GPU's kernels on the CPU: for
## study, not for speed.
##
## @item @qcode{"Device"}
## The index of the GPU to measure, from 0.
##
## @item @qcode{"Store"}
## If true (the default), store the winners.
##
## @item @qcode{"Figure"}
## The name of the figure's file; true (the default) for @file{gpumm_tune.png}, false for no figure.
## The figure needs gnuplot and no display.
## @end table
##
## @var{T} is a struct with the fields
##
## @table @code
## @item version, device, backend
## The version of gpumm, the device and the backend that were measured.
## @item types, sizes, kernels
## Letters, a vector, and a cell array of names.
## @item gflops
## Rates in units of 1e9 operations a second, by kernel, size and type; NaN if not measured.
## @item best
## A struct array of the stored rows: for each type, size @code{n} and @code{algorithm} the fastest
## @code{kernel} (the fastest of all first), its @code{gflops}, and @code{from}, the beginning of its
## size class: the geometric mean of this size and the size before.
## @item winners
## The elements of @code{best} with the fastest kernel of all, which @qcode{"auto"} takes.
## @item file, figure
## The names of the files that were written, or empty.
## @end table
##
## @example
## @group
## said = evalc (["T = gpumm_tune ('Types', 'd', 'Sizes', [8, 16], 'Backend', 'cpu', " ...
##                "'Store', false, 'Figure', false);"]);
## [T.winners.from]
##   @result{} ans =
##        8   12
## @end group
## @end example
##
## Errors have the identifiers @code{gpumm:unknown-option}, @code{gpumm:missing-value},
## @code{gpumm:bad-value}, @code{gpumm:no-device}, @code{gpumm:unwritable} and those of
## @code{gpumm}.  A row with a wrong result is left out, with the warning @code{gpumm:wrong-result}.
## @seealso{gpumm, gpumm_info, gpumm_reset}
## @end deftypefn

function T = gpumm_tune (varargin)

  started = tic ();
  o = parse (varargin);
  about = gpumm_info ();
  table = find_table (about, o);
  if (o.store)
    prepare (table);
  endif
  kernels = about.kernels([about.kernels.automatic]);
  r = struct ("version", about.version, "device", table.device, "backend", o.backend, ...
              "types", o.types, "sizes", o.sizes, "kernels", {{kernels.name}}, ...
              "gflops", NaN (numel (kernels), numel (o.sizes), numel (o.types)), ...
              "best", [], "winners", [], "file", "", "figure", "");

  printf ("gpumm %s on %s\n", r.version, r.device);
  state = {rand("twister"), randn("twister")};
  unwind_protect
    rand ("twister", 1);
    for t = 1:numel (o.types)
      r.gflops(:,:,t) = measure_type (kernels, t, o);
    endfor
  unwind_protect_cleanup
    __progress__ ();
    rand ("twister", state{1});
    randn ("twister", state{2});
  end_unwind_protect

  [r.best, r.winners] = choose (r, {kernels.algorithm});
  show (r);
  if (o.store)
    store (table, r.best);
    r.file = table.file;
    gpumm_reset (); # gpumm reads the table again
    printf ("stored: %s\n", r.file);
    table = find_table (gpumm_info (), o);
    if (! isempty (table.why))
      printf ("not in use: %s\n", table.why);
    endif
  endif
  if (! isempty (o.figure))
    if (__tune_figure__ (o.figure, r, {kernels.algorithm}))
      r.figure = o.figure;
      printf ("figure: %s\n", r.figure);
    else
      printf ("no figure: it needs gnuplot (package gnuplot-nox)\n");
    endif
  endif
  printf ("types: %d, sizes: %d, kernels: %d; %.0f s\n", numel (r.types), ...
          numel (r.sizes), numel (r.kernels), toc (started));
  if (nargout > 0)
    T = r;
  endif

endfunction

## ---- options ------------------------------------------------------------------------------------

function o = parse (list)

  o = struct ("types", "sdcz", "sizes", [], "repeats", 7, "backend", "gpu", "device", 0, ...
              "store", true, "figure", "gpumm_tune.png");
  valid = "valid options are Types, Sizes, Repeats, Backend, Device, Store, Figure";
  if (mod (numel (list), 2) != 0 && ischar (list{end}))
    error ("gpumm:missing-value", "gpumm_tune: option \"%s\" has no value", list{end});
  elseif (mod (numel (list), 2) != 0 || ! iscellstr (list(1:2:end)))
    error ("gpumm:unknown-option", "gpumm_tune: options are pairs of a name and a value; %s", ...
           valid);
  endif
  for i = 1:2:numel (list)
    value = list{i+1};
    switch (lower (list{i}))
      case "types"
        demand (ischar (value) && isrow (value) && all (any (value == "sdcz".', 1)) ...
                && numel (unique (value)) == numel (value), "Types must be letters of \"sdcz\"");
        o.types = value;
      case "sizes"
        demand (all (is_whole (value(:))) && isvector (value) && all (value >= 1) ...
                && all (value <= 2 ^ 15), "Sizes must be a vector of whole numbers, 1 to 32768");
        o.sizes = unique (double (value(:).'));
      case "repeats"
        demand (isscalar (value) && is_whole (value) && value >= 1, ...
                "Repeats must be a number of runs");
        o.repeats = double (value);
      case "backend"
        demand (ischar (value) && any (strcmpi (value, {"gpu", "cpu"})), ...
                "Backend must be \"gpu\" or \"cpu\"");
        o.backend = lower (value);
      case "device"
        demand (isscalar (value) && is_whole (value) && value >= 0, ...
                "Device must be the index of a device, from 0");
        o.device = double (value);
      case "store"
        demand (isscalar (value) && (islogical (value) || isnumeric (value)), ...
                "Store must be true or false");
        o.store = logical (value);
      case "figure"
        if (isscalar (value) && islogical (value))
          value = {"", "gpumm_tune.png"}{1 + value};
        endif
        demand (ischar (value) && rows (value) <= 1, "Figure must be true, false or a file's name");
        o.figure = value;
      otherwise
        error ("gpumm:unknown-option", "gpumm_tune: unknown option \"%s\"; %s", list{i}, valid);
    endswitch
  endfor
  if (isempty (o.sizes))
    ## Powers of two and the sizes halfway between; on the CPU only sizes that take seconds.
    o.sizes = unique ([2 .^ (4:12), 1.5 * 2 .^ (4:11)]);
    if (strcmp (o.backend, "cpu"))
      o.sizes = o.sizes(o.sizes <= 64);
    endif
  endif

endfunction

function demand (yes, text)

  if (! yes)
    error ("gpumm:bad-value", "gpumm_tune: %s", text);
  endif

endfunction

function yes = is_whole (x)

  yes = isnumeric (x) && isreal (x) && ! isempty (x) && all (isfinite (x(:))) ...
        && isequal (x, fix (x));

endfunction

## The element of gpumm_info ().tuned for the device to measure.
function table = find_table (about, o)

  if (strcmp (o.backend, "cpu"))
    table = about.tuned(end);
  elseif (isempty (about.devices))
    error ("gpumm:no-device", "gpumm_tune: no GPU can be used: %s", about.why_no_gpu);
  elseif (o.device >= numel (about.devices))
    error ("gpumm:bad-value", "gpumm_tune: Device must be 0 to %d", numel (about.devices) - 1);
  else
    table = about.tuned(o.device + 1);
  endif
  if (isempty (table.device))
    error ("gpumm:no-device", "gpumm_tune: the device cannot be used: %s", table.why);
  endif

endfunction

## ---- measuring ----------------------------------------------------------------------------------

## GFLOPS of the rows at each size, for the type number T.
function gflops = measure_type (kernels, t, o)

  ## A row that is 20 times slower than the fastest does not win at a larger size.  Below 512 a fixed
  ## cost per call, which matters less at larger sizes, may be the reason.
  too_slow = 20;
  too_small = 512;
  type = o.types(t);
  ## A row takes 0.1 s, and longer from n = 3000 on.
  work = [0, cumsum(1 + (o.sizes / 3000) .^ 3)];
  all = numel (o.types) * work(end);
  gflops = NaN (numel (kernels), numel (o.sizes));
  left = find (cellfun (@(types) any (types == type), {kernels.types}));
  for j = 1:numel (o.sizes)
    n = o.sizes(j);
    p = make_product (type, n);
    for i = 1:numel (left)
      of_this = (work(j+1) - work(j)) * (i - 1) / numel (left);
      __progress__ ((t - 1) * work(end) + work(j) + of_this, all);
      gflops(left(i),j) = measure (kernels(left(i)).name, p, o);
    endfor
    wrong = gflops(left,j) < 0;
    slow = n >= too_small & gflops(left,j) < max (gflops(left,j)) / too_slow;
    gflops(left(wrong),:) = NaN;
    left = left(! (wrong | slow));
  endfor
  __progress__ (); # removes the line before text is printed
  printf ("%s, n =%s\n", type_name (type), sprintf (" %d", o.sizes));

endfunction

## Random A and B in (-0.5, 0.5), because zeros take less power; for the check A (B t) with a random
## t, and the bound of its difference from C t.
function p = make_product (type, n)

  p.A = operand (type, n);
  p.B = operand (type, n);
  A = double (p.A);
  B = double (p.B);
  p.t = 2 * rand (n, 1) - 1;
  p.expected = A * (B * p.t);
  p.bound = n * eps (class (p.A)) * (abs (A) * (abs (B) * abs (p.t)));

endfunction

function X = operand (type, n)

  X = rand (n) - 0.5;
  if (any (type == "cz"))
    X = complex (X, rand (n) - 0.5);
  endif
  if (any (type == "sc"))
    X = single (X);
  endif

endfunction

## GFLOPS of a row by the median of its seconds on the device: NaN if it does not run this product,
## negative if its result is wrong.
function gflops = measure (name, p, o)

  gflops = NaN;
  options = {"Algorithm", name, "Backend", o.backend};
  if (strcmp (o.backend, "gpu"))
    options = [options, {"Device", o.device}];
  endif
  try
    [C, info] = gpumm (p.A, p.B, options{:}); # loads the kernel; its product is checked
  catch err
    if (any (strcmp (err.identifier, {"gpumm:unsupported", "gpumm:device-memory"})))
      return;
    endif
    rethrow (err);
  end_try_catch
  if (! is_right (C, p))
    warning ("gpumm:wrong-result", "gpumm_tune: %s is wrong at n = %d on this device", name, ...
             rows (p.A));
    gflops = -1;
    return;
  endif

  ## The time of a slow row varies little: 3 runs and 0.1 seconds are enough.
  times = [];
  spent = tic ();
  do
    C = [];
    [C, info] = gpumm (p.A, p.B, options{:});
    times(end+1) = max (info.seconds.compute, 1e-9);
  until (numel (times) >= o.repeats || (numel (times) >= 3 && toc (spent) > 0.1))
  gflops = 1e-9 * info.flops / median (times);

endfunction

## C t and A (B t), computed in double, differ by less than 2 n eps |A| |B| |t|, and by a small factor
## more if complex; a wrong product differs by about 1.
function yes = is_right (C, p)

  err = abs (double (C) * p.t - p.expected);
  yes = strcmp (class (C), class (p.A)) && all (err <= 8 * p.bound);

endfunction

## ---- the table ----------------------------------------------------------------------------------

## For each type and size the fastest row of each family, the fastest of all first.
function [best, winners] = choose (r, families)

  best = winners = struct ("type", {}, "n", {}, "from", {}, "algorithm", {}, "kernel", {}, ...
                           "gflops", {});
  from = ceil (sqrt (r.sizes .* r.sizes([1, 1:end-1])));
  names = unique (families, "stable");
  for t = 1:numel (r.types)
    flops = (2 + 6 * any (r.types(t) == "cz")) * r.sizes .^ 3;
    seconds = 1e-9 * flops ./ r.gflops(:,:,t);
    fastest = zeros (numel (names), numel (r.sizes)); # rows of each family
    of_them = NaN (size (fastest));
    for f = 1:numel (names)
      own = seconds;
      own(! strcmp (families, names{f}),:) = NaN;
      [fastest(f,:), of_them(f,:)] = pick (own);
    endfor
    first = pick (of_them);
    for j = 1:numel (r.sizes)
      [~, order] = sort (of_them(:,j));
      order = [first(j); order(order != first(j))];
      for f = order(! isnan (of_them(order,j))).'
        i = fastest(f,j);
        best(end+1) = struct ("type", r.types(t), "n", r.sizes(j), "from", from(j), ...
                              "algorithm", names{f}, "kernel", r.kernels{i}, ...
                              "gflops", r.gflops(i,j,t));
        if (f == first(j))
          winners(end+1) = best(end);
        endif
      endfor
    endfor
  endfor

endfunction

## The row with the least seconds at each size, and these seconds.  The winner of a size also keeps
## the next smaller size, unless another row is faster by more than chance: 3 % and a microsecond,
## the resolution of a GPU's events and the time of a launch.
function [row, least] = pick (seconds)

  [least, row] = min (seconds, [], 1);
  for j = columns (seconds)-1:-1:1
    kept = row(j+1);
    if (seconds(kept,j) <= 1.03 * least(j) + 1e-6)
      row(j) = kept;
      least(j) = seconds(kept,j);
    endif
  endfor

endfunction

function show (r)

  printf ("\n%-8s %6s   %-24s %10s   %-10s %10s\n", "type", "n", "fastest", "GFLOPS", ...
          "best block", "GFLOPS");
  for w = r.winners
    of_blocks = r.best(strcmp ({r.best.algorithm}, "tiled") & [r.best.n] == w.n ...
                       & [r.best.type] == w.type);
    block = rate = "-";
    if (! isempty (of_blocks))
      block = of_blocks.kernel;
      rate = sprintf ("%.4g", of_blocks.gflops);
    endif
    printf ("%-8s %6d   %-24s %10.4g   %-10s %10s\n", w.type, w.n, w.kernel, w.gflops, block, rate);
  endfor
  printf ("\n");

endfunction

function name = type_name (type)

  name = {"single", "double", "complex single", "complex double"}{type == "sdcz"};

endfunction

## ---- the file -----------------------------------------------------------------------------------

## Fails before the measurements, not after them, if nothing can be stored.
function prepare (table)

  if (isempty (table.file))
    error ("gpumm:unwritable", "gpumm_tune: nowhere to store the winners: %s", table.why);
  endif
  folder = fileparts (table.file);
  [made, why] = mkdir (folder);
  if (! made)
    error ("gpumm:unwritable", "gpumm_tune: the folder %s cannot be made: %s", folder, why);
  endif
  try
    __gpumm_file__ ("open", table.file);
    __gpumm_file__ ("abort");
  catch err
    error ("gpumm:unwritable", "%s", strrep (err.message, "gpumm: ", "gpumm_tune: "));
  end_try_catch

endfunction

function store (table, best)

  text = table.header;
  for b = best
    text = sprintf ("%s%s,%d,%s,%s,%.3f\n", text, b.type, b.from, b.algorithm, b.kernel, ...
                    max (b.gflops, 0.001));
  endfor
  __write_file__ (table.file, @(k) {text, ""}{min (k, 2)}, "gpumm_tune", ...
                  {"gpumm:unwritable", "gpumm:unwritable"});

endfunction

%!error id=gpumm:unknown-option gpumm_tune ("Size", 3)
%!error id=gpumm:unknown-option gpumm_tune (1)
%!error id=gpumm:unknown-option gpumm_tune (1, 2)
%!error id=gpumm:missing-value gpumm_tune ("Sizes")
%!error id=gpumm:bad-value gpumm_tune ("Types", "sx")
%!error id=gpumm:bad-value gpumm_tune ("Types", "ss")
%!error id=gpumm:bad-value gpumm_tune ("Types", "")
%!error id=gpumm:bad-value gpumm_tune ("Sizes", [])
%!error id=gpumm:bad-value gpumm_tune ("Sizes", [16, 2.5])
%!error id=gpumm:bad-value gpumm_tune ("Sizes", [16, 0])
%!error id=gpumm:bad-value gpumm_tune ("Sizes", "16")
%!error id=gpumm:bad-value gpumm_tune ("Sizes", [16, NaN])
%!error id=gpumm:bad-value gpumm_tune ("Repeats", 0)
%!error id=gpumm:bad-value gpumm_tune ("Backend", "tpu")
%!error id=gpumm:bad-value gpumm_tune ("Device", -1)
%!error id=gpumm:bad-value gpumm_tune ("Store", "yes")
%!error id=gpumm:bad-value gpumm_tune ("Figure", 1)
%!testif ; ! gpumm_available ("gpu")
%! try
%!   gpumm_tune ();
%!   error ("no error");
%! catch err
%!   assert (err.identifier, "gpumm:no-device");
%!   assert (! isempty (strfind (err.message, gpumm_info ().why_no_gpu)));
%! end_try_catch

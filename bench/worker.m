## worker.m - the Octave program that measures for bench/run.
##
##   octave-cli --no-history --norc --no-line-editing bench/worker.m PACKAGE
##
## PACKAGE is the directory with the gateways (build/package), or "" for an Octave that only
## measures `*` (for example with NVBLAS preloaded).  Standard input has one command per line.  The
## answer is any number of lines "row ..." (rows of the CSV file that bench/run writes, which names
## the columns), and then one line "done", "skip" (with the reason) or "wrong" (with the fault).
##
##   about                          versions and hardware, in lines "about name text"
##   long SECONDS                   the time for a case; slower cases get fewer repeats
##   repeats N                      times each product N times (7)
##   product WHO TYPE M K N LEFT    WHO: gpumm; gpumm-one, on one GPU; or any other name for `*`;
##                                  LEFT: seconds left
##   algorithms TYPE M K N LEFT     each kernel, and each algorithm that has none
##   overhead FOLDER                of the smallest call, and of the empty MEX file in FOLDER
##   crossover STEP LEFT            gpumm and `*` at every STEP-th of many small sizes
##   first small, first product, first stages, memory N     in a fresh Octave only
##   out_of_core N BYTES            without and with MaxDeviceMemory = BYTES
##   forget                         releases operands kept for the next case
##
## Results are checked before they are timed: C*t against A*(B*t) for a random t.
## SPDX-License-Identifier: BSD-3-Clause
1;

## A time covers the call and the assignment of its result, which is cleared before the next call.
function seconds = measure (product, repeats)
  seconds = zeros (1, repeats);
  for i = 1:repeats
    begun = tic ();
    C = product ();
    seconds(i) = toc (begun);
    clear C
  endfor
endfunction

## ---- operands and checks -----------------------------------------------------------------------

function x = random_matrix (type, rows, cols)
  precision = "double";
  if (any (type == "sc"))
    precision = "single";
  endif
  x = rand (rows, cols, precision);
  x -= 0.5; # in place
  if (any (type == "cz"))
    y = rand (rows, cols, precision);
    y -= 0.5;
    x = complex (x, y);
  endif
endfunction

## Keeps the operands of the last case, because the next case often has the same sizes.
function [A, B] = operands (type, m, k, n)
  persistent last = "" a b
  wanted = sprintf ("%s %d %d %d", type, m, k, n);
  if (! strcmp (wanted, last))
    a = b = [];
    if (! isempty (type))
      a = random_matrix (type, m, k);
      b = random_matrix (type, k, n);
    endif
    last = wanted;
  endif
  A = a;
  B = b;
endfunction

## |C t - A (B t)| / |A (B t)|.  For random operands, rounding gives a fraction of eps sqrt (k); one
## wrong element of C gives about 1 / n.
function e = relative_error (C, A, B)
  if (rows (C) != rows (A) || columns (C) != columns (B) || ! strcmp (class (C), class (A)))
    e = NaN;
    return;
  endif
  t = random_matrix (ifelse (isa (C, "single"), "s", "d"), columns (B), 1);
  right = A * (B * t);
  e = norm (C * t - right) / norm (right);
endfunction

function x = ifelse (condition, yes, no)
  if (condition)
    x = yes;
  else
    x = no;
  endif
endfunction

function check (e, A, who)
  limit = 10 * eps (class (A)) * sqrt (max (columns (A), 64));
  if (! (e <= limit))
    error ("bench:wrong", "%s, %dx%d %s: relative error %g", who, size (A), class (A), e);
  endif
endfunction

function f = flops (type, m, k, n)
  f = (2 + 6 * any (type == "cz")) * m * k * n;
endfunction

## ---- rows --------------------------------------------------------------------------------------

## Prints a row of times, bytes or rates; `unit` says which.
function put (what, who, unit, values, varargin)
  r = struct ("kernel", "", "type", "", "sizes", [], "gflops", "", "stages", [], "error", "");
  for i = 1:2:numel (varargin)
    r.(varargin{i}) = varargin{i+1};
  endfor
  sizes = stages = {"", "", ""};
  if (! isempty (r.sizes))
    sizes = arrayfun (@(x) sprintf ("%d", x), r.sizes, "uniformoutput", false);
  endif
  if (! isempty (r.stages))
    stages = arrayfun (@(x) sprintf ("%.4g", x), r.stages, "uniformoutput", false);
  endif
  numbers = sprintf ("%d,%.5g,%.5g,%.5g", numel (values), median (values), min (values), ...
                     max (values));
  printf ("row %s\n", strjoin ({what, who, r.kernel, r.type, sizes{:}, numbers, unit, r.gflops, ...
                                stages{:}, r.error}, ","));
endfunction

function put_product (what, who, kernel, type, sizes, seconds, stages, e)
  put (what, who, "s", seconds, "kernel", kernel, "type", type, "sizes", sizes, ...
       "gflops", sprintf ("%.5g", 1e-9 * flops (type, num2cell (sizes){:}) / median (seconds)), ...
       "stages", stages, "error", sprintf ("%.2g", e));
endfunction

function s = stages_of (info)
  s = [info.seconds.upload, info.seconds.compute, info.seconds.download];
endfunction

## The kernel's name as a field of the CSV: "emulated (14 moduli; exact)".
function name = kernel_of (info)
  name = strrep (ifelse (isempty (info.kernel), info.algorithm, info.kernel), ",", ";");
endfunction

## ---- products ----------------------------------------------------------------------------------

## The highest operations per second seen so far, by name and type; Inf if none.
function r = rate (name, value = [])
  persistent seen = struct ();
  name = ["rate_" regexprep(name, '\W', "_")];
  if (! isempty (value))
    if (isfield (seen, name))
      value = max (value, seen.(name));
    endif
    seen.(name) = value;
  endif
  r = Inf;
  if (isfield (seen, name))
    r = seen.(name);
  endif
endfunction

## OpenBLAS's threads keep their cores busy for about 30 ms after each product: wait until they
## rest.  For some tenths of a second more, waking the threads that copy for a GPU takes longer: a
## product of 1024 takes 1.4 to 2.5 ms instead of 1.0 (H200).  A second is enough, and so is one
## thread for OpenBLAS.  The last two of calmest's groups begin after that time.
function settle (seconds = 0.05)
  pause (seconds);
endfunction

## Other work on the machine, or on the host of a virtual one, slows it down for tenths of a second.
## So short products are measured in groups with pauses between them, and the group with the least
## median counts.  peers.py does the same.
function best = calmest (product, repeats, long)
  GROUPS = 3;
  APART = 0.15; # seconds
  SHORT = 0.01;
  best = Inf;
  for group = 1:GROUPS
    seconds = measure (product, 1);
    seconds = [seconds, measure(product, min (repeats, floor (long / seconds)) - 1)];
    if (median (seconds) < median (best))
      best = seconds;
    endif
    if (median (seconds) > SHORT)
      return;
    endif
    if (group < GROUPS)
      pause (APART);
    endif
  endfor
endfunction

## The first product is checked; it also loads libraries and starts threads.  Then as many products
## are timed as fit into `long` seconds, at least one.
function [seconds, e] = check_and_measure (product, A, B, who, repeats, long)
  begun = tic ();
  C = product ();
  seconds = toc (begun);
  e = relative_error (C, A, B);
  clear C
  check (e, A, who);
  if (seconds > long)
    return;
  endif
  settle ();
  seconds = calmest (product, repeats, long);
endfunction

## Seconds of calls that return their stages, and the stages' medians.  Call it right after calls of
## the same kind, so that no thread of a BLAS disturbs it.
function [seconds, stages, kernel] = with_stages (A, B, repeats, varargin)
  seconds = stages = [];
  for i = 1:repeats
    begun = tic ();
    [C, info] = gpumm (A, B, varargin{:});
    seconds(i) = toc (begun);
    clear C
    stages(i,:) = stages_of (info);
  endfor
  stages = median (stages, 1);
  kernel = kernel_of (info);
endfunction

function said = product (who, type, m, k, n, left, repeats, long)
  key = [who type];
  work = flops (type, m, k, n);
  if (2 * work / rate (key) > left)
    said = sprintf ("skip a product would take %.1f s", work / rate (key));
    return;
  endif
  [A, B] = operands (type, m, k, n);
  kernel = "";
  if (any (strcmp (who, {"gpumm", "gpumm-one"})))
    options = ifelse (strcmp (who, "gpumm-one"), {"Device", 0}, {});
    [seconds, e] = check_and_measure (@() gpumm (A, B, options{:}), A, B, who, repeats, long);
    [whole, stages, kernel] = with_stages (A, B, numel (seconds), options{:});
    put_product ("stages", who, kernel, type, [m, k, n], whole, stages, e);
  else
    [seconds, e] = check_and_measure (@() A * B, A, B, who, repeats, long);
  endif
  rate (key, work / median (seconds));
  put_product ("product", who, kernel, type, [m, k, n], seconds, [], e);
  said = "done";
endfunction

## Times larger and larger products, until it is known whether a product of this work is short
## enough.  A small product alone does not show the rate of a large product on a GPU.
function learn_rate (name, type, work, longest)
  for n = [64, 256, 1024]
    known = rate ([name type]);
    tried = flops (type, n, n, n);
    if (! isinf (known) && (work / known <= longest || tried / known > longest || tried >= work))
      return;
    endif
    [A, B] = operands (type, n, n, n);
    multiply = @() gpumm (A, B, "Algorithm", name);
    measure (multiply, 1);
    rate ([name type], tried / measure (multiply, 1));
  endfor
endfunction

## Checks all algorithms first, because the check uses the BLAS.  Then times the algorithms on the
## GPU, a second after the last check, and the algorithms on the CPU last, because they use the BLAS
## too.
function said = algorithms (type, m, k, n, left, repeats)
  LONGEST = 0.25; # seconds; slower algorithms are left out
  begun = tic ();
  said = "done";
  about = gpumm_info ();
  names = about.algorithms;
  if (! isempty (about.kernels))
    own = ! ismember (names, {about.kernels.algorithm});
    names = [names(own), {about.kernels.name}];
  endif
  work = flops (type, m, k, n);
  checked = struct ("name", {}, "on_gpu", {}, "e", {});
  for name = names
    if (toc (begun) > left)
      said = "skip the rest of the algorithms";
      break;
    endif
    try
      learn_rate (name{1}, type, work, LONGEST);
      if (work / rate ([name{1} type]) > LONGEST)
        continue;
      endif
      [A, B] = operands (type, m, k, n);
      [C, info] = gpumm (A, B, "Algorithm", name{1});
      e = relative_error (C, A, B);
      clear C
      check (e, A, name{1});
      checked(end+1) = struct ("name", name, "on_gpu", strcmp (info.backend, "gpu"), "e", e);
    catch err
      if (strcmp (err.identifier, "gpumm:unsupported"))
        continue; # for other classes of matrices, or for another device
      endif
      rethrow (err);
    end_try_catch
  endfor
  settle (ifelse (any ([checked.on_gpu]), 1, 0.05));
  for x = [checked([checked.on_gpu]), checked(! [checked.on_gpu])]
    if (toc (begun) > left)
      said = "skip the rest of the algorithms";
      return;
    endif
    seconds = [];
    stages = zeros (0, 3);
    do
      tried = tic ();
      [C, info] = gpumm (A, B, "Algorithm", x.name);
      seconds(end+1) = toc (tried);
      stages(end+1,:) = stages_of (info);
      clear C
    until (numel (seconds) == repeats || sum (seconds) > 2 * LONGEST)
    rate ([x.name type], work / median (seconds));
    put_product ("algorithm", x.name, kernel_of (info), type, [m, k, n], seconds, ...
                 median (stages, 1), x.e);
  endfor
endfunction

function said = out_of_core (n, bytes, left, long)
  if (2 * 2 * n ^ 3 / rate ("gpummd") > left)
    said = "skip it would take too long";
    return;
  endif
  [A, B] = operands ("d", n, n, n);
  limited = @() gpumm (A, B, "Backend", "gpu", "MaxDeviceMemory", bytes);
  [seconds, e] = check_and_measure (@() gpumm (A, B), A, B, "gpumm", 3, long);
  [~, info] = gpumm (A, B);
  put_product ("product", "gpumm", kernel_of (info), "d", [n, n, n], seconds, stages_of (info), e);
  [seconds, e] = check_and_measure (limited, A, B, "gpumm out of core", 3, long);
  [~, info] = gpumm (A, B, "Backend", "gpu", "MaxDeviceMemory", bytes);
  put_product ("out of core", sprintf ("gpumm MaxDeviceMemory=%d", bytes), kernel_of (info), ...
               "d", [n, n, n], seconds, stages_of (info), e);
  said = "done";
endfunction

## ---- calls -------------------------------------------------------------------------------------

## Times batches, because a call is shorter than the clock's resolution.  All batches include the
## loop.
function said = overhead (folder)
  BATCHES = 15;
  CALLS = 400;
  addpath (folder);
  A = B = [1, 2; 3, 4];
  own = option = report = empty = octave = zeros (1, BATCHES);
  for b = 0:BATCHES # the first is not counted
    begun = tic ();
    for i = 1:CALLS
      empty_mex (A, B);
    endfor
    empty(max (b, 1)) = toc (begun) / CALLS;
    begun = tic ();
    for i = 1:CALLS
      C = gpumm (A, B);
    endfor
    own(max (b, 1)) = toc (begun) / CALLS;
    begun = tic ();
    for i = 1:CALLS
      C = gpumm (A, B, "TransposeA", "transpose");
    endfor
    option(max (b, 1)) = toc (begun) / CALLS;
    begun = tic ();
    for i = 1:CALLS
      [C, info] = gpumm (A, B);
    endfor
    report(max (b, 1)) = toc (begun) / CALLS;
    begun = tic ();
    for i = 1:CALLS
      C = A * B;
    endfor
    octave(max (b, 1)) = toc (begun) / CALLS;
  endfor
  put ("overhead", "gpumm", "s", own, "type", "d", "sizes", [2, 2, 2]);
  put ("overhead", "gpumm with an option", "s", option, "type", "d", "sizes", [2, 2, 2]);
  put ("overhead", "gpumm with info", "s", report, "type", "d", "sizes", [2, 2, 2]);
  put ("overhead", "empty MEX file", "s", empty);
  put ("overhead", "octave", "s", octave, "type", "d", "sizes", [2, 2, 2]);
  said = "done";
endfunction

## If gpumm and `*` both run on the CPU, with the same library, they take turns: a disturbance slows
## both, and their difference is gpumm's overhead.  Of three groups the group with the fastest `*`
## counts.  (With a GPU they do not take turns: see settle.)
function [own, octave] = in_turn (A, B, repeats, longest)
  GROUPS = 3;
  PAIRS = 101;
  products = {@() gpumm(A, B), @() A * B};
  own = octave = Inf;
  for group = 1:GROUPS
    settle ();
    measure (products{1}, 2);
    measure (products{2}, 2);
    seconds = zeros (2, 0);
    begun = tic ();
    do
      seconds(:,end+1) = [measure(products{1}, 1); measure(products{2}, 1)];
    until (columns (seconds) == PAIRS || (toc (begun) > longest && columns (seconds) >= repeats))
    if (median (seconds(2,:)) < median (octave))
      own = seconds(1,:);
      octave = seconds(2,:);
    endif
  endfor
endfunction

function said = crossover (step, left, repeats)
  ## Seconds of a group of pairs, if enough; on a GPU of the three groups of one kind.
  each = 0.1 * repeats / 7;
  sizes = [2, 4, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, ...
           256, 288, 320, 352, 384, 416, 448, 512, 576, 640, 704, 768, 832, 896, 960, 1024];
  begun = tic ();
  said = "done";
  for n = sizes(1:step:end)
    if (toc (begun) > left)
      said = sprintf ("skip sizes from %d", n);
      return;
    endif
    [A, B] = operands ("d", n, n, n);
    [C, info] = gpumm (A, B);
    e = relative_error (C, A, B);
    check (e, A, "gpumm");
    if (strcmp (info.backend, "cpu"))
      [own, octave] = in_turn (A, B, repeats, each);
    else
      settle ();
      own = calmest (@() gpumm (A, B), 101, each / 3);
      octave = calmest (@() A * B, 101, each / 3);
    endif
    put_product ("crossover", "gpumm", kernel_of (info), "d", [n, n, n], own, [], e);
    put_product ("crossover", "octave", "", "d", [n, n, n], octave, [], 0);
  endfor
endfunction

## ---- the first calls of a session --------------------------------------------------------------

function names = loaded (pattern)
  names = unique (regexp (fileread ("/proc/self/maps"), ['/\S*' pattern '\S*\.so\S*'], "match"));
endfunction

function said = first (which)
  switch (which)
    case "small"
      A = [1, 2; 3, 4];
      put ("first", "gpumm of 2x2", "s", measure (@() gpumm (A, A), 1));
      put ("first", "gpumm of 2x2 again", "s", measure (@() gpumm (A, A), 7));
      if (! isempty (loaded ('(libcuda|libcublas|libgpumm_cuda)')))
        error ("bench:wrong", "a product of 2x2 has loaded CUDA");
      endif
    case "product"
      A = random_matrix ("d", 1024, 1024);
      B = random_matrix ("d", 1024, 1024);
      put ("first", "gpumm of 1024x1024", "s", measure (@() gpumm (A, B), 1));
      put ("first", "gpumm of 1024x1024 again", "s", measure (@() gpumm (A, B), 7));
    case "stages"
      A = random_matrix ("d", 64, 64);
      put ("first", "CUDA driver opened", "s", measure (@() gpumm_available ("gpu"), 1));
      for kernel = {"naive", "cublas"}
        multiply = @() gpumm (A, A, "Algorithm", kernel{1}, "Backend", "gpu");
        put ("first", ["64x64 by " kernel{1}], "s", measure (multiply, 1));
        put ("first", ["64x64 by " kernel{1} " again"], "s", measure (multiply, 7));
      endfor
  endswitch
  said = "done";
endfunction

## ---- memory ------------------------------------------------------------------------------------

function bytes = proc_bytes (file, field)
  bytes = 1024 * str2double (regexp (fileread (file), [field ':\s*(\d+)'], "tokens"){1}{1});
endfunction

## The most memory that the process holds while it multiplies, less the memory before and the
## result.  Page-locked memory may be missing in the process's count; the machine's free memory
## shows it.
function measure_memory (A, B, who)
  n = rows (A);
  file = fopen ("/proc/self/clear_refs", "w");
  fputs (file, "5"); # resets VmHWM
  fclose (file);
  before = proc_bytes ("/proc/self/status", "VmRSS");
  free_before = proc_bytes ("/proc/meminfo", "MemAvailable");
  C = gpumm (A, B);
  most = proc_bytes ("/proc/self/status", "VmHWM");
  free_after = proc_bytes ("/proc/meminfo", "MemAvailable");
  result = sizeof (C);
  put ("memory", [who ": VmHWM"], "bytes", most - before - result, "type", "d", ...
       "sizes", [n, n, n]);
  put ("memory", [who ": of MemAvailable after it"], "bytes", free_before - free_after - result, ...
       "type", "d", "sizes", [n, n, n]);
endfunction

function said = memory (n)
  A = random_matrix ("d", n, n);
  B = random_matrix ("d", n, n);
  measure_memory (A, B, "first product with CUDA's own");
  gpumm_reset ();
  measure_memory (A, B, "gpumm");
  said = "done";
endfunction

## ---- what there is -----------------------------------------------------------------------------

function said = about (package)
  say = @(name, text) printf ("about %s %s\n", name, text);
  say ("octave", OCTAVE_VERSION ());
  say ("blas", regexprep (version ("-blas"), '^.*config: (.*)\)$', "$1"));
  files = loaded ("(openblas|blis|mkl_rt|libblas)");
  if (! isempty (files)) # the library itself, not one that forwards to it
    best = find (! cellfun (@isempty, regexp (files, '/libopenblas[^/]*$')), 1);
    say ("blas_file", files{[best, 1](1)});
  endif
  say ("preloaded", strjoin (loaded ("libnvblas"), " "));
  if (! isempty (package))
    info = gpumm_info ();
    say ("gpumm", sprintf ("%s (%s)", info.version, info.build));
    if (! isempty (info.devices))
      say ("gpu", info.devices(1).name);
      say ("cuda", sprintf ("driver for CUDA %s, runtime %s", info.devices(1).driver, ...
                            info.devices(1).runtime));
    else
      say ("why_no_gpu", info.why_no_gpu);
    endif
  endif
  said = "done";
endfunction

## ---- commands ----------------------------------------------------------------------------------

package = argv (){1};
here = fileparts (mfilename ("fullpath"));
if (! isempty (package))
  addpath (package, fullfile (fileparts (here), "octave"));
endif
sigterm_dumps_octave_core (false); # no gigabytes of core if bench/run is interrupted
sighup_dumps_octave_core (false);
rand ("twister", 1);
long = 5;
repeats = 7;
printf ("ready\n");
fflush (stdout);
while (true)
  try
    line = input ("", "s"); # fgetl would wait for the next line
  catch
    break;
  end_try_catch
  words = ostrsplit (line, " ");
  numbers = num2cell (str2double (words));
  try
    switch (words{1})
      case "about"
        said = about (package);
      case "long"
        long = numbers{2};
        said = "done";
      case "repeats"
        repeats = numbers{2};
        said = "done";
      case "product"
        said = product (words{2:3}, numbers{4:7}, repeats, long);
      case "algorithms"
        said = algorithms (words{2}, numbers{3:6}, repeats);
      case "overhead"
        said = overhead (line(10:end));
      case "crossover"
        said = crossover (numbers{2:3}, repeats);
      case "first"
        said = first (words{2});
      case "memory"
        said = memory (numbers{2});
      case "out_of_core"
        said = out_of_core (numbers{2:4}, long);
      case "forget"
        operands ("", 0, 0, 0);
        said = "done";
      otherwise
        said = ["wrong command " line];
    endswitch
  catch err
    said = ["wrong " strrep(err.message, "\n", " ")];
  end_try_catch
  printf ("%s\n", said);
  fflush (stdout);
endwhile

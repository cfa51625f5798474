## bench_devices.m - times products on one GPU and with "Device" "all", where gpumm chooses how many
## GPUs take part, from host array to host array.
##
##   octave --path octave --path build/package bench/bench_devices.m [ONLY] >FILE.csv
##
## ONLY: a regular expression; rows whose "kind type sizes" match it, as in the file (all of them).  One GPU
## and all GPUs compute in turn, now one first, now all, for about two seconds, but 5 to 31 times each, after
## one product that is checked: C * x with A * (B * x) for a random x, and C on all GPUs with C on one.  The
## columns are the median and the least time in milliseconds of each, the quotient of the medians, how many
## GPUs took part, the bytes of C, and gigabytes of C per second.  Sparse: n columns with `k` elements each;
## blocks: n block rows with k blocks of b x b each; integers: uint16 blocks of b x b, of which A and B of
## n x n have k each; uint32 results.
##
## SPDX-License-Identifier: BSD-3-Clause
1; # a script

addpath (fileparts (mfilename ("fullpath"))); # bytes_of

function S = random_columns (n, each)
  S = sparse (randi (n, n * each, 1), repmat ((1:n)', each, 1), rand (n * each, 1) - 0.5, n, n);
endfunction

function S = random_blocks (b, n, each, make)
  I = repmat ((1:n)', each, 1);
  J = mod (I + reshape (repmat (randperm (n, each), n, 1), [], 1), n) + 1; # of each row different ones
  S = blocksparse (I, J, make (b, b, numel (I)), n * b, n * b);
endfunction

## `count` random places of the block matrix, about as many in each row, for a million random blocks in turn.
function S = random_integers (b, n, count)
  [J, I] = find (rand (n / b) < count / (n / b)^2); # by rows, as they are stored
  X = uint16 (65535 * rand (b, b, 1e6, "single"));
  X = repmat (X, [1, 1, ceil(numel (I) / 1e6)]);
  S = blocksparse (I, J, X(:,:,1:numel (I)), n, n);
endfunction

function y = times (X, x)
  y = gpumm (X, x, "Backend", "cpu");
endfunction

## Is it the product, and the same on all GPUs?
function check (C, D, A, B)
  tolerance = 1e-10;
  if (isa (A, "single"))
    tolerance = 1e-3;
  endif
  if (isa (A, "blocksparse") && isinteger (A))
    assert (isequal (C, D));
    return; # the tests compare them with their definition
  endif
  x = rand (columns (B), 1) - 0.5;
  right = times (A, times (B, x));
  for X = {C, D}
    assert (norm (times (X{1}, x) - right, Inf) <= tolerance * norm (right, Inf));
  endfor
endfunction

function [seconds, info] = time_once (device, A, B, options)
  tic;
  [C, info] = gpumm (A, B, "Device", device, options{:});
  seconds = toc;
endfunction

## Prints the row if it is asked for; [A, B] = make () are the operands.
function row (kind, type, sizes, make, varargin)
  global only
  shown = strjoin (arrayfun (@(n) sprintf ("%d", n), sizes, "uniformoutput", false), "x");
  if (isempty (regexp ([kind, " ", type, " ", shown], only, "once")))
    return;
  endif
  [A, B] = make ();
  C = gpumm (A, B, "Device", 0, varargin{:});
  tic;
  D = gpumm (A, B, "Device", "all", varargin{:});
  repeats = min (max (round (1 / toc), 5), 31);
  check (C, D, A, B);
  bytes = bytes_of (C);
  clear C D
  one = all = zeros (1, repeats);
  for i = 1:repeats
    if (mod (i, 2) == 1)
      one(i) = 1e3 * time_once (0, A, B, varargin);
    endif
    [seconds, info] = time_once ("all", A, B, varargin);
    all(i) = 1e3 * seconds;
    if (mod (i, 2) == 0)
      one(i) = 1e3 * time_once (0, A, B, varargin);
    endif
  endfor
  printf ("%s,%s,%s,%d,%.4g,%.4g,%.4g,%.4g,%.3f,%d,%.4g,%.4g,\"%s\"\n", kind, type, shown, repeats, ...
          median (one), min (one), median (all), min (all), median (all) / median (one), ...
          max (1, numel (info.devices)), bytes, 1e-6 * bytes / median (all), info.reason);
  fflush (stdout);
endfunction

global only = ".";
if (numel (argv ()) > 0)
  only = argv (){1};
endif
rand ("twister", 1);
gpumm (rand (4096), rand (4096), "Device", "all"); # opens the devices
about = gpumm_info ().devices;
printf ("# bench_devices.m '%s': %d x %s\n", only, numel (about), about(1).name);
printf ("kind,type,sizes,repeats,one,one_least,all,all_least,all_by_one,gpus,bytes_c,gb_c_per_s,reason\n");

uniform = @(m, n) rand (m, n) - 0.5;
for n = [1000, 1500, 2000, 2500, 3000, 3500, 4096, 5000, 6000, 8192, 12000, 16384]
  row ("full", "double", [n, n, n], @() deal (uniform (n, n), uniform (n, n)));
  row ("full", "single", [n, n, n], @() deal (single (uniform (n, n)), single (uniform (n, n))));
  if (n <= 8192)
    square = @() complex (uniform (n, n), uniform (n, n));
    row ("full", "complex", [n, n, n], @() deal (square (), square ()));
  endif
endfor

for s = {[100, 4000, 100000], [100000, 4000, 100], [100000, 500, 500], [500, 500, 100000], ...
         [2000, 200000, 2000], [20000, 20, 20000], [20000, 500, 20000], [64, 20000, 20000], ...
         [20000, 20000, 64], [3000, 3001, 12000]}
  row ("shapes", "double", s{1}, @() deal (uniform (s{1}(1), s{1}(2)), uniform (s{1}(2), s{1}(3))));
endfor

for c = {[32768, 200], [20000, 64], [200000, 16], [1000000, 8], [20000, 8], [5000, 40]}
  n = c{1}(1);
  S = @() random_columns (n, c{1}(2));
  row ("sparse", "double", c{1}, @() deal (S ())); # one matrix twice
  if (n < 1e6)
    row ("sparse by full", "double", [c{1}, 256], @() deal (S (), uniform (n, 256)));
    row ("full by sparse", "double", [256, c{1}], @() deal (uniform (256, n), S ()));
  endif
endfor

real_blocks = @(m, n, k) rand (m, n, k) - 0.5;
for c = {[4, 20000, 16], [9, 20000, 20], [23, 8000, 20], [23, 20000, 30]}
  row ("blocks", "double", c{1}, @() deal (random_blocks (num2cell (c{1}){:}, real_blocks)));
endfor

for c = {[4, 32768, 33000000], [4, 32768, 10000000], [4, 32768, 1000000], [8, 32768, 8800000], ...
         [4, 8192, 600000]}
  S = @() random_integers (num2cell (c{1}){:});
  row ("integers", "uint16", c{1}, @() deal (S (), S ()), "OutputClass", "uint32");
endfor

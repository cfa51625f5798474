## bench_devices.m - times products on one GPU and with "Device" "all", where gpumm chooses how many
## GPUs take part, from host array to host array.
##
##   octave --path octave --path build/package bench/bench_devices.m [ONLY] >FILE.csv
##
## ONLY: a regular expression; rows whose "kind type sizes" match it, as in the file (all of them).  One GPU
## and all GPUs compute in turn, now one first, now all, for about two seconds, but 5 to 31 times each, after
## one product that is checked: C * x with A * (B * x) for a random x, and C on all GPUs with C on one.  The
## columns are the median and the least time in milliseconds of each, the quotient of the medians, how many
## GPUs took part, the bytes of C, and gigabytes of C per second.
##
## SPDX-License-Identifier: BSD-3-Clause
1; # a script

addpath (fileparts (mfilename ("fullpath"))); # bytes_of

function y = times (X, x)
  y = gpumm (X, x, "Backend", "cpu");
endfunction

## Is it the product, and the same on all GPUs?
function check (C, D, A, B)
  tolerance = 1e-10;
  if (isa (A, "single"))
    tolerance = 1e-3;
  endif
  x = rand (columns (B), 1) - 0.5;
  right = times (A, times (B, x));
  for X = {C, D}
    assert (norm (times (X{1}, x) - right, Inf) <= tolerance * norm (right, Inf));
  endfor
endfunction

function [seconds, info] = time_once (device, A, B)
  tic;
  [C, info] = gpumm (A, B, "Device", device);
  seconds = toc;
endfunction

## Prints the row if it is asked for; [A, B] = make () are the operands.
function row (kind, type, sizes, make)
  global only
  shown = strjoin (arrayfun (@(n) sprintf ("%d", n), sizes, "uniformoutput", false), "x");
  if (isempty (regexp ([kind, " ", type, " ", shown], only, "once")))
    return;
  endif
  [A, B] = make ();
  C = gpumm (A, B, "Device", 0);
  tic;
  D = gpumm (A, B, "Device", "all");
  repeats = min (max (round (1 / toc), 5), 31);
  check (C, D, A, B);
  bytes = bytes_of (C);
  clear C D
  one = all = zeros (1, repeats);
  for i = 1:repeats
    if (mod (i, 2) == 1)
      one(i) = 1e3 * time_once (0, A, B);
    endif
    [seconds, info] = time_once ("all", A, B);
    all(i) = 1e3 * seconds;
    if (mod (i, 2) == 0)
      one(i) = 1e3 * time_once (0, A, B);
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

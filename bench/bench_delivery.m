## bench_delivery.m - times the delivery of a result from the engine to the user's variable.
##
##   octave-cli bench/bench_delivery.m [PACKAGE] [N] [REPEATS]
##
## PACKAGE is the directory with the gateways (build/package).  An N x 1 column times a 1 x N row
## makes an N x N double result (8192: 512 MB) with little arithmetic.  The gateway's part is the
## time of its call minus the time from gpumm_open to the end of gpumm_run.  It should not grow with
## N and should stay below 2 ms, because Octave adopts the memory that the engine filled.  `*`, for
## comparison, fills its result twice.  Times are in milliseconds, the median of REPEATS calls.
## SPDX-License-Identifier: BSD-3-Clause
1;

arguments = argv ();
root = fileparts (fileparts (mfilename ("fullpath")));
package = fullfile (root, "build", "package");
n = 8192;
repeats = 9;
if (numel (arguments) > 0) package = arguments{1}; endif
if (numel (arguments) > 1) n = str2double (arguments{2}); endif
if (numel (arguments) > 2) repeats = str2double (arguments{3}); endif
addpath (package, fullfile (root, "octave"), fullfile (root, "bench"));

function t = in_ms (seconds)
  t = 1e3 * median (seconds);
endfunction

printf ("%-16s %8s %12s %12s %12s %12s\n", "class", "n", "gateway", "engine", "gpumm", "*");
for type = {"double", "single", "complex"}
  a = rand (n, 1);
  b = rand (1, n);
  switch (type{1})
    case "single"
      a = single (a);
      b = single (b);
    case "complex"
      a = complex (a, 1);
      b = complex (b, 1);
  endswitch
  C = gpumm (a, b); # BLAS starts its threads
  clear C
  gateway = engine = whole = times = zeros (1, repeats);
  for i = 1:repeats
    begun = tic ();
    [C, info] = __gpumm_multiply__ (a, b, "Backend", "cpu");
    called = toc (begun);
    clear C # releasing 512 MB takes time that is not the gateway's
    engine(i) = info.seconds.total;
    gateway(i) = called - engine(i);
    whole(i) = measure (@() gpumm (a, b), 1);
    times(i) = measure (@() a * b, 1);
  endfor
  printf ("%-16s %8d %9.3f ms %9.1f ms %9.1f ms %9.1f ms\n", type{1}, n, in_ms (gateway), ...
          in_ms (engine), in_ms (whole), in_ms (times));
endfor

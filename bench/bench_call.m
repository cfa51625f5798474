## bench_call.m - times the overhead of a call of gpumm: alone, with options, with info.
##
##   octave-cli --norc --path octave --path build/package bench/bench_call.m
##
## Prints medians and least times of many rounds.  Each round runs all cases once.
##
## SPDX-License-Identifier: BSD-3-Clause

1;

function bench_call (rounds, calls)
  A = [1, 2; 3, 4];
  cases = {"C = A * A;", "C = gpumm (A, A);", "[C, info] = gpumm (A, A);", ...
           "C = gpumm (A, A, \"Backend\", \"cpu\");", ...
           "C = gpumm (A, A, \"TransposeA\", \"transpose\");", ...
           "C = gpumm (A, A, \"Alpha\", 2, \"C\", A);", ...
           "C = gpumm (A, A, \"Algorithm\", \"blas\");", ...
           "[C, info] = gpumm (A, A, \"Backend\", \"cpu\");"};
  us = zeros (rounds, numel (cases));
  for r = 0:rounds # round 0 loads libraries and is not counted
    for k = 1:numel (cases)
      ## a loop in the text, so that it is parsed once
      eval (sprintf ("begun = tic (); for i = 1:%d, %s endfor, spent = toc (begun);", ...
                     calls, cases{k}));
      us(max (r, 1),k) = 1e6 * spent / calls;
    endfor
  endfor
  middle = median (us);
  least = min (us);
  printf ("%-48s %10s %8s %10s %8s\n", "2x2, us a call", "median", "more", "least", "more");
  for k = 1:numel (cases)
    printf ("%-48s %10.2f %+8.2f %10.2f %+8.2f\n", cases{k}, middle(k), middle(k) - middle(2), ...
            least(k), least(k) - least(2));
  endfor
endfunction

bench_call (60, 200);

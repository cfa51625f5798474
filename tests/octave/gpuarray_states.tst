## gpuarray_states.tst - what sparse matrices and matrices in blocks on a device do besides their
## values: how often they wait, and what stays where memory or a call fails.
## SPDX-License-Identifier: BSD-3-Clause

## ---- waits --------------------------------------------------------------------------------------

## A product waits once: for the size of the result, and with it for what says whether its operands
## have zeros.
%!function n = waits_of (f)
%!  n = __gpumm_fault__ ("waits");
%!  f ();
%!  n = __gpumm_fault__ ("waits") - n;
%!endfunction

## Of the host device; no other counts.
%!function n = calls_of (f)
%!  __gpumm_fault__ ("device", 0);
%!  f ();
%!  n = __gpumm_fault__ ("device", 0);
%!endfunction

## Runs each row of TABLE: what is done before, a call, and how often it waits.
%!function check_waits (G, F, table)
%!  is_there = gpumm_available ("gpu") || ! isempty (getenv ("GPUMM_GPUARRAY"));
%!  for k = 1:rows (table)
%!    eval ([table{k,1} ";"]);
%!    f = eval (["@() " table{k,2}]);
%!    n = waits_of (f);
%!    assert (any (n == table{k,3} * is_there), "%s waits %d times", table{k,2}, n);
%!  endfor
%!endfunction
%!test
%! blocks = kron (toeplitz ([1, 1, 0, 0, 0]), [1, 2; 2, 1] / 2);
%! table = {"", "2 * G .* 3 + G / 2", 0; "", "G * F", 0; "", "G * G", 1; "", "G' * G", 1
%!          "H = G * G", "H' * H", 1 # the product says whether it has zeros
%!          "", "H * F", 0; "H = G * G", "H * F", 1; "", "H * F", 0
%!          "X = 1.5 * G + 0.5 * H", "X * G", 1; "", "X * F", 0 # nobody knows before
%!          "X = 1.5 * G + 0.5 * H; Y = G .* 2 + H", "X * Y'", 1; "", "(G .* 3) * (H .* 2)", 1
%!          "N = G - G", "N * G", 0:2 # has zeros: these are dropped, and the product begins again
%!          "", "N * F", 0; "assert (nnz (N * G), 0)", "N * F", 0};
%! check_waits (gpuArray (sparse (toeplitz ([1, 2, 0, 0, 3]))), gpuArray (ones (5, 3)), table);
%! check_waits (gpuArray (blocksparse (blocks, 2)), gpuArray (ones (10, 3)), table);

## most of it may be zero: that is dropped first, and not counted
%!test
%! G = gpuArray (sparse (toeplitz ([1, 2, 0, 0, 3])));
%! check_waits (G, [], {"M = G .* (G > 1)", "M * M", 2; "", "M' * M", 1 # M has been found out
%!                      "M = G .* (G > 1)", "M * G", 2; "", "round (G / 4) * G", 2});
%! M = G .* (G > 1);
%! calls = calls_of (@() nnz (M)) + calls_of (@() M * M);
%! M = G .* (G > 1);
%! begins_once = nnz (sparse (1, 2) * Inf) > 0 || calls_of (@() M * M) <= calls;
%! assert (begins_once);
%! assert (gather (M' * M), gather (M)' * gather (M));

## ---- failures -----------------------------------------------------------------------------------

## Each is short, so that the calls that fail in turn are few.
%!function [list, operands] = programs (format)
%!  if (strcmp (format, "sparse"))
%!    list = {@(X, Y) X * Y', @(X, Y) (X .* (X > 1))' * Y, @(X, Y) X * full (Y'), @(X, Y) X + Y, ...
%!            @(X, Y) X .* Y, @(X, Y) sum (X, 2), @(X, Y) max (X), @(X, Y) diag (X), ...
%!            @(X, Y) X(:,[1, 3, 3]), @(X, Y) [X, Y; Y, X], @(X, Y) sparse (full (X)), ...
%!            @(X, Y) X * diag (1:4)};
%!    S = sparse ([1, 2, 0, 0; 0, 3, 0, -1; 2, 0, 0, 0]);
%!    operands = {S, S - sparse([0, 1, 0, 4; 0, 3, 0, 0; 0, 0, 1, 0])};
%!  else
%!    list = {@(G, H, X) dropblocks(1.5 * G - 0.5 * G' * H, 1), @(G, H, X) G' * H * X, ...
%!            @(G, H, X) sum(X), @(G, H, X) full(X), @(G, H, X) sparse(X'), ...
%!            @(G, H, X) blocksparse(full (H), 2), @(G, H, X) trace(X), @(G, H, X) X .* G, ...
%!            @(G, H, X) nnz(X - G), @(G, H, X) isequal(X, G), @(G, H, X) X([1, end],:), ...
%!            @(G, H, X) X{1,2}, @(G, H, X) [X, G; G, X'], @(G, H, X) int8(X) * int8(G)};
%!    A = kron ([1, 0, 1; 0, 0, 0; 1, 1, 0], [-1.5, 0.5; 2.5, -0.5]);
%!    B = kron ([0, 1, 1; 0, 0, 0; 1, 0, 0], [0.5, 2.5; 1.5, -1.5]);
%!    [S, T] = deal (blocksparse (A, 2), blocksparse (B, 2));
%!    operands = {S, T, S - T'};
%!  endif
%!endfunction

## every allocation, then every call of the device, fails in turn: nothing changes, and nothing is
## lost
%!function check_faults (format)
%!  [list, operands] = programs (format);
%!  given = cellfun (@gpuArray, operands, "UniformOutput", false);
%!  ids = {"gpumm:host-memory", "gpumm:device-memory", "gpumm:device-failed"};
%!  for what = {"memory", "device"}
%!    faults = cellfun (@(f) fail_each (what{1}, ids, @() gather (f (given{:})), f (operands{:})), ...
%!                      list);
%!    assert (max (faults) > 18 || isempty (getenv ("GPUMM_GPUARRAY")), "%s: %d faults", what{1}, ...
%!            max (faults));
%!  endfor
%!  assert (cellfun (@(x, y) isequal (gather (x), y), given, operands));
%!endfunction
%!test check_faults ("sparse");
%!test check_faults ("blocks");

## gpuarray_states.tst - what sparse matrices and matrices in blocks on a device do besides their
## values: how often they wait, what stays where memory or a call fails, and random programs.
##
## GPUMM_RANDOM_CASES in the environment is the number of random programs (300 and 150 on a device),
## GPUMM_SEED the seed, which is printed.
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

## named functions wait only for a value that the host needs, and queue few launches
%!test
%! F = gpuArray (magic (4));
%! Z = gpuArray (single (magic (4) + 1i));
%! G = gpuArray (sparse (toeplitz ([1, 2, 0, 0])));
%! if (isfinite (mean ([1e308, 1e308]))) # Octave 11 looks for an overflow
%!   means = {"mean (F)", 1, 6; "mean (G)", 1, 8};
%! else
%!   means = {"mean (F)", 0, 2; "mean (G)", 0, 2};
%! endif
%! table = {"sum (F)", 0, 1; "norm (F, 1)", 0, 2; "norm (F, Inf)", 0, 2
%!          "norm (F(1,:), Inf)", 0, 2; "gpuArray.zeros (4)", 0, 1; "sum (G)", 0, 1
%!          "max (G, [], 2)", 0, 1; "norm (G, 1)", 0, 5; "logical (F)", 1, 4
%!          "logical (Z)", 1, 4; "isequal (F, F)", 1, 3; "max (Z)", 1, 6
%!          "arrayfun (@(x) x + 1, F)", 2, 4; "bsxfun (@(x, y) x - 1, F, F)", 3, 6}; # copies of all
%! table = [table; means];
%! for k = 1:rows (table)
%!   f = eval (["@() " table{k,1}]);
%!   f ();
%!   n = [waits_of(f), calls_of(f)];
%!   assert (all (n <= [table{k,2:3}]), "%s: %d waits, %d calls", table{k,1}, n);
%! endfor

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
%!  gpumm_reset ();
%!  alive = __gpumm_fault__ ("live");
%!  [list, operands] = programs (format);
%!  given = cellfun (@gpuArray, operands, "UniformOutput", false);
%!  right = cellfun (@(f) f (operands{:}), list, "UniformOutput", false);
%!  for what = {"memory", "device"}
%!    most = 0;
%!    for k = 1:numel (list)
%!      f = list{k};
%!      n = 0;
%!      do
%!        n++;
%!        failed = false;
%!        err = struct ("identifier", "", "message", "");
%!        __gpumm_fault__ (what{1}, n);
%!        try
%!          z = gather (f (given{:}));
%!        catch err
%!          failed = true;
%!        end_try_catch
%!        calls = __gpumm_fault__ (what{1}, 0);
%!        assert (! failed || any (strcmp (err.identifier, ...
%!                                         {"gpumm:host-memory", "gpumm:device-memory", ...
%!                                          "gpumm:device-failed"})), err.message);
%!        try
%!          wait (gpuDevice ()); # a failure that nobody has heard of yet
%!        catch
%!        end_try_catch
%!        assert (difference (f (given{:}), right{k}), "", func2str (f));
%!      until (! failed && calls < n)
%!      most = max (most, n);
%!    endfor
%!    assert (most > 20 || isempty (getenv ("GPUMM_GPUARRAY")), "%s: %d calls", what{1}, most);
%!  endfor
%!  assert (cellfun (@(x, y) isequal (gather (x), y), given, operands));
%!  clear z given
%!  gpumm_reset ();
%!  assert (__gpumm_fault__ ("live") <= alive);
%!endfunction
%!test check_faults ("sparse");
%!test check_faults ("blocks");

## ---- random programs ----------------------------------------------------------------------------

## Steps on matrices A, B of n x n and a vector v that keep whole numbers, of which sums are exact.
%!function list = steps (format)
%!  if (strcmp (format, "sparse"))
%!    list = {"A * B", "A + B", "A - B", "A .* B", "A'", "A.'", "A .* (abs (A) > 2)", "2 * A", ...
%!            "-A", "abs (real (A))", "A .* (B != 0)", "A(:,p)", "A(p,:)", "A(p,p)", ...
%!            "sign (real (A))", "A * diag (v)", "diag (v) * A", "sparse (full (A))", ...
%!            "A - A .* (abs (A) > abs (B))", "diag (sum (A))", ...
%!            "diag (max (abs (real (A)), [], 2))", "real (A)", "conj (A)", "imag (A)", ...
%!            "A * 1i", "double (A != 0)", "real (A) > real (B)", "A & B", "A | B", "A' * B", ...
%!            "A * B'", "A' | B", "A & B'", "A .* B'", "A' .* (A != 0)", "A + speye (n)", ...
%!            "A .* full (B)", "sparse (A * full (B))", "sparse (full (A)' * B)", ...
%!            "A(:,1) * A(1,:)", "[A, B](:,p)", "[A; B](p,:)", "[A, B] * [A; B]", ...
%!            "[A(1,:); B](1:n,:)", "[A(:,1), full(B)](:,1:n)"};
%!  else
%!    list = {"A * B", "A + B", "A - B", "A .* B", "A'", "A.'", "2 * A", "-A", "abs (real (A))", ...
%!            "A ^ 2", "dropblocks (A, 3)", "dropblocks (A - B, 2)", "sign (real (A))", ...
%!            "real (A)", "conj (A)", "imag (A)", "A * 1i", "A' * B", "A * B'", ...
%!            "blocksparse (full (A), b)", "1.5 * (2 * A) - 0.5 * (2 * B)", "A + A'", ...
%!            "A - dropblocks (A, 4)", "single (A)", "double (A)", "A .* A", ...
%!            "blocksparse (A * full (B), b)", "blocksparse (full (A)' * B, b)", ...
%!            "blocksparse (A(end:-1:1,:), b)", "blocksparse ([A, B](:,end/2+1:end), b)", ...
%!            "blocksparse (full ([A, B] * [A; B]), b)", ...
%!            "blocksparse ([A; 2 * B](1:2:end,:), b)", ...
%!            "blocksparse (double (int16 (real (A)) * int16 (real (B))), b)"};
%!  endif
%!endfunction

%!function X = random_matrix (format, n, b)
%!  if (strcmp (format, "sparse"))
%!    X = round (sprand (n, n, rand ^ 2) * 8 - 4 * sprand (n, n, rand ^ 3));
%!    if (rand < 0.2)
%!      X(:,ceil (rand * n)) = 1;
%!    elseif (rand < 0.2)
%!      X = X > 0;
%!    elseif (rand < 0.2)
%!      X *= 1 + 2i;
%!    endif
%!  else
%!    X = kron (full (sprand (n / b, n / b, rand)) > 0, ones (b)) .* round (rand (n) * 6 - 3);
%!    if (rand < 0.2)
%!      X(:,1:b) = 1;
%!    elseif (rand < 0.2)
%!      X *= 1 + 2i;
%!    endif
%!    X = blocksparse (X, b);
%!  endif
%!endfunction

## Products of matrices whose largest element is MOST are exact.
%!function check_programs (format, cases, most)
%!  seed = from_environment ("GPUMM_SEED", 23);
%!  cases = from_environment ("GPUMM_RANDOM_CASES", ceil (cases / cell_step ()));
%!  printf ("gpuarray_states.tst: %d random programs, GPUMM_SEED=%d\n", cases, seed);
%!  rand ("twister", seed);
%!  list = steps (format);
%!  for i = 1:cases
%!    b = 1;
%!    n = ceil (rand ^ 2 * 20);
%!    if (strcmp (format, "blocks"))
%!      b = ceil (rand ^ 2 * 4);
%!      n = b * (1 + ceil (rand ^ 2 * 8));
%!    endif
%!    v = round (rand (1, n) * 4 - 1);
%!    host = arrayfun (@(k) random_matrix (format, n, b), 1:3, "UniformOutput", false);
%!    there = cellfun (@gpuArray, host, "UniformOutput", false);
%!    said = "";
%!    for step = 1:10
%!      p = ceil (rand (1, n) * n);
%!      [x, y] = deal (ceil (rand * 3), ceil (rand * 3));
%!      text = list{ceil(rand * numel (list))};
%!      said = sprintf ("%s%d,%d: %s; ", said, x, y, text);
%!      [A, B] = deal (host{[x, y]});
%!      wanted = eval (text);
%!      if (rand < 0.5) # with variables that others hold, or with the only reference
%!        [A, B] = deal (there{[x, y]});
%!        if (rand < 0.3 && x != y && strcmp (format, "blocks")) # one comes from the host
%!          B = host{y};
%!        endif
%!        given = eval (text);
%!      else
%!        given = eval (regexprep (text, {'\<A\>', '\<B\>'}, {"there{x}", "there{y}"}));
%!      endif
%!      wrong = difference (given, wanted);
%!      if (! isempty (wrong))
%!        error ("case %d of seed %d, n = %d, b = %d: %s %s", i, seed, n, b, said, wrong);
%!      endif
%!      if (any (abs (nonzeros (wanted)) > most))
%!        wanted = sign (real (wanted));
%!        given = sign (real (given));
%!      endif
%!      host{x} = wanted;
%!      there{x} = given;
%!    endfor
%!  endfor
%!endfunction
%!test check_programs ("sparse", 300, 1e6);
%!test check_programs ("blocks", 150, 300); # in single, too

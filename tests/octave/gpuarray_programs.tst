## gpuarray_programs.tst - random programs on arrays that stay on a device and arrays of the host:
## full ones, sparse matrices and matrices in blocks.
##
## GPUMM_RANDOM_PROGRAMS in the environment is their number (500 of full arrays, 100 of sparse
## matrices and 60 of matrices in blocks, on a device), GPUMM_SEED the seed, which is printed.  The
## log of a failure has the call that repeats it.
## SPDX-License-Identifier: BSD-3-Clause

## A program has 20 operations on a pool of values, of which some lie on the device; the same
## program with Octave's arrays says what is right.  Where results need not be equal, the program
## goes on with the host's values: errors do not add up.  An operation is
##   {function, kind}
## and its kind says the bound, with m the largest absolute value of an operand, n the most
## elements:
##   0  equal, if the operands are real; else as 1
##   1  a few units in the last place of each element (64 eps)
##   2  a sum: 4 n^2 eps m(first) max (1, m(second))
##   3  a power: 1e4 eps of each element
##   4  a sum of squares: m(first) times the bound of a sum
## Operations on sparse matrices and matrices in blocks keep whole numbers, of which sums are exact.
%!function list = full_operations ()
%!  list = {@(a, b) a + b, 0; @(a, b) a - b, 0; @(a, b) a .* b, 0; @(a, b) a ./ b, 0
%!          @(a, b) b .\ a, 0; @(a, b) a == b, 0; @(a, b) a != b, 0; @(a, b) a < b, 0
%!          @(a, b) a <= b, 0; @(a, b) a > b, 0; @(a, b) a >= b, 0; @(a, b) a & b, 0
%!          @(a, b) a | b, 0; @(a) ! a, 0; @(a) -a, 0; @(a) a.', 0; @(a) a', 0
%!          @(a, b, c) a + 2 * b .* c, 1; @(a, b, c) (a - b) .* (b + c), 1
%!          @(a, b) a .* b - (a > b), 1; @(a, b, c) a + b' .* c, 1
%!          @(a, b, c) (a + b) - (b - c) .* 3, 1; @(a) abs (a), 1; @(a) sign (a), 1
%!          @(a) round (a), 0; @(a) floor (a), 0; @(a) ceil (a), 0; @(a) fix (a), 0
%!          @(a) real (a), 0; @(a) imag (a), 0; @(a) conj (a), 0; @(a) isnan (a), 0
%!          @(a) isinf (a), 0; @(a) isfinite (a), 0; @(a) sqrt (a), 1; @(a) exp (a / 64), 1
%!          @(a) log (a), 1; @(a) tanh (a), 1; @(a) sin (a), 1; @(a) cos (a), 1; @(a) a .^ 2, 1
%!          @(a) a .^ 3, 1; @(a) a .^ 0.5, 3; @(a) a .^ -1, 1; @(a) 2 .^ (a / 64), 3
%!          @(a, b) a .^ (b / 64), 3; @(a) a(:), 0; @(a) a(:,1), 0; @(a) a(end,:), 0
%!          @(a) a([2, 1],:), 0; @(a) a(:,[1, 1]), 0; @(a) a(end), 0; @(a) a(a > 0), 0
%!          @(a, b) a(b > 1), 0; @(a) a(2:end), 0; @(a) a(end:-1:1,:), 0; @(a) a(:)', 0
%!          @(a) reshape (a, [], 1), 0; @(a) reshape (a, 3, []), 0; @(a) permute (a, [2, 1, 3]), 0
%!          @(a) repmat (a, 1, 2), 0; @(a, b) [a, b], 0; @(a, b) [a; b], 0; @(a, b) cat (3, a, b), 0
%!          @(a) diag (a), 0; @(a) double (a), 0; @(a) single (a), 0; @(a) int8 (a), 0
%!          @(a) uint8 (a), 0; @(a) int32 (a), 0; @(a) logical (a), 0; @(a, b) max (a, b), 0
%!          @(a, b) min (a, b), 0; @(a) max (a), 0; @(a) min (a, [], 2), 0; @(a) any (a), 0
%!          @(a) all (a, 2), 0; @(a) sum (a), 2; @(a) sum (a, 2), 2; @(a) sum (a, 3), 2
%!          @(a) prod (a / 4), 1; @(a) mean (a), 2; @(a) cumsum (a), 2; @(a) cumsum (a, 2), 2
%!          @(a) cumprod (a / 4), 1; @(a) sumsq (a), 4; @(a) norm (a, "fro"), 1
%!          @(a) norm (a, 1), 2; @(a) norm (a, Inf), 2; @(a, b) dot (a, b), 2; @(a) trace (a), 2
%!          @(a, b) a * b, 2; @(a, b) a' * b, 2; @(a, b) a * b.', 2; @(a, b) (a * b)', 2
%!          @(a, b) isequal (a, b), 0; @(a) size (a), 0; @(a, b) put_first (a, b), 0
%!          @(a, b) put_column (a, b), 0; @(a) put_mask (a), 0; @(a, b) put_end (a, b), 0
%!          @(a) put_away (a), 0; @(a, b) put_plus (a, b), 0; @(a, b) put_times (a, b), 1
%!          @(a, b) put_row (a, b), 0};
%!endfunction
%!function a = put_first (a, b), a(1) = b(1); endfunction
%!function a = put_column (a, b), a(:,1) = b(:,end); endfunction
%!function a = put_row (a, b), a(2,:) = b; endfunction
%!function a = put_mask (a), a(a > 2) = 1; endfunction
%!function a = put_end (a, b), a(end+1,:) = b(1,:); endfunction
%!function a = put_away (a), a(:,1) = []; endfunction
%!function a = put_plus (a, b), a += b; endfunction
%!function a = put_times (a, b), a .*= b; endfunction

## of n x n
%!function list = sparse_operations (n)
%!  p = ceil (rand (1, n) * n);
%!  v = round (rand (1, n) * 4 - 1);
%!  list = {@(a, b) a * b, @(a, b) a + b, @(a, b) a - b, @(a, b) a .* b, @(a) a', @(a) a.', ...
%!          @(a) a .* (abs (a) > 2), @(a) 2 * a, @(a) -a, @(a) abs (real (a)), ...
%!          @(a, b) a .* (b != 0), @(a) a(:,p), @(a) a(p,:), @(a) a(p,p), @(a) sign (real (a)), ...
%!          @(a) a * diag (v), @(a) diag (v) * a, @(a) sparse (full (a)), ...
%!          @(a, b) a - a .* (abs (a) > abs (b)), @(a) diag (sum (a)), ...
%!          @(a) diag (max (abs (real (a)), [], 2)), @(a) real (a), @(a) conj (a), ...
%!          @(a) imag (a), @(a) a * 1i, @(a) double (a != 0), @(a, b) real (a) > real (b), ...
%!          @(a, b) a & b, ...
%!          @(a, b) a | b, @(a, b) a' * b, @(a, b) a * b', @(a, b) a' | b, @(a, b) a & b', ...
%!          @(a, b) a .* b', @(a) a' .* (a != 0), @(a) a + speye (n), @(a, b) a .* full (b), ...
%!          @(a, b) sparse (a * full (b)), @(a, b) sparse (full (a)' * b), ...
%!          @(a) a(:,1) * a(1,:), @(a, b) [a, b](:,p), @(a, b) [a; b](p,:), ...
%!          @(a, b) [a, b] * [a; b], @(a, b) [a(1,:); b](1:n,:), ...
%!          @(a, b) [a(:,1), full(b)](:,1:n)};
%!  list(2,:) = {0};
%!  list = list.';
%!endfunction

## in blocks of b x b
%!function list = block_operations (b)
%!  in_blocks = @(x) blocksparse (x, b);
%!  list = {@(a, b) a * b, @(a, b) a + b, @(a, b) a - b, @(a, b) a .* b, @(a) a', @(a) a.', ...
%!          @(a) 2 * a, @(a) -a, @(a) abs (real (a)), @(a) a ^ 2, @(a) dropblocks (a, 3), ...
%!          @(a, b) dropblocks (a - b, 2), @(a) sign (real (a)), @(a) real (a), @(a) conj (a), ...
%!          @(a) imag (a), @(a) a * 1i, @(a, b) a' * b, @(a, b) a * b', ...
%!          @(a) in_blocks (full (a)), ...
%!          @(a, b) 1.5 * (2 * a) - 0.5 * (2 * b), @(a) a + a', @(a) a - dropblocks (a, 4), ...
%!          @(a) single (a), @(a) double (a), @(a) a .* a, @(a, b) in_blocks (a * full (b)), ...
%!          @(a, b) in_blocks (full (a)' * b), @(a) in_blocks (a(end:-1:1,:)), ...
%!          @(a, b) in_blocks ([a, b](:,end/2+1:end)), ...
%!          @(a, b) in_blocks (full ([a, b] * [a; b])), ...
%!          @(a, b) in_blocks ([a; 2 * b](1:2:end,:)), ...
%!          @(a, b) in_blocks (double (int16 (real (a)) * int16 (real (b))))};
%!  list(2,:) = {0};
%!  list = list.';
%!endfunction

## A new pool: operations, with what their words say of them, and how values are made.
%!function [ops, make] = of_format (format)
%!  persistent of_full = with_traits (full_operations ());
%!  switch (format)
%!    case "full"
%!      ops = of_full;
%!      make = @any_array;
%!    case "sparse"
%!      n = ceil (rand ^ 2 * 20);
%!      ops = with_traits (sparse_operations (n));
%!      make = @() any_sparse (n);
%!    case "blocks"
%!      b = ceil (rand ^ 2 * 4);
%!      n = b * (1 + ceil (rand ^ 2 * 8));
%!      ops = with_traits (block_operations (b));
%!      make = @() any_blocks (n, b);
%!  endswitch
%!endfunction
%!function ops = with_traits (list)
%!  ops = struct ("f", list(:,1), "kind", list(:,2));
%!  traits = {"multiplies", "a'? \\* b"; "takes_nan_otherwise", 'norm \(a, [1I]|all'
%!            "puts", "put_"; "joins", '\[a|cat'; "brackets", '\[a'; "orders", '[<>]|max|min'
%!            "raises", '\.\^'; "gives_host", "isequal|size|trace"; "picks", 'a \(b > 1\)'};
%!  for i = 1:numel (ops)
%!    for t = traits.'
%!      ops(i).(t{1}) = ! isempty (regexp (func2str (ops(i).f), t{2}, "once"));
%!    endfor
%!  endfor
%!endfunction

## small whole numbers of any type and shape; now and then NaN or Inf among reals
%!function X = any_array ()
%!  dims = pick ({[1, 1], [1, 1], [1, 3], [3, 1], [3, 3], [3, 3], [3, 3], [2, 3], [3, 2], ...
%!                [2, 2, 2], [0, 3], [0, 0]});
%!  X = floor (10 * rand (dims)) - 4;
%!  type = pick ({"double", "double", "double", "single", "single", "complex", "complex", ...
%!                "single complex", "logical", "int8", "uint8", "int32"});
%!  if (strcmp (type, "double") && rand < 0.2 && ! isempty (X))
%!    X(1) = pick ({NaN, Inf, -Inf});
%!  elseif (strcmp (type, "logical"))
%!    X = X > 0;
%!  elseif (! isempty (strfind (type, "complex")))
%!    if (! isempty (X)) # Octave forgets that an empty array is complex
%!      X = complex (X, 1 + floor (5 * rand (dims)));
%!    endif
%!    X = {X, single(X)}{1 + strncmp(type, "single", 6)};
%!  else
%!    X = cast (X, type);
%!  endif
%!endfunction
%!function X = any_sparse (n)
%!  X = round (sprand (n, n, rand ^ 2) * 8 - 4 * sprand (n, n, rand ^ 3));
%!  if (rand < 0.2)
%!    X(:,ceil (rand * n)) = 1;
%!  elseif (rand < 0.2)
%!    X = X > 0;
%!  elseif (rand < 0.2)
%!    X *= 1 + 2i;
%!  endif
%!endfunction
%!function X = any_blocks (n, b)
%!  X = kron (full (sprand (n / b, n / b, rand)) > 0, ones (b)) .* round (rand (n) * 6 - 3);
%!  if (rand < 0.2)
%!    X(:,1:b) = 1;
%!  elseif (rand < 0.2)
%!    X *= 1 + 2i;
%!  endif
%!  X = blocksparse (X, b);
%!endfunction

%!function run_programs (format, seed, from, to)
%!  warning ("off", "all", "local");
%!  is_full = strcmp (format, "full");
%!  for n = from:to
%!    rand ("twister", [seed, n]);
%!    [ops, make] = of_format (format);
%!    host = given = arrayfun (@(i) make (), 1:5, "UniformOutput", false);
%!    on_device = rand (1, 5) < 0.7 | strcmp (format, "sparse"); # see gpuarray_formats.tst
%!    given(on_device) = cellfun (@gpuArray, host(on_device), "UniformOutput", false);
%!    for step = 1:20
%!      op = ops(ceil (rand * numel (ops)));
%!      at = ceil (5 * rand (1, nargin (op.f)));
%!      if (! any (on_device(at)))
%!        given{at(1)} = gpuArray (host{at(1)});
%!        on_device(at(1)) = true;
%!      endif
%!      x = host(at);
%!      if (is_full && is_other (op, x, on_device(at)))
%!        continue;
%!      endif
%!      tol = {0, @(h) bound(op.kind, x, h)}{1 + is_full};
%!      [text, h, g] = compare (op.f, x, tol, "there", on_device(at), "given", given(at), ...
%!                              "refuses", refusals (op, x, on_device(at)));
%!      if (isempty (text) && ! isempty (h) && ! isempty (g))
%!        [h, g] = deal (full_if (h{1}, is_full), g{1});
%!        if (is_full)
%!          [g, text] = kept (g, h, op, x, on_device(at));
%!          stays = rand < 0.02 || (numel (h) <= 60 && all (abs (double (h(:))) <= 500));
%!        else
%!          stays = true;
%!          most = {1e6, 300}{1 + strcmp(format, "blocks")}; # blocks are in single, too
%!          if (any (abs (nonzeros (h)) > most)) # sums of larger ones would round
%!            [h, g] = deal (sign (real (h)), sign (real (g)));
%!          endif
%!        endif
%!        if (stays && ! isempty (h))
%!          i = ceil (5 * rand);
%!          [host{i}, given{i}] = deal (h, g);
%!          on_device(i) = strcmp (class (g), "gpuArray");
%!        endif
%!      endif
%!      if (! isempty (text))
%!        error ("step %d: %s\nrepeat: run_programs (\"%s\", %d, %d, %d)", step, text, format, ...
%!               seed, n, n);
%!      endif
%!    endfor
%!  endfor
%!endfunction

## as Octave would store what is full: no diagonal matrix, and no imaginary parts of zero
%!function h = full_if (h, is_full)
%!  if (is_full)
%!    h = full (h);
%!    if (iscomplex (h) && ! any (imag (h)(:)))
%!      h = real (h);
%!    endif
%!  endif
%!endfunction

## The largest errors of a result.
%!function tol = bound (kind, x, h)
%!  u = eps ();
%!  if (any (cellfun (@(x) isa (x, "single"), x)))
%!    u = double (eps ("single"));
%!  endif
%!  k = abs (double (h));
%!  k(! isfinite (k)) = 0;
%!  switch (max (kind, any (cellfun (@iscomplex, [x, {h}]))))
%!    case 0
%!      tol = 0;
%!    case 1
%!      tol = 64 * u * k;
%!    case 3
%!      tol = 1e4 * u * k;
%!    otherwise
%!      m = cellfun (@(x) max ([1; abs(double (x(isfinite (x))(:)))]), x);
%!      tol = 4 * u * max (cellfun (@numel, x)) ^ 2 * prod (m) * merge (kind == 4, m(1), 1);
%!  endswitch
%!  if (isinteger (h) && kind > 0)
%!    tol = max (tol, 1); # rounded from values that differ a little
%!  endif
%!endfunction

## What gpuarray.tst and gpuarray_parts.tst compare with the rules of the device: products of N-d
## arrays; norms and all of NaN; true(1) = 5 of the host; int8 (1)(1) = 2+0i, where Octave narrows;
## complex (0) .^ 0, which is NaN in Octave; empty arrays, which give no class to a concatenation.
## And the order of complex numbers that are nearly equal.
%!function yes = is_other (op, x, on_device)
%!  is_complex = any (cellfun (@iscomplex, x));
%!  has_nan = any (cellfun (@(x) any (isnan (x(:))), x));
%!  yes = (op.multiplies && any (cellfun (@ndims, x) > 2)) ...
%!        || (op.takes_nan_otherwise && has_nan) ...
%!        || (op.puts && islogical (x{1}) && (! on_device(1) || has_nan)) ...
%!        || (op.puts && is_complex && ! all (cellfun (@isfloat, x))) ...
%!        || (op.kind == 3 && is_complex && any (cellfun (@(x) any (x(:) == 0), x))) ...
%!        || (op.joins && any (cellfun (@isempty, x))) ...
%!        || (op.orders && is_complex && has_near_ties (x));
%!endfunction

## Are there two complex numbers whose order depends on the last bits of abs or arg?  Octave
## compares both as rounded, and the arg of a GPU is rounded otherwise.
%!function yes = has_near_ties (x)
%!  all_parts = vertcat (cellfun (@(x) double (x(:)), x, "UniformOutput", false){:});
%!  is_single = any (cellfun (@(x) isa (x, "single"), x));
%!  u = 4 * merge (is_single, double (eps ("single")), eps ());
%!  is_near = @(f) abs (f(all_parts) - f(all_parts).') <= u * abs (f(all_parts));
%!  yes = any ((is_near (@abs) & is_near (@arg) & all_parts != all_parts.')(:));
%!endfunction

## A pattern of the errors that the device may have: powers of integers; an array of it assigned to
## one of the host; integers with a complex product that Octave narrows; [a, b] that begins with an
## N-d array of the host, which Octave cannot resize.
%!function pattern = refusals (op, x, on_device)
%!  some_integer = any (cellfun (@isinteger, x));
%!  patterns = {"^gpumm:gpuArray:gather", "complex", "Invalid resizing"};
%!  may = false (1, 3);
%!  may(1) = (some_integer && op.raises) || (op.puts && ! on_device(1));
%!  may(2) = some_integer && any (cellfun (@iscomplex, x));
%!  may(3) = op.brackets && any (cellfun (@ndims, x) > 2);
%!  pattern = false;
%!  if (any (may))
%!    pattern = strjoin (patterns(may), "|");
%!  endif
%!endfunction

## G, or what the program goes on with in its place, where the parts of a number may still differ:
## of a sum both zeros are right, and of a complex number that is not finite either part may be NaN.
%!function [g, text] = kept (g, h, op, x, on_device)
%!  text = "";
%!  if (strcmp (class (g), "gpuArray"))
%!    bytes = @(x) typecast ([real(x)(:); imag(x)(:)], "uint8");
%!    if (iscomplex (g) != iscomplex (h) || any (bytes (__gpuarray__ ("gather", g)) != bytes (h)))
%!      g = gpuArray (h);
%!    endif
%!  else
%!    on_host = op.gives_host || any (cellfun (@isempty, x)) ...
%!              || (! on_device(1) && (op.puts || op.picks));
%!    text = {"it is not on the device", ""}{1 + on_host};
%!  endif
%!endfunction

%!function check_programs (format, count)
%!  seed = from_environment ("GPUMM_SEED", 1 + mod (floor (time ()), 1e6));
%!  count = from_environment ("GPUMM_RANDOM_PROGRAMS", ceil (count / cell_step ()));
%!  printf ("gpuarray_programs.tst: %s, GPUMM_SEED=%d GPUMM_RANDOM_PROGRAMS=%d\n", format, seed, ...
%!          count);
%!  fflush (stdout);
%!  run_programs (format, seed, 1, count);
%!endfunction
%!test check_programs ("full", 500);
%!test check_programs ("sparse", 100);
%!test check_programs ("blocks", 60);

## Octave's solvers take every error of a preconditioner for a singular one: they are right here, or
## refuse; where they see functions alone, a warning says what failed.
%!function [x, flag, id] = solved (name, args)
%!  x = flag = [];
%!  lastwarn ("", "");
%!  id = "";
%!  try
%!    [x, flag] = feval (name, args{:});
%!  catch err
%!    id = err.identifier;
%!  end_try_catch
%!endfunction

%!test
%! S = gallery ("poisson", 4);
%! b = (1:16)';
%! parts = {S + speye(16), ichol(S)};
%! wrong = {};
%! for form = {@full, @sparse}
%!   [A, M, L] = deal (form{1} (S), form{1} (parts{1}), form{1} (parts{2}));
%!   [G, N] = deal (gpuArray (A), gpuArray (M));
%!   times = @(x, varargin) G * x;
%!   systems = {G, gpuArray(b); G, b; A, gpuArray(b); times, gpuArray(b); times, b};
%!   quarter = @(x, varargin) x / 4;
%!   [by_M, by_N] = deal (@(x, varargin) M \ x, @(x, varargin) N \ x);
%!   conditions = {{}, {}; {M}, {N}; {M}, {M}; {L, L'}, {gpuArray(L), gpuArray(L')}
%!                 {L, L'}, {L, L'}; {quarter}, {quarter}; {by_M}, {by_M}; {by_M}, {by_N}};
%!   for name = {"gmres", "pcg", "bicg", "bicgstab", "cgs", "tfqmr", "qmr", "pcr"}
%!     options = cell (1, 2 + strcmp (name{1}, "gmres"));
%!     for c = find (! (strcmp (name{1}, "pcr") & ismember (1:8, [4, 5]))) # pcr takes no factors
%!       [y, flag] = solved (name{1}, [{A, b}, options, conditions{c,1}]);
%!       for s = 1:rows (systems)
%!         [x, f, id] = solved (name{1}, [systems(s,:), options, conditions{c,2}]);
%!         divides = strcmp (name{1}, "gmres") || any (c == [2, 4, 8]); # by a matrix on a device
%!         is_right = isempty (id) && isequal (flag, f) && norm (gather (x) - y) <= 1e-9 * norm (y);
%!         if (s == 5 && c == 8 && isempty (id)) # all are functions
%!           [~, warned] = lastwarn ();
%!           is_right = flag == 0 && f == 2 && strcmp (warned, "gpumm:gpuArray:solver");
%!         elseif (divides)
%!           is_right = strcmp (id, "gpumm:gpuArray:gather");
%!         endif
%!         if (! is_right)
%!           wrong{end+1} = sprintf ("%s %s, system %d, preconditioner %d: %s", ...
%!                                   func2str (form{1}), name{1}, s, c, id);
%!         endif
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! fail_with (wrong);
%!error id=gpumm:gpuArray:gather condeig (gpuArray (sparse ([2, 1; 0, 3])))

## gpuarray_programs.tst - random programs on arrays that stay on a device and arrays of the host.
##
## GPUMM_RANDOM_PROGRAMS in the environment is their number (1000 on a device), GPUMM_SEED the seed, which is printed.
## In a log of a failure stands the call that repeats it.
## SPDX-License-Identifier: BSD-3-Clause

## Each has 20 operations on a pool of values, of which some lie on the device; the same program with
## Octave's arrays says what is right.  Results that need not be equal must lie within the bound of the
## operation, and the program goes on with the host's values: errors do not add up.  An operation is
##   {function, number of operands, kind, in words}
## and its kind says the bound, with m the largest absolute value, n the number of elements:
##   0  equal, if the operands are real; else as 1
##   1  a few units in the last place of each element (64 eps)
##   2  a sum: 4 n eps m(first) max (1, m(second)) max (1, n)
##   3  a power: 1e4 eps of each element
%!function ops = operations ()
%!  list = {@(a, b) a + b, 0; @(a, b) a - b, 0; @(a, b) a .* b, 0; @(a, b) a ./ b, 0; @(a, b) b .\ a, 0; ...
%!          @(a, b) a == b, 0; @(a, b) a != b, 0; @(a, b) a < b, 0; @(a, b) a <= b, 0; @(a, b) a > b, 0; ...
%!          @(a, b) a >= b, 0; @(a, b) a & b, 0; @(a, b) a | b, 0; @(a) ! a, 0; @(a) -a, 0; @(a) a.', 0; @(a) a', 0; ...
%!          @(a, b, c) a + 2 * b .* c, 1; @(a, b, c) (a - b) .* (b + c), 1; @(a, b) a .* b - (a > b), 1; ...
%!          @(a, b, c) a + b' .* c, 1; @(a, b, c) (a + b) - (b - c) .* 3, 1; @(a) abs (a), 1; @(a) sign (a), 1; ...
%!          @(a) round (a), 0; @(a) floor (a), 0; @(a) ceil (a), 0; @(a) fix (a), 0; @(a) real (a), 0; @(a) imag (a), 0; ...
%!          @(a) conj (a), 0; @(a) isnan (a), 0; @(a) isinf (a), 0; @(a) isfinite (a), 0; @(a) sqrt (a), 1; ...
%!          @(a) exp (a / 64), 1; @(a) log (a), 1; @(a) tanh (a), 1; @(a) sin (a), 1; @(a) cos (a), 1; @(a) a .^ 2, 1; ...
%!          @(a) a .^ 3, 1; @(a) a .^ 0.5, 3; @(a) a .^ -1, 1; @(a) 2 .^ (a / 64), 3; @(a, b) a .^ (b / 64), 3; ...
%!          @(a) a(:), 0; @(a) a(:,1), 0; @(a) a(end,:), 0; @(a) a([2, 1],:), 0; @(a) a(:,[1, 1]), 0; @(a) a(end), 0; ...
%!          @(a) a(a > 0), 0; @(a, b) a(b > 1), 0; @(a) a(2:end), 0; @(a) a(end:-1:1,:), 0; @(a) a(:)', 0; ...
%!          @(a) reshape (a, [], 1), 0; @(a) reshape (a, 3, []), 0; @(a) permute (a, [2, 1, 3]), 0; @(a) repmat (a, 1, 2), 0; ...
%!          @(a, b) [a, b], 0; @(a, b) [a; b], 0; @(a, b) cat (3, a, b), 0; @(a) diag (a), 0; @(a) double (a), 0; ...
%!          @(a) single (a), 0; @(a) int8 (a), 0; @(a) uint8 (a), 0; @(a) int32 (a), 0; @(a) logical (a), 0; ...
%!          @(a, b) max (a, b), 0; @(a, b) min (a, b), 0; @(a) max (a), 0; @(a) min (a, [], 2), 0; @(a) any (a), 0; ...
%!          @(a) all (a, 2), 0; @(a) sum (a), 2; @(a) sum (a, 2), 2; @(a) sum (a, 3), 2; @(a) prod (a / 4), 1; @average, 2; ...
%!          @(a) cumsum (a), 2; @(a) cumsum (a, 2), 2; @(a) cumprod (a / 4), 1; @(a) sumsq (a), 4; @(a) norm (a, "fro"), 1; ...
%!          @(a) norm (a, 1), 2; @(a) norm (a, Inf), 2; @(a, b) dot (a, b), 2; @(a) trace (a), 2; @(a, b) a * b, 2; ...
%!          @(a, b) a' * b, 2; @(a, b) a * b.', 2; @(a, b) (a * b)', 2; @(a, b) isequal (a, b), 0; @(a) size (a), 0; ...
%!          @(a, b) put_first (a, b), 0; @(a, b) put_column (a, b), 0; @(a) put_mask (a), 0; @(a, b) put_end (a, b), 0; ...
%!          @(a) put_away (a), 0; @(a, b) put_plus (a, b), 0; @(a, b) put_times (a, b), 1; @(a, b) put_row (a, b), 0};
%!  ops = struct ("f", list(:,1), "kind", list(:,2));
%!  for i = 1:numel (ops)
%!    words = func2str (ops(i).f);
%!    has = @(pattern) ! isempty (regexp (words, pattern, "once"));
%!    ops(i).words = words;
%!    ops(i).count = nargin (ops(i).f);
%!    ops(i).orders = has ('[<>]|max|min');
%!    ops(i).puts = has ('^@\((a|a, b)\) put');
%!    ops(i).joins = has ('\[a|cat');
%!    ops(i).gives_host = has ("isequal|size|trace");
%!    ops(i).picks_by_host = has ('a \(b > 1\)');
%!  endfor
%!endfunction

## Octave 11's mean of complex numbers is 0 where one is NaN
%!function y = average (a)
%!  y = mean (a);
%!  if (! strcmp (class (a), "gpuArray") && iscomplex (a) && any (isnan (a)(:)))
%!    y = sum (a);
%!    y /= numel (a) / numel (y);
%!  endif
%!endfunction
%!function a = put_first (a, b), a(1) = b(1); endfunction
%!function a = put_column (a, b), a(:,1) = b(:,end); endfunction
%!function a = put_row (a, b), a(2,:) = b; endfunction
%!function a = put_mask (a), a(a > 2) = 1; endfunction
%!function a = put_end (a, b), a(end+1,:) = b(1,:); endfunction
%!function a = put_away (a), a(:,1) = []; endfunction
%!function a = put_plus (a, b), a += b; endfunction
%!function a = put_times (a, b), a .*= b; endfunction

## small whole numbers of any type and shape; now and then NaN or Inf among reals
%!function X = any_array ()
%!  dims = pick ({[1, 1], [1, 1], [1, 3], [3, 1], [3, 3], [3, 3], [3, 3], [2, 3], [3, 2], [2, 2, 2], [0, 3], [0, 0]});
%!  X = floor (10 * rand (dims)) - 4;
%!  switch (ceil (12 * rand))
%!    case {1, 2, 3}
%!      if (rand < 0.2 && ! isempty (X))
%!        X(1) = pick ({NaN, Inf, -Inf});
%!      endif
%!    case {4, 5}
%!      X = single (X);
%!    case {6, 7}
%!      if (! isempty (X))
%!        X = complex (X, 1 + floor (5 * rand (dims)));
%!      endif
%!    case 8
%!      if (! isempty (X))
%!        X = single (complex (X, 1 + floor (5 * rand (dims))));
%!      endif
%!    case 9
%!      X = X > 0;
%!    case 10
%!      X = int8 (X);
%!    case 11
%!      X = uint8 (X);
%!    case 12
%!      X = int32 (X);
%!  endswitch
%!endfunction

%!function run_programs (seed, from, to)
%!  warning ("off", "all", "local");
%!  ops = operations ();
%!  for n = from:to
%!    rand ("twister", [seed, n]);
%!    host = given = cell (1, 5);
%!    on_device = rand (1, 5) < 0.7;
%!    for i = 1:5
%!      host{i} = any_array ();
%!      given{i} = host{i};
%!      if (on_device(i))
%!        given{i} = __gpuarray__ (host{i});
%!      endif
%!    endfor
%!    for step = 1:20
%!      op = ops(ceil (rand * numel (ops)));
%!      from_pool = ceil (5 * rand (1, op.count));
%!      x = host(from_pool);
%!      y = given(from_pool);
%!      if (! any (on_device(from_pool)))
%!        y{1} = __gpuarray__ (x{1});
%!        given{from_pool(1)} = y{1};
%!        on_device(from_pool(1)) = true;
%!      endif
%!      if (op.orders && any (cellfun (@iscomplex, x)) && has_near_ties (x))
%!        continue;
%!      endif
%!      err = said = [];
%!      try
%!        h = op.f (x{:});
%!      catch err
%!      end_try_catch
%!      try
%!        g = op.f (y{:});
%!      catch said
%!      end_try_catch
%!      text = "";
%!      if (! isempty (said))
%!        text = wrong_error (said, err, x, y, op.words);
%!      elseif (! isempty (err))
%!        if (! lacks_operation (err, x, op.words))
%!          text = ["no error: " err.message];
%!        endif
%!      else
%!        [text, same, h] = wrong_value (g, h, op, x, on_device(from_pool(1)));
%!        if (isempty (text) && numel (h) <= 60 && ! isempty (h) && max (abs (double (h(:)))) <= 500 || rand < 0.02)
%!          i = ceil (5 * rand);
%!          host{i} = h;
%!          given{i} = g;
%!          on_device(i) = strcmp (class (g), "gpuArray");
%!          if (! same)
%!            given{i} = __gpuarray__ (h);
%!            on_device(i) = true;
%!          endif
%!        endif
%!      endif
%!      if (! isempty (text))
%!        error ("program %d of seed %d, step %d: %s of %s: %s\nrepeat: run_programs (%d, %d, %d)", n, seed, step, op.words, ...
%!               strjoin (cellfun (@shown, x, "UniformOutput", false), " and "), text, seed, n, n);
%!      endif
%!    endfor
%!  endfor
%!endfunction

## Are there two complex numbers whose order depends on the last bits of abs or arg?  Octave compares both as
## rounded, and the arg of a GPU is rounded otherwise.
%!function yes = has_near_ties (x)
%!  parts = cellfun (@(x) double (x(:)), x, "UniformOutput", false);
%!  all_parts = vertcat (parts{:});
%!  u = 4 * merge (any (cellfun (@(x) isa (x, "single"), x)), double (eps ("single")), eps ());
%!  is_near = @(f) abs (f(all_parts) - f(all_parts).') <= u * abs (f(all_parts));
%!  yes = any ((is_near (@abs) & is_near (@arg) & all_parts != all_parts.')(:));
%!endfunction

## What is wrong with the error of the device, where the host had ERR or none.
%!function text = wrong_error (said, err, x, y, words)
%!  text = "";
%!  is_refusal = strcmp (said.identifier, "gpumm:gpuArray:gather");
%!  if (isempty (err))
%!    is_bracket = strncmp (words, "@(a, b) [", 9) && any (cellfun (@ndims, x) > 2);
%!    if (is_bracket && ! isempty (strfind (said.message, "Invalid resizing")))
%!      ## Octave begins with its own array, which it cannot resize; cat (2, ...) works
%!    elseif (! may_fail (said, is_refusal, x, y, words))
%!      text = ["error: " said.message];
%!    endif
%!  elseif (! isempty (err.identifier) && ! strcmp (said.identifier, err.identifier) && ! is_refusal)
%!    text = sprintf ("error %s and not %s", said.identifier, err.identifier);
%!  elseif (is_refusal && isempty (strfind (said.message, "gather")))
%!    text = ["the error does not say gather: " said.message];
%!  endif
%!endfunction

## What Octave lacks: assignments of NaN to logical scalars, and to complex scalars of single; [1i, int8([])], where the device skips [].
%!function yes = lacks_operation (err, x, words)
%!  yes = strncmp (words, "@(a, b) put", 11) && islogical (x{1}) && ! isempty (strfind (err.message, "NaN to logical"));
%!  yes = yes || ! isempty (regexp (err.message, "assignment of .* to indexed .* scalar", "once")) ...
%!        || (any (cellfun (@isempty, x)) && ! isempty (regexp (words, '\[a|cat', "once")));
%!endfunction

## What the device may refuse: powers of integers; an array of it assigned to one of the host; products
## of N-d arrays, which Octave takes for matrices; integers with a complex product that Octave narrows.
%!function yes = may_fail (said, is_refusal, x, y, words)
%!  some_integer = any (cellfun (@isinteger, x));
%!  yes = is_refusal && ! isempty (strfind (words, ".^")) && some_integer;
%!  yes = yes || (is_refusal && ! isempty (strfind (words, "put_")) && ! strcmp (class (y{1}), "gpuArray"));
%!  yes = yes || (! isempty (regexp (words, "a'? \\* b")) && any (cellfun (@ndims, x) > 2));
%!  yes = yes || (some_integer && any (cellfun (@iscomplex, x)) && ! isempty (strfind (said.message, "complex")));
%!endfunction

## G and H are equal. Their parts may still differ: of a sum both zeros are right, and of a complex number
## that is not finite either part may be NaN. sqrt and imag tell them apart.
%!function yes = same_parts (g, h)
%!  yes = true;
%!  if (iscomplex (h))
%!    yes = ! any ((isnan (real (g)) != isnan (real (h)) | isnan (imag (g)) != isnan (imag (h)))(:)) ...
%!          && same_zeros (imag (g), imag (h));
%!  endif
%!  yes = yes && same_zeros (real (g), real (h));
%!endfunction
%!function yes = same_zeros (g, h)
%!  zero = g == 0;
%!  yes = ! isfloat (g) || ! any (zero(:)) || ! any ((signbit (g(zero)) != 0) != (signbit (h(zero)) != 0));
%!endfunction

## What is wrong with the device's G beside the host's H.  SAME: may the program go on with G?
%!function [text, same, h] = wrong_value (g, h, op, x, on_device)
%!  text = "";
%!  type = class (g);
%!  stays_complex = false;
%!  has_empty = any (cellfun ("isempty", x));
%!  if (strcmp (type, "gpuArray"))
%!    type = __gpuarray__ ("type", g);
%!    stays_complex = iscomplex (g);
%!    g = __gpuarray__ ("gather", {g});
%!  elseif (! (op.puts && ! on_device) && ! op.gives_host && (on_device || ! op.picks_by_host) && ! has_empty)
%!    text = "it is not on the device";
%!  endif
%!  h = full (h); # of a diagonal matrix
%!  if (any (strcmp (op.words, {"@(a) norm (a, 1)", "@(a) norm (a, Inf)"})) && any (isnan (x{1}(:))))
%!    h(:) = NaN; # Octave 9 skips some NaN of a matrix
%!  endif
%!  if (iscomplex (h) && all (imag (h)(:) == 0))
%!    h = real (h);
%!  endif
%!  same = iscomplex (h) == stays_complex;
%!  if (op.puts && ((! on_device && islogical (h)) || (! all (cellfun (@isfloat, x)) && any (cellfun (@iscomplex, x)))))
%!    same = false; # true(1) = 5 is true, but not with a 5 of the device; int8 (1)(1) = 2+0i, where Octave narrows
%!  elseif (strcmp (op.words, "@(a) all (a, 2)") && any (isnan (x{1}(:))))
%!    same = false; # Octave takes NaN for true along columns alone
%!  elseif (has_empty && op.joins)
%!    same = false; # empty arrays give no class to a concatenation
%!  elseif (! strcmp (type, class (h)))
%!    text = sprintf ("class %s and not %s", type, class (h));
%!  elseif (! size_equal (g, h))
%!    text = sprintf ("size %s and not %s", mat2str (size (g)), mat2str (size (h)));
%!  elseif (! isempty (h))
%!    equal = g == h | (isnan (g) & isnan (h));
%!    if (all (equal(:)))
%!      same = same && same_parts (g, h);
%!    else
%!      same = false;
%!      is_complex = iscomplex (h) || iscomplex (g) || any (cellfun (@iscomplex, x));
%!      u = eps ();
%!      if (! all (cellfun (@(x) isa (x, "double") || ! isfloat (x), x)))
%!        u = double (eps ("single"));
%!      endif
%!      g = double (g);
%!      k = double (h);
%!      switch (op.kind + (op.kind == 0 && is_complex))
%!        case 0
%!          tol = 0;
%!        case 1
%!          tol = 64 * u * abs (k);
%!        case 3
%!          tol = 1e4 * u * abs (k);
%!        otherwise
%!          m = cellfun (@(x) max ([1; abs(double (x(isfinite (x))(:)))]), x);
%!          tol = 4 * u * max (cellfun (@numel, x)) ^ 2 * prod (m) * merge (op.kind == 4, m(1), 1);
%!      endswitch
%!      if (isinteger (h) && op.kind > 0)
%!        tol = max (tol, 1); # rounded from values that differ a little
%!      endif
%!      if (op.kind == 3)
%!        equal = equal | isnan (k); # complex (0) .^ 0, where other elements are complex, is NaN in Octave alone
%!      endif
%!      if (is_complex)
%!        equal = equal | abs (g - k) <= tol | (! isfinite (g) & ! isfinite (k));
%!      else
%!        equal = equal | abs (g - k) <= tol;
%!      endif
%!      if (! all (equal(:)))
%!        text = sprintf ("%s and not %s", mat2str (g(:).', 17), mat2str (k(:).', 17));
%!      endif
%!    endif
%!  endif
%!endfunction

%!test
%! seed = from_environment ("GPUMM_SEED", 1 + mod (floor (time ()), 1e6));
%! count = from_environment ("GPUMM_RANDOM_PROGRAMS", ceil (1000 / cell_step ()));
%! printf ("gpuarray_programs.tst: GPUMM_SEED=%d GPUMM_RANDOM_PROGRAMS=%d\n", seed, count);
%! fflush (stdout);
%! run_programs (seed, 1, count);

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
%! S = gallery ("poisson", 7);
%! b = (1:49)';
%! parts = {S + speye(49), ichol(S)};
%! wrong = {};
%! for form = {@full, @sparse}
%!   [A, M, L] = deal (form{1} (S), form{1} (parts{1}), form{1} (parts{2}));
%!   [G, N] = deal (gpuArray (A), gpuArray (M));
%!   times = @(x, varargin) G * x;
%!   systems = {G, gpuArray(b); G, b; A, gpuArray(b); times, gpuArray(b); times, b};
%!   conditions = {{}, {}; {M}, {N}; {M}, {M}; {L, L'}, {gpuArray(L), gpuArray(L')}; {L, L'}, {L, L'}; ...
%!                 {@(x, varargin) x / 4}, {@(x, varargin) x / 4}; {@(x, varargin) M \ x}, {@(x, varargin) M \ x}; ...
%!                 {@(x, varargin) M \ x}, {@(x, varargin) N \ x}};
%!   for name = {"gmres", "pcg", "bicg", "bicgstab", "cgs", "tfqmr", "qmr", "pcr"}
%!     options = cell (1, 2 + strcmp (name{1}, "gmres"));
%!     for c = find (! (strcmp (name{1}, "pcr") & ismember (1:8, [4, 5]))) # pcr takes no factors
%!       [y, flag] = solved (name{1}, [{A, b}, options, conditions{c,1}]);
%!       for s = 1:rows (systems)
%!         [x, f, id] = solved (name{1}, [systems(s,:), options, conditions{c,2}]);
%!         divides = strcmp (name{1}, "gmres") || any (c == [2, 8]) || (c == 4 && issparse (A)); # not by a triangle
%!         is_right = isempty (id) && isequal (flag, f) && norm (gather (x) - y) <= 1e-9 * norm (y);
%!         if (s == 5 && c == 8 && isempty (id)) # all are functions
%!           [~, warned] = lastwarn ();
%!           is_right = flag == 0 && f == 2 && strcmp (warned, "gpumm:gpuArray:solver");
%!         elseif (divides)
%!           is_right = strcmp (id, "gpumm:gpuArray:gather");
%!         endif
%!         if (! is_right)
%!           wrong{end+1} = sprintf ("%s %s, system %d, preconditioner %d: %s", func2str (form{1}), name{1}, s, c, id);
%!         endif
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! assert (isempty (wrong), "%d are wrong:\n%s", numel (wrong), strjoin (wrong, "\n"));
%!error id=gpumm:gpuArray:gather condeig (gpuArray (sparse ([2, 1; 0, 3])))

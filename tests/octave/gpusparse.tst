## gpusparse.tst - sparse matrices that stay on a device, beside Octave's own: each operation on patterns
## with edges, its errors, and random programs.
##
## The device is the GPU, if there is one, else host memory.  GPUMM_RANDOM_CASES in the environment is
## the number of random programs (300), GPUMM_SEED the seed, which is printed.
## SPDX-License-Identifier: BSD-3-Clause

## What is wrong with GIVEN, from the device, beside WANTED of the host; rounding may differ by TOL.
%!function text = difference (given, wanted, tol = 0)
%!  text = "";
%!  if (strcmp (class (given), "gpuArray"))
%!    stored = -1;
%!    if (issparse (given))
%!      stored = nnz (given);
%!    endif
%!    given = gather (given);
%!    if (issparse (given) && ! isscalar (given) && (stored != nnz (given) || any (nonzeros (given) == 0)))
%!      text = "stored zeros";
%!      return;
%!    endif
%!  endif
%!  if (iscomplex (given) && ! any (imag (given)(:)))
%!    given = real (given);
%!  endif
%!  if (iscomplex (wanted) && ! any (imag (wanted)(:)))
%!    wanted = real (wanted);
%!  endif
%!  if (! strcmp (class (given), class (wanted)))
%!    text = sprintf ("class %s and not %s", class (given), class (wanted));
%!  elseif (issparse (given) != issparse (wanted))
%!    text = sprintf ("sparse: %d and not %d", issparse (given), issparse (wanted));
%!  elseif (! isequal (size (given), size (wanted)))
%!    text = sprintf ("size %s and not %s", mat2str (size (given)), mat2str (size (wanted)));
%!  else
%!    x = full (given);
%!    y = full (wanted);
%!    same = x == y | (isnan (x) & isnan (y));
%!    if (tol > 0)
%!      same |= abs (x - y) <= tol * max (abs (y), 1);
%!    endif
%!    if (! all (same(:)))
%!      text = sprintf ("%s and not %s", mat2str (x, 5), mat2str (y, 5));
%!    endif
%!  endif
%!endfunction

## Compares F with arguments on the device and on the host: TOL -1 where the host cannot, and G says what
## is meant.
%!function text = compare (f, args, tol = 0, g = f)
%!  text = "";
%!  err = said = [];
%!  try
%!    wanted = g (args{:});
%!  catch err
%!  end_try_catch
%!  try
%!    given = f (cellfun (@gpuArray, args, "UniformOutput", false){:});
%!    text = "";
%!  catch said
%!  end_try_catch
%!  if (! isempty (said) && strcmp (said.identifier, "gpumm:gpuArray:gather") ...
%!      && any (cellfun (@isscalar, args)))
%!    return; # a number that is sparse
%!  elseif (isempty (err) != isempty (said))
%!    text = ["error: " [err, said].message];
%!  elseif (isempty (err))
%!    text = difference (given, wanted, tol);
%!  elseif (! isempty (err.identifier) && ! strcmp (err.identifier, said.identifier))
%!    text = sprintf ("error %s and not %s", said.identifier, err.identifier);
%!  endif
%!  if (! isempty (text))
%!    text = sprintf ("%s of %s: %s", func2str (f), ...
%!                    strjoin (cellfun (@(x) mat2str (full (x), 4), args, "UniformOutput", false), " and "), ...
%!                    text);
%!  endif
%!endfunction

## Does a number apply to zeros that are not stored, as in Octave 11?
%!function yes = zeros_count ()
%!  yes = nnz (sparse (1, 2) * Inf) > 0;
%!endfunction

%!function id = error_of (f)
%!  id = "none";
%!  try
%!    f ();
%!  catch err
%!    id = err.identifier;
%!  end_try_catch
%!endfunction

%!function yes = is_on_device ()
%!  yes = gpumm_available ("gpu") || ! isempty (getenv ("GPUMM_GPUARRAY"));
%!endfunction

%!function fail_with (texts)
%!  texts = texts(! cellfun (@isempty, texts));
%!  if (! isempty (texts))
%!    error ("%d failures:\n%s", numel (texts), strjoin (texts(1:min (20, end)), "\n"));
%!  endif
%!endfunction

## Small whole numbers, so that sums are exact: with empty lines, a full column and a full row, one entry.
%!function list = patterns ()
%!  A = sparse ([1, 3, 3, 4, 2], [1, 1, 4, 4, 5], [2, -1, 3, 1, -2], 5, 6);
%!  hub = sparse (7, 7);
%!  hub(:,3) = 1:7;
%!  hub(2,:) = -3:3;
%!  wide = sparse ([1, 1, 2], [1, 400, 399], [1, 2, 3], 2, 400);
%!  list = {A, A.', hub, A * complex(1, 2), hub > 0, sparse(3, 4), sparse(1, 5), sparse(0, 3), sparse(3, 0), ...
%!          sparse(-3), sparse(2, 3, 5, 3, 3), wide, sparse([0, 2, 0, -3]), sparse([0; 2; 0]), ...
%!          sparse([1, NaN; 0, Inf]), sparse(toeplitz (1:5))};
%!endfunction

## ---- to the device and back ----------------------------------------------------------------------

%!test
%! texts = {};
%! for p = patterns ()
%!   S = p{1};
%!   G = gpuArray (S);
%!   assert (class (G), "gpuArray");
%!   assert ({size(G), nnz(G), nzmax(G), numel(G), issparse(G), isreal(G), islogical(G), isnumeric(G), ...
%!            isempty(G), issquare(G), rows(G), columns(G), ndims(G)}, ...
%!           {size(S), nnz(S), nnz(S), numel(S), true, isreal(S), islogical(S), isnumeric(S), ...
%!            isempty(S), issquare(S), rows(S), columns(S), 2});
%!   assert (underlyingType (G), class (S));
%!   assert (isgpuarray (G) && existsOnGPU (G) == gpumm_available ("gpu"));
%!   assert (strtrim (evalc ("disp (G)")), strtrim (evalc ("disp (S)")));
%!   texts(end+1:end+5) = {difference(G, S), difference(gpuArray (G), S), difference(full (G), full (S)), ...
%!                         difference(sparse (full (G)), S), difference(sparse (G), S)};
%!   assert (isequal (G, S), full (! any (isnan (S(:)))));
%! endfor
%! fail_with (texts);

## large ones are shown by their kind
%!test
%! G = gpuArray (speye (2000));
%! assert (strtrim (evalc ("G")), "G = 2000x2000 sparse gpuArray, double, 2000 nonzero");

%!assert (mat2str (gpuArray (sparse ([1, 0; 0, 2]))), "[1 0;0 2]")
%!assert (sprintf ("%g", gpuArray (sparse ([1, 0; 0, 2]))), "1002")

## ---- functions and operators ---------------------------------------------------------------------

%!test <*functions of one>
%! functions = {@(x) x', @(x) x.', @(x) -x, @(x) +x, @abs, @sqrt, @sign, @round, @real, @imag, @conj, ...
%!              @isnan, @isinf, @(x) x * 2, @(x) 3 * x, @(x) x / 4, @(x) x ./ 2, @(x) 2 \ x, @(x) x .* -1, ...
%!              @(x) x .^ 2, @(x) x .^ 3, @(x) x * 0, @(x) x * 1i, ...
%!              @(x) real (x) > 1, @(x) x != 0, @(x) 1 < abs (x), @(x) real (x) < -1, @(x) x .* (abs (x) > 1), @(x) abs (x).', ...
%!              @(x) x .* x, @(x) x + x, @(x) x - x, @(x) x + 2 * x, @(x) x & x, @(x) x | x, ...
%!              @sum, @(x) sum (x, 1), @(x) sum (x, 2), @(x) max (real (x), [], 1), @(x) max (abs (x), [], 2), ...
%!              @(x) min (real (x), [], 1), @(x) any (x, 1), @(x) any (x, 2), @full, @double, @(x) x(:,1), ...
%!              @(x) x(1,:), @(x) x(end,end), @(x) x(:,end:-1:1), @(x) x([1, 1],:), @(x) x(:,:), ...
%!              @(x) x(99,1), @(x) x(:,0), @(x) x(:,logical (mod (1:columns (x), 2))), @(x) x(2,1).', ...
%!              @(x) x + 1, @(x) 1 - x, @(x) 2 .^ x, @(x) 1 ./ real (x), @(x) x.' * x, @(x) x * x.', @(x) x' * x, ...
%!              @(x) x * ones (columns (x), 3), @(x) ones (2, rows (x)) * x, @(x) x' * ones (rows (x), 1), ...
%!              @(x) x * diag (1:columns (x)), @(x) diag (1:rows (x)) * x, @(x) x + ones (size (x)), ...
%!              @(x) x .* magic (4)(1:min (4, rows (x)),1:min (4, columns (x))), @(x) x * ones (99, 1), ...
%!              @(x) single (2) * x, @(x) x * int8 (2), @(x) x.' + x.', ...
%!              @(x) (x.' .* 2)', @(x) x * eye (columns (x))(:,end:-1:1), @(x) x(1,1) * 3, ...
%!              @(x) x(1,1) * x, @(x) x(1,1) + ones (2), @nnz, @(x) norm (x, "fro")};
%! texts = {};
%! for f = functions
%!   for p = patterns ()
%!     texts{end+1} = compare (f{1}, p, 1e-15);
%!   endfor
%! endfor
%! for p = patterns ()
%!   for f = {@(x) x * Inf, @(x) x / 0}
%!     if (! zeros_count () || isscalar (p{1}))
%!       texts{end+1} = compare (f{1}, p);
%!     else
%!       assert (error_of (@() f{1}(gpuArray (p{1}))), "gpumm:gpuArray:gather");
%!     endif
%!   endfor
%!   if (is_on_device ()) # Octave 11 makes no complex numbers
%!     texts{end+1} = compare (@(x) x .^ 0.5, p, 1e-15, @(x) spfun (@sqrt, double (x)));
%!   endif
%! endfor
%! fail_with (texts);

%!function Z = by_number (X, Y)
%!  if (isscalar (Y))
%!    Z = X / Y;
%!  else
%!    Z = X \ Y;
%!  endif
%!endfunction

%!test <*a sparse number and full or diagonal matrices>
%! operators = {@plus, @minus, @times, @rdivide, @ldivide, @power, @eq, @ne, @lt, @le, @gt, @ge, @and, @or, ...
%!              @mtimes, @by_number};
%! texts = {};
%! for number = {0, 2, -0.5, NaN, -Inf, true, 1 + 2i}
%!   S = sparse (number{1});
%!   for F = {[1, 2, 3], [Inf; NaN; 0; -2], magic(3), true(1, 2), [1i, 2], eye(3), diag([1, 0, 2])(:,1:2)}
%!     for f = operators
%!       if (any (strcmp (func2str (f{1}), {"lt", "le", "gt", "ge"})) && (iscomplex (S) || iscomplex (F{1})))
%!         continue; # Octave has orders of its own
%!       endif
%!       is_diagonal = ! isempty (strfind (typeinfo (F{1}), "diagonal"));
%!       if (is_diagonal && (iscomplex (S) || any (strcmp (func2str (f{1}), {"mtimes", "by_number"}))))
%!         continue; # an error, as beside a full matrix; diagonal on the host, sparse on a device
%!       endif
%!       texts{end+1} = compare (@(x) f{1}(x, F{1}), {S}, 1e-15);
%!       texts{end+1} = compare (@(x) f{1}(F{1}, x), {S}, 1e-15);
%!       if (! is_diagonal)
%!         texts{end+1} = compare (f{1}, {S, F{1}}, 1e-15);
%!         texts{end+1} = compare (f{1}, {F{1}, S}, 1e-15);
%!       endif
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);

%!test <*functions of square ones and of vectors>
%! texts = {};
%! for p = patterns ()
%!   S = p{1};
%!   if (! isvector (S) && ! isempty (S))
%!     for f = {@diag, @(x) diag(x, 1), @(x) diag(x, -2), @trace, @(x) norm(x, 1), @(x) norm(x, Inf), @(x) x * x}
%!       if (! any (isnan (S(:))) || ! any (strcmp (func2str (f{1})(1:min (9, end)), {"@(x) norm"})))
%!         texts{end+1} = compare (f{1}, p, 1e-15);
%!       endif
%!     endfor
%!   elseif (! isempty (S) && ! isscalar (S))
%!     for f = {@diag, @norm, @(x) norm(x, 1), @(x) norm(x, Inf), @(x) x(2:end), @(x) x([2, 1, 2]), @(x) x(3)}
%!       texts{end+1} = compare (f{1}, p, 1e-15);
%!     endfor
%!   endif
%! endfor
%! fail_with (texts);

%!test <*parts of a number have the shape of the index>
%! texts = {};
%! for p = {sparse(5), sparse(0), sparse(2i), sparse(true)}
%!   for f = {@(x) x([1, 1, 1]), @(x) x([1; 1]), @(x) x(2:end), @(x) x(zeros (1, 0)), @(x) x(zeros (0, 1)), @(x) x(:), @(x) x(true)}
%!     texts{end+1} = compare (f{1}, p, 0);
%!   endfor
%! endfor
%! fail_with (texts);

%!test <*operators of two patterns>
%! operators = {@plus, @minus, @times, @and, @or, @(x, y) real (x) < real (y), @(x, y) real (x) > abs (y), @ne, @mtimes, @(x, y) x' * y, @(x, y) x * y', ...
%!              @(x, y) x.' + y.', @(x, y) x' .* y', @(x, y) x' | y', @(x, y) x' & y', @(x, y) x + conj (y), @(x, y) x .* (y != 0), ...
%!              @(x, y) (x * 2 - y) .* (abs (x) > abs (y))};
%! texts = {};
%! list = patterns ();
%! list{end+1} = list{1} .* 2; # of the same pattern, but its own
%! list{end+1} = -list{1};
%! for f = operators
%!   for p = list
%!     for q = list
%!       if (isequal (size (p{1}), size (q{1})) || (rand < 0.1 && ! isvector (p{1}) && ! isvector (q{1})))
%!         texts{end+1} = compare (f{1}, {p{1}, q{1}}, 1e-15);
%!         if (! isscalar (p{1}) && ! isscalar (q{1}))
%!           texts{end+1} = compare (@(x) f{1}(x, q{1}), p, 1e-15);
%!           texts{end+1} = compare (@(y) f{1}(p{1}, y), q, 1e-15);
%!         endif
%!       endif
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);

## with full ones on either side, on the device or not
%!test
%! texts = {};
%! for p = patterns ()
%!   S = p{1};
%!   for F = {reshape(mod (1:rows (S) * columns (S), 5) - 2, size (S)), ...
%!            complex(reshape(mod (1:rows (S) * columns (S), 5) - 2, size (S)), 1)}
%!     for f = {@plus, @minus, @times, @rdivide, @(x, y) y - x, @(x, y) y .* x, @(x, y) x * y.', @(x, y) y' * x, ...
%!              @(x, y) y * x', @(x, y) x.' * y, @(x, y) x.' * y(:,1:end), @(x, y) x' * conj (y)}
%!       texts{end+1} = compare (f{1}, {S, F{1}}, 1e-15);
%!       texts{end+1} = compare (@(y) f{1}(S, y), F, 1e-15);
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);

## rows and columns scaled by a vector, as by a diagonal matrix; Octave's sparse matrices do not have it
%!test
%! texts = {};
%! for p = {patterns(){1}, patterns(){3}, patterns(){4}, patterns(){5}}
%!   v = 1:columns (p{1});
%!   u = (1:rows (p{1})).';
%!   for form = {@(x) x, @gpuArray, @sparse, @(x) gpuArray(sparse (x))}
%!     texts{end+1} = compare (@(x) x .* form{1}(v), p, 1e-15, @(x) x * diag (v));
%!     texts{end+1} = compare (@(x) form{1}(v) .* x, p, 1e-15, @(x) x * diag (v));
%!     texts{end+1} = compare (@(x) x ./ form{1}(v), p, 1e-15, @(x) x * diag (1 ./ v));
%!     texts{end+1} = compare (@(x) form{1}(u) .* x, p, 1e-15, @(x) diag (u) * x);
%!     texts{end+1} = compare (@(x) x.' ./ form{1}(u.'), p, 1e-15, @(x) x.' * diag (1 ./ u));
%!   endfor
%!   texts{end+1} = compare (@(x) x ./ sum (abs (x), 1), p, 1e-15, ...
%!                           @(x) x * diag (1 ./ full (sum (abs (x), 1))));
%! endfor
%! fail_with (texts);

## ---- what cancels, overflows, and zeros that are not stored --------------------------------------

%!test
%! S = sparse ([1, -1, 3; 2, -2, 0]);
%! G = gpuArray (S);
%! assert (nnz (G * [0, 0; 0, 0; 1, 1]), 2);
%! assert (nnz (G * gpuArray (sparse ([1; 1; 0]))), 0);
%! assert (nnz (G .* 1e-200 .* 1e-200), 0);
%! assert (nnz (G - G), 0);
%! assert (nnz (gpuArray (S + sparse (1, 1, 1, 2, 3)) - gpuArray (S)), 1);
%! if (! zeros_count ())
%!   assert (difference (((G > 1) .* (G * Inf)) .* 0.5, ((S > 1) .* (S * Inf)) .* 0.5), "");
%!   assert (difference (((G * 1e-300) .^ 2) * Inf, ((S * 1e-300) .^ 2) * Inf), "");
%! endif
%! assert (difference ((G - G) * gpuArray (sparse ([Inf; NaN; 1])), (S - S) * sparse ([Inf; NaN; 1])), "");
%! for divided = {@(x) x / 0, @(x) x ./ 0, @(x) 0 \ x, @(x) x / sparse (0)}
%!   if (zeros_count ())
%!     assert (error_of (@() divided{1} (G)), "gpumm:gpuArray:gather");
%!   else
%!     assert (difference (divided{1} (G .* (G > 1)), divided{1} (S .* (S > 1))), "");
%!   endif
%! endfor

## a number that is sparse may be a zero that is not stored
%!test
%! texts = {};
%! for f = {@lt, @le, @gt, @ge, @eq, @ne, @and, @or, @plus, @minus, @(x, y) y > x, @(x, y) y == x, @(x, y) y | x}
%!   is_or = ! isempty (strfind (func2str (f{1}), "|")) || strcmp (func2str (f{1}), "or");
%!   for x = {sparse(0), sparse(2), sparse(-1), sparse(NaN), sparse(false), sparse(true)}
%!     for y = {sparse(0), sparse(2), 0, 2, -1, true}
%!       if (is_or && isnan (x{1}))
%!         x{1} = sparse (1); # which Octave 11 refuses
%!       endif
%!       texts{end+1} = difference (f{1} (gpuArray (x{1}), y{1}), f{1} (x{1}, y{1}));
%!       texts{end+1} = difference (f{1} (gpuArray (x{1}), gpuArray (y{1})), f{1} (x{1}, y{1}));
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);
%! G = gpuArray (sparse (3, 3));
%! assert (full (gather (max (max (abs (G))) < 1e-8)));
%! assert (full (gather (sum (sum (G)) == 0)));
%! warning ("off", "Octave:singular-matrix", "local");
%! for f = {@(x) x ./ x, @(x) 0 / x, @(x) x * sparse(NaN)}
%!   assert (isnan (full (gather (f{1} (gpuArray (sparse (0)))))), func2str (f{1}));
%! endfor

## zeros that are stored, NaN as a truth value, empty ones, and matrices that Octave takes as full ones
%!test
%! S = sparse ([1, 0, 3; 0, 2, 0]);
%! G = gpuArray (S);
%! T = sparse ([0, NaN, 0; 2, 0, Inf; 0, complex(NaN, 1), 0]);
%! D = diag ([1, NaN, 2]);
%! texts = {difference((G .* (G > 1)) .^ 1i, (S .* (S > 1)) .^ 1i, 1e-15)};
%! for f = {@any, @(x) any(x, 2), @(x) any(x.', 1), @(x) x & 1, @(x) 1 & x, @(x) any(real (x)), ...
%!          @(x) x .* eye(3), @(x) eye(3) .* x, @(x) x .* D, @(x) x + eye(3)([2, 1, 3],:), @(x) eye(3)([2, 1, 3],:) - x, ...
%!          @(x) x * eye(3)([2, 1, 3],:), @(x) x + eye(3)}
%!   texts{end+1} = compare (f{1}, {T});
%! endfor
%! if (issparse (sparse ([1, 0]) | 0)) # full in Octave 11, where a full NaN has no truth value
%!   texts{end+1} = compare (@(x) x | 0, {T});
%! endif
%! for S = {sparse(0, 5), sparse(5, 0), sparse(0, 0), sparse(1, 0)}
%!   for f = {@diag, @(x) diag(x.'), @any, @(x) any(x, 2)}
%!     texts{end+1} = compare (f{1}, S);
%!   endfor
%! endfor
%! texts{end+1} = compare (@dot, {S{1}, S{1}});
%! texts{end+1} = compare (@dot, {abs(sparse (magic (3))), sparse(magic (3) - 2)});
%! fail_with (texts);

## gpumm multiplies what `*` multiplies
%!test
%! S = sparse ([1, 0, 3; 0, 2, 0; 0, 0, 1i]);
%! F = magic (3);
%! functions = {@(x) gpumm(x, x), @(x) gpumm(x, F), @(x) gpumm(F, x), @(x) gpumm(x, 2), @(x) gpumm(x, eye (3)), ...
%!              @(x) gpumm(gpuArray (F), x), @(x) gpumm(x, gpuArray (F)), ...
%!              @(x) gpumm(x, F, "TransposeA", "ctranspose"), @(x) gpumm(F, x, "TransposeB", "transpose"), ...
%!              @(x) gpumm(F, F, "C", x), @(x) gpumm(x, ones (4)), @(x) gpumm(x, single (F)), ...
%!              @(x) gpumm(x, int8 (F)), @(x) gpumm(x, ones (3, 3, 2)), @(x) gpumm(x, x, "Output", "full")};
%! texts = {};
%! for f = functions
%!   texts{end+1} = compare (f{1}, {S}, 1e-15, @(x) gather (f{1} (x)));
%! endfor
%! fail_with (texts);

## an order that is none is Octave's error; the indices 1 and : behind the second have no effect
%!test
%! S = sparse ([1, 0, 3; 0, 2, 0]);
%! texts = {};
%! for f = {@(x) permute(x, [1, 2]), @(x) permute(x, [2, 1]), @(x) ipermute(x, [2, 1]), @(x) permute(x, [2, 2]), ...
%!          @(x) permute(x, [1, 1]), @(x) permute(x, [2, 5]), @(x) permute(x, [2, 1, 3]), @(x) ipermute(x, [2, 2])}
%!   texts{end+1} = compare (f{1}, {S});
%! endfor
%! fail_with (texts);
%! fail ("permute (gpuArray (sparse (magic (2))), [2, 2])", "permutation vector contains an invalid element");
%! G = gpuArray (S);
%! for f = {@(x) x(:,:,1), @(x) x(2,:,1), @(x) x(:,3,:,1), @(x) x(1,3,1)}
%!   assert (difference (f{1} (G), sparse (f{1} (full (S)))), "", func2str (f{1}));
%! endfor

## both of one pattern, each with zeros where the other is infinite
%!test
%! S = sparse ([Inf, 2, 3, -Inf]);
%! G = gpuArray (S);
%! assert (difference ((G .* (G > 0)) .* (G .* (G < 0)), (S .* (S > 0)) .* (S .* (S < 0))), "");
%! assert (difference ((G .* (G < 0)) .* (G .* (G > 0)), (S .* (S < 0)) .* (S .* (S > 0))), "");
%! assert (difference ((G .* (G > 2)) .* (G .* (G < 0)), (S .* (S > 2)) .* (S .* (S < 0))), "");

## copies, transposes that are kept, values that change below them
%!test
%! S = sparse ([1, 0, 2; 0, 3, 0]);
%! G = gpuArray (S);
%! x = [1; 2; 3];
%! assert (gather (G * x), S * x);
%! H = G * 2;
%! assert (gather (H * x), 2 * S * x);
%! assert (gather (G * x), S * x);
%! assert (gather (G' * (G * x)), S' * (S * x));
%! K = G';
%! clear G
%! assert (difference (K * K', S' * S), "");
%! K += K;
%! assert (difference (K, 2 * S'), "");

## long columns and rows
%!test
%! n = 5000;
%! S = sparse (n, n);
%! S(:,7) = 1;
%! S(11,:) = 2;
%! S += speye (n);
%! G = gpuArray (S);
%! assert (difference (sum (G), sum (S)), "");
%! assert (difference (sum (G, 2), sum (S, 2)), "");
%! assert (difference (max (G), max (S)), "");
%! assert (difference (min (-G), min (-S)), "");
%! assert (difference (G + G', S + S'), "");
%! assert (difference (G .* G', S .* S'), "");
%! assert (difference (G(:,[7, 8]), S(:,[7, 8])), "");
%! assert (difference (diag (G), diag (S)), "");
%! assert (difference (G ./ (1:n), S * diag (1 ./ (1:n)), 1e-15), "");
%! for m = [1, 2, 4, 9, 17]
%!   F = round (8 * rand (n, m)) - 4;
%!   assert (difference (G * F, S * F), "");
%!   assert (difference (G' * (F + 2i), S' * (F + 2i)), "");
%!   assert (difference ((1 - 1i) * G * F, (1 - 1i) * S * F), "");
%!   assert (difference (F' * G, F' * S), "");
%! endfor

## ---- concatenation -------------------------------------------------------------------------------

%!test <*parts that are put together>
%! S = sparse ([1, 0, 2; 0, 0, 3]);
%! T = S > 0;
%! F = [1, 2, 3; 0, 0, 4];
%! pairs = {{S, S}, {S, T}, {T, T}, {S, S * 1i}, {T, S * 2i}, {S, sparse(2, 3)}, {sparse(2, 3), S}, {S, F}, {F, S}, ...
%!          {T, F > 1}, {F > 1, T}, {sparse(2, 0), sparse(2, 0)}, {sparse(0, 3), sparse(0, 3)}, {S, sparse(2, 0)}, ...
%!          {S, zeros(2, 0)}, {S, sparse(2, 3) > 0}, {sparse(2, 3) > 0, T}};
%! both = {@(x, y) [x, y], @(x, y) [x; y], @(x, y) [x, y; y, x], @(x, y) horzcat(x, y, x), @(x, y) vertcat(y, x), ...
%!         @(x, y) cat(1, x, y), @(x, y) cat(2, x, y, y), @(x, y) [x', y'], @(x, y) [x.'; y.'], @(x, y) [2 * x; []; y], ...
%!         @(x, y) [[], x, 2 * y], @(x, y) [2 * x - x, y], @(x, y) [x, sparse(2, 3), y], @(x, y) [sparse(1, 3); x; y], ...
%!         @(x, y) [ones(1, 3); x; y], @(x, y) [x; y(1,:)], @(x, y) [x, y; ones(2, 6)], @(x, y) [x, y, [1i; 2]], ...
%!         @(x, y) [x, [1; 2; 3], y], @(x, y) [x, y, single([1; 2])], @(x, y) cat(3, x, y), ...
%!         @(x, y) [x - x, y], @(x, y) [x - x; y - y; x]};
%! one = {@(x) [x], @(x) [x, x, x], @(x) [x; x; x], @(x) [zeros(1, 0); 2 * x], @(x) [2 * x; zeros(1, 0)], @(x) [2 * x, zeros(0, 1)], ...
%!        @(x) [sparse(2, 3); x], @(x) [x, true(rows (x), 1)], @(x) horzcat(ones (rows (x), 1), x), @(x) horzcat(x), ...
%!        @(x) [eye(rows (x)), x]};
%! texts = {};
%! for pair = pairs
%!   [x, y] = pair{1}{:};
%!   for f = both
%!     texts{end+1} = compare (f{1}, {x, y});
%!     texts{end+1} = compare (@(x) f{1}(x, y), {x});
%!     if (! islogical (x))
%!       texts{end+1} = compare (@(y) f{1}(x, y), {y});
%!     endif
%!   endfor
%! endfor
%! for p = [patterns(), {T}]
%!   for f = one
%!     texts{end+1} = compare (f{1}, p);
%!   endfor
%! endfor
%! fail_with (texts);

## logical keeps the sparsity, and NaN is an error
%!test
%! S = sparse ([0, 2, 0; -1, 0, 0.5]);
%! L = logical (gpuArray (S));
%! assert ({issparse(L), underlyingType(L)}, {true, "logical"});
%! assert (isequal (gather (L), logical (S)));
%! assert (isequal (gather (logical (gpuArray (sparse (2, 3)))), logical (sparse (2, 3))));
%!error <NaN> logical (gpuArray (sparse ([0, NaN])))

## before a logical part on the device Octave does not say of which class parts of the host were
%!test
%! assert (underlyingType ([speye(2) > 0, gpuArray(speye (2) > 0)]), "double");
%! assert (underlyingType ([gpuArray(speye (2) > 0), speye(2) > 0]), "logical");

## with a blocksparse, whose type is there only now, after those of gpuArrays
%!test
%! S = blocksparse (magic (4), 2);
%! F = [magic(4), magic(4)];
%! for X = {{gpuArray(magic (4)), S}, {S, gpuArray(magic (4))}, {gpuArray(sparse (magic (4))), S}, ...
%!          {S, gpuArray(sparse (magic (4)))}, {gpuArray(S), S}, {S, gpuArray(S)}}
%!   Y = [X{1}{:}];
%!   assert (class (Y), "gpuArray");
%!   assert (full (gather (Y)), F);
%! endfor

## the place that Octave gives to a part behind an empty row is wrong: never a wrong result
%!test
%! G = gpuArray (speye (2));
%! for f = {@() [zeros(1, 0); G; G], @() [zeros(1, 0); gpuArray(ones (2)); gpuArray(ones (2))], ...
%!          @() horzcat(zeros (0, 1), G, G)}
%!   fail = "";
%!   try
%!     f{1} ();
%!   catch err
%!     fail = err.identifier;
%!   end_try_catch
%!   assert (fail, "gpumm:unsupported", func2str (f{1}));
%! endfor

## ---- waits ---------------------------------------------------------------------------------------

## A product waits once: for the size of the result, and with it for what says whether its operands have zeros.
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

%!test
%! G = gpuArray (sparse (toeplitz ([1, 2, 0, 0, 3])));
%! F = gpuArray (ones (5, 3));
%! is_there = double (is_on_device ());
%! assert (waits_of (@() 2 * G .* 3 + G / 2), 0);
%! assert (waits_of (@() G * F), 0);
%! assert (waits_of (@() G * G), is_there);
%! assert (waits_of (@() G' * G), is_there);
%! H = G * G; # says whether it has zeros
%! assert (waits_of (@() H' * H), is_there);
%! assert (waits_of (@() H * F), 0); # the product has found it out
%! H = G * G;
%! assert (waits_of (@() H * F), is_there);
%! assert (waits_of (@() H * F), 0);
%! X = 1.5 * G + 0.5 * H; # nobody knows
%! assert (waits_of (@() X * G), is_there);
%! assert (waits_of (@() X * F), 0);
%! X = 1.5 * G + 0.5 * H;
%! Y = G .* 2 + H;
%! assert (waits_of (@() X * Y'), is_there);
%! assert (waits_of (@() (G .* 3) * (H .* 2)), is_there);
%! M = G .* (G > 1); # most of it may be zero: that is dropped first, and not counted
%! assert (waits_of (@() M * M), 2 * is_there);
%! assert (waits_of (@() M' * M), is_there); # M has been found out
%! M = G .* (G > 1);
%! assert (waits_of (@() M * G), 2 * is_there);
%! assert (waits_of (@() round (G / 4) * G), 2 * is_there);
%! M = G .* (G > 1);
%! calls = calls_of (@() nnz (M)) + calls_of (@() M * M);
%! M = G .* (G > 1);
%! assert (zeros_count () || calls_of (@() M * M) <= calls); # the product has not begun twice
%! assert (gather (M' * M), gather (M)' * gather (M));
%! N = G - G; # has zeros: these are dropped, and the product begins again
%! assert (waits_of (@() N * G) <= 2 * is_there);
%! assert (waits_of (@() N * F), 0);
%! assert (nnz (N * G), 0);

## ---- failures ------------------------------------------------------------------------------------

## every allocation, then every call of the device, fails in turn: nothing changes, and nothing is lost
%!test
%! gpumm_reset ();
%! alive = __gpumm_fault__ ("live");
%! S = sparse ([1, 2, 0, 0; 0, 3, 0, -1; 2, 0, 0, 0]);
%! T = S - sparse ([0, 1, 0, 4; 0, 3, 0, 0; 0, 0, 1, 0]);
%! [G, H] = deal (gpuArray (S), gpuArray (T));
%! programs = {@(X, Y) X * Y', @(X, Y) (X .* (X > 1))' * Y, @(X, Y) X * full (Y'), @(X, Y) X + Y, @(X, Y) X .* Y, ...
%!             @(X, Y) sum (X, 2), @(X, Y) max (X), @(X, Y) diag (X), @(X, Y) X(:,[1, 3, 3]), @(X, Y) [X, Y; Y, X], ...
%!             @(X, Y) sparse (full (X)), @(X, Y) X * diag (1:4)};
%! for what = {"memory", "device"}
%!   most = 0;
%!   for f = programs
%!     n = 0;
%!     do
%!       n++;
%!       failed = false;
%!       err = struct ("identifier", "", "message", "");
%!       __gpumm_fault__ (what{1}, n);
%!       try
%!         Z = gather (f{1} (G, H));
%!       catch err
%!         failed = true;
%!       end_try_catch
%!       calls = __gpumm_fault__ (what{1}, 0);
%!       assert (! failed || any (strcmp (err.identifier, {"gpumm:host-memory", "gpumm:device-memory", ...
%!                                                          "gpumm:device-failed"})), err.message);
%!       try
%!         wait (gpuDevice ()); # a failure that nobody has heard of yet
%!       catch
%!       end_try_catch
%!       assert (difference (f{1} (G, H), f{1} (S, T)), "", func2str (f{1}));
%!     until (! failed && calls < n)
%!     most = max (most, n);
%!   endfor
%!   assert (most > 20 || isempty (getenv ("GPUMM_GPUARRAY")), "%s: %d calls", what{1}, most);
%! endfor
%! assert (isequal (gather (G), S) && isequal (gather (H), T));
%! clear Z G H
%! gpumm_reset ();
%! assert (__gpumm_fault__ ("live") <= alive);

## ---- errors --------------------------------------------------------------------------------------

%!test
%! G = gpuArray (sparse ([1, 0; 2, 3]));
%! refused = {@() exp(G), @() G == 0, @() ! G, @() G <= 1, @() G > -1, @() G ./ G, ...
%!            @() resize(G, 4, 4), @() G \ [1; 2], @() G ^ 2, @() reshape(G, 1, 4), @() G(:), @() all(G), @() prod(G), ...
%!            @() G(1:3), @() cumsum(G), @() norm(G), @() [G, single(eye (2))], @() [G, "ab".'], @() diag(G(:,1), 1), ...
%!            @() max(G, 1), @() G + gpuArray (sparse (1i)), @() sparse (2i) - G, @() G ./ sparse (NaN), ...
%!            @() G ./ gpuArray (sparse (0)), @() sparse (2) ./ G, @() G .\ gpuArray (sparse (2)), @() sum(G, 3), @() G(:,:,2), ...
%!            @() gpumm(G, G, "Algorithm", "classic"), @() gpumm(G, 2, "Device", 0), @() G * 1i > 1, @() max(G * 1i), @() G * 1i < G};
%! for f = refused
%!   try
%!     f{1} ();
%!     err = struct ("identifier", "", "message", "no error");
%!   catch err
%!   end_try_catch
%!   assert ([func2str(f{1}), err.identifier], [func2str(f{1}), "gpumm:gpuArray:gather"]);
%!   assert (! isempty (strfind (err.message, "gather")), func2str (f{1}));
%! endfor
%!error id=gpumm:gpuArray:gather [C, info] = gpumm (gpuArray (speye (2)), 2);
%!error <exp gives nonzeros where X is zero. Use exp .full .X..> exp (gpuArray (speye (2)))
%!error <cumsum of a sparse matrix is not available> cumsum (gpuArray (speye (2)))
%!error <max of a sparse matrix is not available> max (gpuArray (speye (2)), 1)
%!error <the result of X == Y would have few zeros> gpuArray (speye (2)) == 0
%!error <gather> G = gpuArray (sparse (1)); save (tempname (), "G");
%!error <gather> G = gpuArray (sparse ([1, 2])); G(1) = 2;
%!test
%! calls = {"gpuArray (sparse (2, 3)) * gpuArray (sparse (2, 3))", "Octave:nonconformant-args"; ...
%!          "gpuArray (sparse (2, 3)) + gpuArray (sparse (3, 2))", "Octave:nonconformant-args"; ...
%!          "gpuArray (sparse (2, 3))(:,4)", "Octave:index-out-of-bounds"; ...
%!          "gpuArray (sparse (1)) * {}", "gpumm:invalid"};
%! for call = calls.'
%!   said = "";
%!   try
%!     eval ([call{1} ";"]);
%!   catch err
%!     said = err.identifier;
%!   end_try_catch
%!   assert (said, call{2}, call{1});
%! endfor

## ---- random programs -----------------------------------------------------------------------------

## Steps on matrices A, B of n x n and a vector v that keep whole numbers, of which sums are exact.
%!function list = steps ()
%!  list = {"A * B", "A + B", "A - B", "A .* B", "A'", "A.'", "A .* (abs (A) > 2)", "2 * A", "-A", "abs (real (A))", ...
%!          "A .* (B != 0)", "A(:,p)", "A(p,:)", "A(p,p)", "sign (real (A))", "A * diag (v)", "diag (v) * A", ...
%!          "sparse (full (A))", "A - A .* (abs (A) > abs (B))", "diag (sum (A))", "diag (max (abs (real (A)), [], 2))", "real (A)", ...
%!          "conj (A)", "imag (A)", "A * 1i", "double (A != 0)", "real (A) > real (B)", "A & B", "A | B", "A' * B", "A * B'", ...
%!          "A' | B", "A & B'", "A .* B'", "A' .* (A != 0)", ...
%!          "A + speye (n)", "A .* full (B)", "sparse (A * full (B))", "sparse (full (A)' * B)", "A(:,1) * A(1,:)", ...
%!          "[A, B](:,p)", "[A; B](p,:)", "[A, B] * [A; B]", "[A(1,:); B](1:n,:)", "[A(:,1), full(B)](:,1:n)"};
%!endfunction

%!test
%! seed = from_environment ("GPUMM_SEED", 23);
%! cases = from_environment ("GPUMM_RANDOM_CASES", 300);
%! printf ("gpusparse.tst: %d random programs, GPUMM_SEED=%d\n", cases, seed);
%! rand ("twister", seed);
%! list = steps ();
%! for i = 1:cases
%!   n = ceil (rand ^ 2 * 20);
%!   v = round (rand (1, n) * 4 - 1);
%!   for k = 1:3
%!     X = round (sprand (n, n, rand ^ 2) * 8 - 4 * sprand (n, n, rand ^ 3));
%!     if (rand < 0.2)
%!       X(:,ceil (rand * n)) = 1;
%!     elseif (rand < 0.2)
%!       X = X > 0;
%!     elseif (rand < 0.2)
%!       X *= 1 + 2i;
%!     endif
%!     host{k} = X;
%!     there{k} = gpuArray (X);
%!   endfor
%!   said = "";
%!   for step = 1:10
%!     p = ceil (rand (1, n) * n);
%!     a = ceil (rand * 3);
%!     b = ceil (rand * 3);
%!     text = list{ceil(rand * numel (list))};
%!     said = sprintf ("%s%d,%d: %s; ", said, a, b, text);
%!     A = host{a}; B = host{b};
%!     wanted = eval (text);
%!     if (rand < 0.5) # with variables that others hold, or with the only reference
%!       A = there{a}; B = there{b};
%!       given = eval (text);
%!     else
%!       given = eval (strrep (strrep (text, "A", "there{a}"), "B", "there{b}"));
%!     endif
%!     wrong = difference (given, wanted);
%!     if (! isempty (wrong))
%!       error ("case %d of seed %d, n = %d: %s %s", i, seed, n, said, wrong);
%!     endif
%!     if (max (abs (wanted(:))) > 1e6) # products stay exact
%!       wanted = sign (real (wanted));
%!       given = sign (real (given));
%!     endif
%!     host{a} = wanted;
%!     there{a} = given;
%!   endfor
%! endfor

## Rows without entries take no memory, in operations that take none in Octave.  In host memory Octave makes G'.
%!function X = stretched (x, place, rows)
%!  [i, j, v] = find (x);
%!  X = sparse (place(i), j, v, rows, columns (x));
%!endfunction
%!test
%! rows = 2^31 - 20;
%! far = @(x) stretched (x, [3, 7, 1e9, 2e9, rows], rows);
%! s = sparse ([1, 2, 3, 1, 5], [1, 2, 3, 4, 2], 1:5, 5, 4);
%! t = sparse ([2, 3, 4], [1, 3, 5], [1, 1, 2], 5, 5);
%! k = sparse ([1, 2, 3, 1], [1, 2, 3, 2], 1:4, 4, 3);
%! G = gpuArray (far (s));
%! H = gpuArray (far (t));
%! if (__gpuarray__ ("device", G) != -1)
%!   assert (isequal (gather (G' * G), s' * s));
%!   assert (isequal (gather (((1+2i) * G)' * H), ((1+2i) * s)' * t));
%!   assert (isequal (gather (gpumm (G, H, "TransposeA", "transpose")), s' * t));
%!   assert (isequal (gather ((G > 2)' * H), (s > 2)' * t));
%!   assert (isequal (gather (G * gpuArray (k)), far (s * k)));
%! endif
%! assert (isequal (gather (G(1:9,:)), far (s)(1:9,:)));
%! assert (isequal (gather (G(:,2)(5:1e9)), far (s)(5:1e9,2)));
%! assert (isequal (gather (G(rows,2)), s(5,2)));
%! assert (isequal (gather (G + H(:,1:4)), far (s + t(:,1:4))));
%! assert (isequal (gather (max (G)), max (s)));
%! assert (isequal (gather (norm (G, 1)), norm (s, 1)));
%! assert (isequal (gather ([G; H(1:9,1:4)]), [far(s); far(t)(1:9,1:4)]));

## gpuarray_functions.tst - Octave's functions of a gpuArray give an error or the right value.
## SPDX-License-Identifier: BSD-3-Clause

%!test
%! [wrong, calls, names, work] = walk_functions ("gpuArray");
%! assert (numel (names) > 500, "%d functions", numel (names));
%! ## those that the guide names work, where all lists are tried
%! root = fileparts (fileparts (fileparts (which ("run_tests"))));
%! guide = fileread (fullfile (root, "docs", "guide", "keep-it-on-the-gpu.md"));
%! text = regexp (guide, "With Octave 7 they are(.*?)\\.\n", "tokens", "once"){1};
%! named = [regexp(text, "`(\\w+)`", "tokens"){:}];
%! assert (numel (named) > 40);
%! if (cell_step () == 1 && compare_versions (version (), "8", "<"))
%!   stopped = setdiff (named, work);
%!   assert (isempty (stopped), "%s ", stopped{:});
%! endif
%! assert (calls > 20000 / cell_step ());
%! ## bsxfun of one sparse element is full on the host, and sparse .\ 2 complex; a complex array of
%! ## a device stays complex where all imaginary parts are zero; sinetone and corrcoef compute in
%! ## single and give double, so that the rounding of the BLAS shows; and where Octave's own function
%! ## is called with arguments that a refusal does not know, arrays as sizes and dimensions, it names
%! ## the first alone, and of a parameter that is a cell by then none; an empty part in brackets has
%! ## no class; and Octave cannot assign a double complex number to a part of a single one
%! known = ['^(center \(1x1 sparse|interp1 \(1x3 gpuArray single, 1x1\).*no error|' ...
%!          'ldivide \(3x3 sparse|realpow \(1x3 gpuArray single|' ...
%!          'sinetone \(1x[13] gpuArray single|corrcoef \(\dx3( blocksparse)? gpuArray single|' ...
%!          'hankel \(1x3 gpuArray logical|' ...
%!          '(Inf|NaN|e|eps|eye|false|i|inf|j|nan|ones|pi|realmax|realmin|true|zeros|isindex|resize|' ...
%!          'vec|ferror|size|accumarray) .*its advice|j .*names another)'];
%! if (exist ("pow2") == 5) # built in since Octave 9, for fewer classes; the mean by its std is int8
%!   known = [known, '|^(pow2|normalize \(1x1 gpuArray int8\), 2) '];
%! endif
%! wrong = wrong(cellfun (@isempty, regexp (wrong, known)));
%! fail_with (wrong);

%!test # arguments and outputs that a method does not take
%! [wrong, calls, names] = walk_functions ("gpuArray", "arguments");
%! assert (numel (names) > 70 && calls > 6000 / cell_step (), "%d calls of %d methods", calls, ...
%!         numel (names));
%! ## a text beside single numbers; a row scales the columns of a sparse matrix there
%! known = '^(filter .*its advice|pow2 \(\S+ sparse gpuArray double, 1x4\))';
%! if (exist ("pow2") == 5) # built in since Octave 9, for fewer classes
%!   known = [known, "|^pow2 "];
%! endif
%! fail_with (wrong(cellfun (@isempty, regexp (wrong, known))));

## predicates and logical operators, by numbers and vectors that are full or sparse, with NaN and
## without; Octave's xor takes bsxfun where sizes differ, which a sparse gpuArray refuses
%!test
%! values = {true, sparse(true), sparse(false), 0, 3, NaN, sparse(NaN), sparse(0), sparse(2), ...
%!           complex(1), single(NaN), complex(single (3)), int8(2), 2i, sparse(2i), ...
%!           sparse(complex (NaN, 1)), [1, 0, NaN], sparse([1, 0, NaN]), ...
%!           sparse([true, false, true]), sparse([2, 0, 3]), [1, 2i, 0], sparse([1, 2i, 0]), ...
%!           int8([1, 0, 3]), complex([1, 2, 0]), [], zeros(0, 3)};
%! check_table ({@gather, @not, @any, @all, @(x) any (x, 2), @(x) all (x, 2), @iscomplex, ...
%!               @isreal, @isfloat, @isinteger, @islogical, @isnumeric, @issparse, @isnan, ...
%!               @isinf, @isfinite, @isna, @isempty, @isscalar, @isvector, @ismatrix, @issquare, ...
%!               @ischar, @iscell, @isdiag, @istril, @istriu, @isbanded, @issymmetric, ...
%!               @ishermitian, @isrow, @iscolumn}, values, 0, "refuses", true);
%! pairs = cellfun (@(x) cellfun (@(y) {{x, y}}, values), values, "UniformOutput", false);
%! pairs = [pairs{:}];
%! fit = cellfun (@(p) size_equal (p{:}) || isscalar (p{1}) || isscalar (p{2}), pairs);
%! there = logical ([1, 1; 1, 0; 0, 1]);
%! check_table ({@and, @or}, pairs, 0, "there", there, "refuses", true, "ids", false);
%! check_table ({@xor}, pairs(fit), 0, "there", there, "refuses", true, "ids", false);
%! ## sizes that differ
%! C = cat (3, [1, 0; 0, 1], [1, 1; 0, 0]);
%! others = {C, int8(C), C > 0, C(:,:,1), C(1,:,1), C(:,1,2), C(1,1,:), sparse(C(:,:,1)), ...
%!           sparse(C(:,1,2)), ones(3), ones(2, 2, 3), zeros(0, 2), zeros(2, 0, 2), 1};
%! pairs = cellfun (@(x) cellfun (@(y) {{x, y}}, others), others, "UniformOutput", false);
%! check_table ({@xor}, [pairs{:}], 0, "there", there, "refuses", true);
%! check_table ({@(x, y) xor(x, y, x), @(x, y) xor(y, x, 1)}, {{C, C(:,:,2)}, {C, C(1,:,2)}}, 0, ...
%!              "there", there);
%! fail ("xor (gpuArray (int64 (ones (2, 2, 2))), ones (2, 2))", "Use gather");
%! fail ("xor (gpuArray (1))", "Invalid call");

## what a refusal says to write runs: a statement, X, which is there, and Y
%!function [texts, messages] = advices (table)
%!  texts = messages = {};
%!  for row = table.'
%!    [X, Y] = row{2:3};
%!    X = gpuArray (X);
%!    try
%!      eval ([row{1} ";"]);
%!      texts{end+1} = ["no error: " row{1}];
%!    catch err
%!      messages{end+1} = err.message;
%!      texts{end+1} = wrong_advice (err.message, {X, Y});
%!      if (! any (strcmp (err.identifier, {"gpumm:gpuArray:gather", "gpumm:removed"})))
%!        texts{end+1} = [row{1} ": " err.message];
%!      endif
%!    end_try_catch
%!  endfor
%!  texts = texts(! cellfun (@isempty, texts));
%!endfunction
%!test
%! M = magic (3);
%! S = sparse ([4, 1, 0; 1, 5, 0; 0, 0, 6]);
%! B = blocksparse (kron (eye (2), M(1:2,1:2)), 2);
%! N = blocksparse (int8 (eye (4)), 2);
%! table = {"X(1,1,[1, 1])", S, 0; "X([1, 2])", S, 0; "X(:)", S(1,:), 0; "X(1,2) = 5", S, 0
%!          "X(1,1,[1, 1])", B, 0; "X([1, 2])", B, 0; "X(1,2) = 5", B, 0; "X{1,1} = 5", B, 0
%!          "X += Y", M, S; "X .*= Y", M, S; "X++", S, 0; "[X; 'abc']", M, 0; "Y(1) = X", 1:3, "abc"
%!          "[X, Y]", S, single(M); "X \\ Y", M, gpuArray(M); "X \\ Y", M, M; "Y / X", M, M;
%!          "X \\ Y", S, M; "X \\ Y", triu(M), S; "X / Y", M, gpuArray(B(1:3,1:3)); "chol (X)", S, 0; "X ^ 2", M, 0; "X ^ 2.5", B, 0
%!          "2 ^ X", B, 0; "X + 1", int64(M), 0; "X .^ Y", int8(M), int8(M); "X == Y", S, S
%!          "X .* Y", S, [1, NaN, 2]; "X ./ Y", S, [1; 0; 2]; "X < Y", S * 1i, S; "! X", S, 0
%!          "X * Y", N, int8(ones (4)); "X + Y", B, sparse(eye (4)); "reshape (X, 1, 9)", S, 0
%!          "diag (X, 1)", S(:,1), 0; "diag (X, 1)", B, 0
%!          "diag (X)", blocksparse(M, [1, 3]), 0; "[m, i] = max (X)", S, 0; "max (X, Y, 3)", S, []
%!          "max (X)", B, 0; "prod (X)", S, 0; "all (X)", S, 0; "cumsum (X)", S, 0
%!          "norm (X, Y)", S, 3; "norm (X)", M, 0; "max (X, Y)", M, S; "pagemtimes (X, Y)", M, B
%!          "gpumm (X, Y)", B, sparse(eye (4)); "gpumm (X, Y)", N, int8(ones (4))
%!          "gpumm (X, Y, 'OutputClass', 'double')", N, N; "gpumm (X, Y, 'Output', 'full')", B, B
%!          "gpumm (X, Y, 'Alpha', 2)", M, M; "gpumm (X, Y, 'Backend', 'cpu')", S, gpuArray(M)
%!          "gpumm (X, Y, 'OutputClass', 'single')", M, M; "gpumm (X, Y, 'OutputClass', 'double')", M, S
%!          "gamma (X)", M, 0; "gamma (X)", S, 0; "cos (X)", S, 0; "cos (X)", B, 0
%!          "unique (X)", M, 0; "gcd (X, 2)", M, 0; "cat (X, gpuArray (Y))", [1, 2], M; "sort (X)", S, 0
%!          "cummax (X)", S, 0; "cummin (X)", B, 0; "median (X)", S, 0; "cummax (X)", int64(M), 0
%!          "X \\ Y", M, M; "Y / X", M, M; "X \\ Y", S, M; "X \\ Y", triu(M), S; "X / Y", M, gpuArray(B)
%!          "chol (X)", S, 0};
%! fail_with (advices (table));

%!test # the code is the call, and not in gpuArray () if that does not take the result
%! G = gpuArray (magic (3));
%! for row = {@() char(G), "char (gather (X))"
%!            @() dec2base(G, 3), "dec2base (gather (X), Y)"; @() jsonencode(G), "jsonencode (gather (X))"
%!            @() polyvalm([1, 2], G), "gpuArray (polyvalm (X, gather (Y)))"}.'
%!   check_error ("gpumm:gpuArray:gather", ["Write " regexptranslate("escape", row{2}) "$"], row{1});
%! endfor

%!test # the function is what the user called, not what it calls inside
%! G = gpuArray (magic (3));
%! for row = {@() expm(G), "expm (gather (X))"; @() ismember(2, G), "ismember (X, gather (Y))"
%!            @() rank(G), "rank (gather (X))"; @() interp1(G, G, 2), "interp1 (gather (X), gather (Y), Z)"
%!            @() fft(G, 8, 2), "fft (gather (X), Y, Z)"; @() filter(1, 2, G), "filter (X, Y, gather (Z))"
%!            @() cellfun(@svd, {G}, "UniformOutput", false), "svd (gather (X))"
%!            @() fzero(@(x) sum (rank (G)), [0, 1]), "rank (gather (X))"
%!            @() feval("expm", G), "expm (gather (X))"}.'
%!   name = strtok (row{2});
%!   text = ["^" name ": not available for a gpuArray. Write gpuArray (" row{2} ")$"];
%!   check_error ("gpumm:gpuArray:gather", regexprep (text, '[()]', '\\$0'), row{1});
%! endfor

## Limits of a device alone: the same runs without one, and the guide lists them.
%!test
%! X = reshape (1:96, 4, 2, 3, 2, 2);
%! table = {"permute (X, [5, 4, 3, 2, 1])"; "ipermute (X, [3, 1, 5, 2, 4])"; "X(1,2,3,2,1)"
%!          "X(1,:,2,:,:)"; "X .* Y"; "X > Y"; "max (X, Y)"; "bsxfun (@plus, X, Y)"
%!          "squeeze (X(1,:,:,:,:))"
%!          "X(2,1,1,1,2) = 5"; "X(:,:,:,:,2) = []"; "resize (X, [5, 5, 5, 5, 5])"};
%! table(:,2:3) = repmat ({X, gpuArray(ones (1, 2, 1, 2))}, rows (table), 1);
%! table(end+1,:) = {"circshift (X, Y)", X, 1};
%! table(end+1,:) = {"flip (X, Y)", X, 3};
%! table(end+1,:) = {"[X; X]", sparse(2e9, 1), 0};
%! table(end+1,:) = {"gpuArray (Y)", 0, sparse(3e9, 1)};
%! texts = advices (table);
%! if (gpumm_available ("gpu") || ! isempty (getenv ("GPUMM_GPUARRAY")))
%!   fail_with (texts);
%! else
%!   assert (numel (strfind ([texts{:}], "no error: ")), rows (table), strjoin (texts, "\n"));
%! endif
%!test # and what a device does of 5 dimensions
%! X = reshape (1:96, 4, 2, 3, 2, 2);
%! check_table ({@(x) x + x, @(x) x .* x(:,:,1), @(x) x(:,:,:,:,2), @(x) x(1:2,:), @(x) sum(x, 3), ...
%!               @(x) max(x, [], 5), @(x) cumsum(x, 4), @(x) cat(5, x, x), @(x) [x; x], @(x) [x, x], @squeeze, ...
%!               @(x) permute(x, [2, 1, 3, 4, 5]), @(x) x(x > 5), @(x) repmat(x, 2)}, {X});

## Octave computes arrayfun, and bsxfun of other functions than operators, of the host's values
%!test
%! M = [4, 1, 0; 1, 5, 2];
%! values = {M, M + 1i, single(M), int8(M), M > 1, int64(M), sparse(M), sparse(M > 1), 7, zeros(0, 3), ...
%!           blocksparse(M, [1, 3]), ones(2, 2, 2)};
%! check_table ({@(x) arrayfun(@(e) e + 1, x), @(x) arrayfun("abs", x), @(x) arrayfun(@(e) e > 1, x), ...
%!               @(x) arrayfun(@(e) "a", x), @(x) arrayfun(@plus, x, x), @(x) arrayfun(@(e) [e, e], x), ...
%!               @(x) arrayfun(@(e, f) e, x, ones (4)), @(x) arrayfun(@(e) error ("id:a", "b"), x), ...
%!               @(x) arrayfun(@(e) error ("b"), x, "ErrorHandler", @(err, e) e), ...
%!               @(x) bsxfun(@(a, b) a(:,1) + 1, x, x)}, values);
%! check_table ({@(x) arrayfun(@(e) deal (e, e > 1), x)}, values, 0, "outputs", 2);
%! G = gpuArray (M);
%! C = arrayfun (@(e) {"text", [e, e]}{1 + (e > 1)}, G, "UniformOutput", false);
%! assert (cellfun (@class, C, "UniformOutput", false), {"gpuArray", "char", "char"; "char", "gpuArray", "gpuArray"});
%! assert (gather (C{1}), [4, 4]);
%! assert (evalc ("arrayfun (@(e) printf ('%d ', e), G);"), "4 1 1 5 0 2 ");
%! assert (strtrim (evalc ("arrayfun (@(e) 2 * e, G(1,1:2))")), "ans =\n\n   8   2");

%!test # isindex, and what is an index
%! values = {2, 1.5, -1, 0, NaN, [1, 2], [1, 2.5], complex(2, 0), complex([2, 3], 0), 2i, [], ...
%!           single([1, 2]), int8(3), uint64([3, 4]), true, [true, false], sparse([1, 2]), ...
%!           sparse([1, 0]), sparse([true, false]), sparse(complex (2, 0)), 1e20, Inf, ...
%!           blocksparse([1, 2; 3, 4], 1), blocksparse([1, 0; 0, 2], 1), ones(2, 2, 2)};
%! check_table ({@isindex, @(x) isindex(x, 2), @(x) (1:9)(x)}, values, 0, "ids", false);

%!test # empty arrays, which some functions of Octave cannot take at all
%! for x = {[], zeros(0, 3), zeros(3, 0), single(zeros (0, 1)), sparse(0, 3), 5, int8(5)}
%!   y = unique (x{1});
%!   z = gather (unique (gpuArray (x{1})));
%!   assert (class (z), class (y));
%!   assert (z, y);
%! endfor
%!assert (class (gather (cumtrapz (gpuArray (uint8 (7)), 2))), "uint8")
%!assert (class (gather (cat (2, gpuArray (zeros (1, 0, "single")), gpuArray (3)))), "single")
%!error id=gpumm:gpuArray:gather unique (gpuArray ([1, 2, 2]))
%!error <^mode: not available for a gpuArray. Write gpuArray .mode .gather .X> ...
%! mode (gpuArray ([1, 2]))
%!test # arrays that are made there: bad sizes and classes
%! for name = {"zeros", "ones", "eye", "Inf", "NaN", "rand", "randn"}
%!   f = @(varargin) gpuArray.(name{1})(varargin{:});
%!   for list = {{NaN, 2}, {[NaN, 2]}, {NaN}, {1.5, 2}, {{}}, {2, "int128"}, {2, "text"}}
%!     check_error ("gpumm:bad-value", ["^gpuArray." name{1} ": sizes must be .* Write gpuArray." ...
%!                                      name{1} " .2, 3, \"single\".$"], f, list{1}{:});
%!   endfor
%!   check_error ("Octave:bad-alloc", "too large", f, 1e30, 2);
%!   assert (size (f (2, 3, "single")), [2, 3]);
%! endfor
%!test # of two results; columns of both; numbers of arguments
%! try
%!   [~, f] = mode (gpuArray ([1, 2]));
%! catch err
%! end_try_catch
%! assert (err.identifier, "gpumm:gpuArray:gather");
%! assert (gather (cat (1, [7; 8], gpuArray (9), zeros (0, 1))), [7; 8; 9]);
%! for call = {@() isequal (gpuArray (1)), @() dropblocks (gpuArray (1)), @() repmat (gpuArray (1)), ...
%!             @() blocksize (gpuArray (1), 2), @() dot (gpuArray (1), 1, 1, 1)}
%!   assert (error_of (call{1}), "Octave:invalid-fun-call");
%! endfor
%!error id=gpumm:gpuArray:gather gsvd (gpuArray (eye (2)), eye (2))
%!error id=gpumm:gpuArray:gather 2 / gpuArray (sparse ([0; 2; 0]))
%!error id=gpumm:undefined-operator gpuArray (sparse (eye (2))) * single (eye (2))
%!error <double \(X\).*full \(S\)> single (2) * gpuArray (sparse (eye (2)))

## ---- linear systems -----------------------------------------------------------------------------

## Solutions that most orders of the operations give without rounding.
%!function tol = few_units (x)
%!  tol = 0;
%!  if (isfloat (x))
%!    tol = 4 * eps (class (x)) * norm (full (x)(:));
%!  endif
%!endfunction
%!test
%! U = [1, 2, -4; 0, -2, 8; 0, 0, 0.5];
%! C = U + triu ([0, 2, 1; 0, 0, -3; 0, 0, 0]) * 1i;
%! divisors = {U, U.', C, C.', single(U), single(C.'), diag([1, -2, 4]), logical(triu (ones (3))), ...
%!             zeros(0, 0), zeros(0, 3), zeros(3, 0), 2, magic(3), U(1:2,:), U(:,1:2), int8(eye (3)), ...
%!             int64(eye (3)), cat(3, [1; 0], [2; 1]), reshape(1:8, 2, 2, 2), eye(3)};
%! others = {[1; 2; 3], 1:3, magic(3), [3; -1; 2i], single(magic (3)), single([1; 2; 4]), ...
%!           [true; false; true], zeros(3, 0), zeros(0, 3), [], 5, reshape(1:18, 3, 3, 2), ...
%!           int8([1; 2; 3]), int8(5), "abc"', eye(3), sparse([1; 0; 2]), {1}, true};
%! pairs = cellfun (@(x) cellfun (@(y) {{x, y}}, others), divisors, "UniformOutput", false);
%! fs = {@mldivide, @(a, b) mrdivide(b, a), @(a, b) a \ b, @(a, b) b / a, @(a, b) a' \ b, ...
%!       @(a, b) a.' \ b, @(a, b) b / a', @(a, b) (b.' / conj (a)).', @(a, b) (2 * a) \ (b * 4)};
%! is_refused = @(p) ! (issquare (p{1}) && (istriu (p{1}) || istril (p{1}))) || issparse (p{2});
%! warning ("off", "Octave:singular-matrix", "local"); # of the host's divisors
%! check_table (fs, [pairs{:}], @few_units, "there", logical ([1, 1; 1, 0; 0, 1]), "refuses", is_refused);
%! G = gpuArray (U);
%! check_error ("Octave:nonconformant-args", 'operator \\: .*op1 is 3x3, op2 is 2x1', @() G \ [1; 2]);
%! check_error ("", "operator '/' not implemented for 'matrix' by 'int8 matrix'", @() U / int8 (G));
%! G /= G;
%! assert (class (G), "gpuArray");
%! assert (gather (G), eye (3));

## What Octave warns of, it computes.
%!function [x, said] = warned (f, varargin)
%!  lastwarn ("", "");
%!  evalc ("x = f (varargin{:});");
%!  [text, id] = lastwarn ();
%!  said = [id ": " text];
%!endfunction
%!test
%! W = tril (-ones (60), -1) + eye (60); # nearly singular with ones on the diagonal
%! near = [1, 2; 0, 1e-17];
%! divisors = {[1, 2; 0, 0], [0, 0; 1, 1], zeros(2), near, near.', near * 1i, single(near), [1, 2; 0, NaN], ...
%!             [1, NaN; 0, 1], [1, 0; Inf, 1], [1, 2; 0, -Inf], W, single(W(1:30,1:30)), ...
%!             [1e200, 0; 0, 1e-200], [1e-300, 0; 0, 1e-300], [realmin/8, 0; 0, 1], [NaN, 0; 0, NaN], ...
%!             [2, 1; 0, 4]};
%! texts = {};
%! ids = {};
%! for d = divisors
%!   b = gallery ("moler", rows (d{1}));
%!   for b = {b, b(:,1), NaN(size (b)), 1e308 * b, Inf(rows (b), 1)}
%!     for f = {@(a, b) a \ b, @(a, b) b.' / a}
%!       [wanted, says] = warned (f{1}, d{1} + 0, b{1}); # a matrix that Octave knows to be singular warns once
%!       [given, said] = warned (f{1}, gpuArray (d{1}), b{1});
%!       tol = 1e-10 * abs (wanted) .* isfinite (wanted);
%!       text = difference (given, wanted, tol);
%!       if (! strcmp (class (given), "gpuArray") || ! strcmp (said, says))
%!         text = [text " warning " said " and not " says];
%!       endif
%!       if (! isempty (text))
%!         texts{end+1} = sprintf ("%s, %s, %s: %s", func2str (f{1}), shown (d{1}), shown (b{1}), text);
%!       endif
%!       ids{end+1} = strtok (says, ":");
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);
%! assert (sum (! strcmp (cellfun (@(x) [x " "], ids, "UniformOutput", false), " ")) > 50);

## A triangular solution and Cholesky's factor round by their own order. Higham, Accuracy and Stability of
## Numerical Algorithms (2002), theorems 8.5 and 10.3; twice for complex numbers.
%!function x = random_matrix (m, n, class, is_complex)
%!  x = feval (class, rand (m, n) - 0.5);
%!  if (is_complex)
%!    x += 1i * feval (class, rand (m, n) - 0.5);
%!  endif
%!endfunction
%!function check_bound (given, wanted, bound, words, varargin)
%!  worst = max ((abs (given - wanted) - bound)(:));
%!  assert (worst <= 0, [words ": %g beyond the bound"], varargin{:}, worst);
%!endfunction
%!test
%! seed = from_environment ("GPUMM_SEED", 1 + mod (floor (time ()), 1e6));
%! printf ("gpuarray_functions.tst: GPUMM_SEED=%d\n", seed);
%! rand ("twister", seed);
%! for n = [1, 2, 3, 17, 64, 150]
%!   for class = {"double", "single"}
%!     for kind = 0:3
%!       make = @(m, n, k) random_matrix (m, n, class{1}, bitand (kind, k) > 0);
%!       T = triu (make (n, n, 1)) / n + eye (n);
%!       b = make (n, 1 + mod (n, 5), 2);
%!       G = gpuArray (T);
%!       unit = 2 * (n + 1) * eps (class{1}) * (1 + (kind > 0));
%!       words = sprintf ("seed %d, n %d, %s, kind %d", seed, n, class{1}, kind);
%!       x = double (gather (G \ b));
%!       check_bound (double (T) * x, double (b), unit * abs (T) * abs (x), words);
%!       x = double (gather (gpuArray (b') / G));
%!       check_bound (x * double (T), double (b'), unit * abs (x) * abs (T), [words ", right"]);
%!       x = double (gather (G' \ gpuArray (b)));
%!       check_bound (double (T)' * x, double (b), unit * abs (T') * abs (x), [words ", transposed"]);
%!       A = T' * T;
%!       A = (A + A') / 2;
%!       R = double (gather (chol (gpuArray (A))));
%!       check_bound (R' * R, double (A), unit * abs (R') * abs (R), [words ", chol"]);
%!       R = double (gather (chol (gpuArray (A), "lower")));
%!       check_bound (R * R', double (A), unit * abs (R) * abs (R'), [words ", lower"]);
%!       assert (istril (R) && isreal (diag (R)) && all (diag (R) > 0), [words ", triangle"]);
%!     endfor
%!   endfor
%! endfor

%!test # factors without rounding; what is not definite; what Octave's chol takes beside
%! R = [2, 1, -1; 0, 4, 3; 0, 0, 1];
%! A = R' * R;
%! C = (R + triu (R, 1) * 1i)' * (R + triu (R, 1) * 1i);
%! beside = A;
%! beside(3,1) = 99;
%! unread = A;
%! unread(2,1) = NaN;
%! list = {A, C, single(A), single(C), beside, beside.', unread, -A, A - 30 * eye(3), zeros(2), ones(2), ...
%!         [1, 2; 2, 1], [4, 2; 2, 4] + 1i * [0, 2; -2, 0], [4 + 1i, 0; 0, 4], ones(2, 3), ones(2, 2, 2), [], ...
%!         zeros(0, 3), single([]), 4, -4, 9i, NaN, Inf, [4, NaN; NaN, 4], diag([1, NaN, 1]), ...
%!         diag([4, -Inf]), diag([1, 1e-300]), diag([1e300, 1e300]), diag([realmin, 1]) / 4, int8(4 * eye (2)), ...
%!         logical(eye (2)), sparse(A)};
%! fs = {@chol, @(x) chol(x, "lower"), @(x) chol(x, "UPPER"), @(x) chol(x, "lower", "Upper"), ...
%!       @(x) chol(x, "upper", "lower"), @(x) chol(x, "vector"), @(x) chol(x, "left"), @(x) chol(x, 1), ...
%!       @(x) chol(x, x), @(x) chol(x, "lower", "lower", "lower"), @(x) feval("chol", x'), @(x) chol(2 * x + 2 * x)};
%! check_table (fs, list, @few_units, "refuses", @(x) issparse (x{1}));
%! check_table (fs, list, @few_units, "refuses", @(x) issparse (x{1}), "outputs", 2);
%! assert (compare (@chol, {int64(4 * eye (2))}), "");
%! check_error ("", "^chol: input matrix must be positive definite$", @chol, gpuArray (-A));
%! [R, p] = chol (gpuArray ([4, 0, 2; 0, 4, 0; 2, 0, 0]));
%! assert ({class(R), gather(R), gather(p)}, {"gpuArray", 2 * eye(2), 3});
%!error <three output arguments, matrix A must be sparse> [R, p, Q] = chol (gpuArray (eye (2)))
%!error <^chol: not available for a gpuArray of a sparse matrix. Write gpuArray .chol .gather .X...$> ...
%! chol (gpuArray (speye (2)))

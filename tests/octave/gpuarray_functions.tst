## gpuarray_functions.tst - Octave's functions of a gpuArray give an error or the right value.
## SPDX-License-Identifier: BSD-3-Clause

%!test
%! [wrong, calls, names] = walk_functions ("gpuArray");
%! assert (numel (names) > 500, "%d functions", numel (names));
%! assert (calls > 20000 / cell_step ());
%! ## bsxfun of one sparse element is full on the host, and sparse .\ 2 complex; a complex array of
%! ## a device stays complex where all imaginary parts are zero; sinetone's sines are single and its
%! ## result double
%! known = ['^(center \(1x1 sparse|ldivide \(3x3 sparse|' ...
%!          '(realpow|corrcoef) \(1x3 gpuArray single|sinetone \(1x[13] gpuArray single)'];
%! wrong = wrong(cellfun (@isempty, regexp (wrong, known)));
%! fail_with (wrong);

%!test # arguments and outputs that a method does not take
%! [wrong, calls, names] = walk_functions ("gpuArray", "arguments");
%! assert (numel (names) > 70 && calls > 6000 / cell_step (), "%d calls of %d methods", calls, ...
%!         numel (names));
%! fail_with (wrong);

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

%!test # empty arrays, which some functions of Octave cannot take at all
%! for x = {[], zeros(0, 3), zeros(3, 0), single(zeros (0, 1)), sparse(0, 3), 5, int8(5)}
%!   y = unique (x{1});
%!   z = gather (unique (gpuArray (x{1})));
%!   assert (class (z), class (y));
%!   assert (z, y);
%! endfor
%!assert (class (gather (cumtrapz (gpuArray (uint8 (7)), 2))), "uint8")
%!assert (class (gather (cat (2, gpuArray (zeros (1, 0, "single")), gpuArray (3)))), "single")
%!assert (isindex (gpuArray (sparse ([true, false]))))
%!error id=gpumm:gpuArray:gather unique (gpuArray ([1, 2, 2]))
%!error <^median: not available for a gpuArray. Write gpuArray .median .gather .X> ...
%! median (gpuArray ([1, 2]))
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

## gpuarray_functions.tst - Octave's functions of a gpuArray give an error or the right value.
## SPDX-License-Identifier: BSD-3-Clause

%!test
%! [wrong, calls, names] = walk_functions ("gpuArray");
%! assert (numel (names) > 500, "%d functions", numel (names));
%! assert (calls > 20000 / cell_step ());
%! ## bsxfun of one sparse element is full on the host, and sparse .\ 2 complex; a complex array of a device
%! ## stays complex where all imaginary parts are zero; sinetone's sines are single and its result double
%! known = ['^(center \(1x1 sparse|ldivide \(3x3 sparse|(realpow|corrcoef) \(1x3 gpuArray single' ...
%!          '|sinetone \(1x[13] gpuArray single)'];
%! wrong = wrong(cellfun (@isempty, regexp (wrong, known)));
%! assert (isempty (wrong), "%d calls are wrong:\n%s", numel (wrong), strjoin (wrong(1:min (end, 30)), "\n"));

%!test # arguments and outputs that a method does not take
%! [wrong, calls, names] = walk_functions ("gpuArray", "arguments");
%! assert (numel (names) > 70 && calls > 6000 / cell_step (), "%d calls of %d methods", calls, numel (names));
%! assert (isempty (wrong), "%d calls are wrong:\n%s", numel (wrong), strjoin (wrong(1:min (end, 30)), "\n"));

## Attempts F (HOST{:}) and F (GIVEN{:}): what is wrong, or "".
%!function text = compare (f, host, given)
%!  [expected, said] = attempt (f, host);
%!  [x, err] = attempt (f, given);
%!  x = gather (x);
%!  text = "";
%!  if (isempty (said) && isempty (err))
%!    if (! (strcmp (class (x), class (expected)) && issparse (x) == issparse (expected)
%!           && iscomplex (x) == iscomplex (expected) && isequaln (full (x), full (expected))))
%!      text = "another value, class or sparsity";
%!    endif
%!  elseif (isempty (said) && isempty (regexp (err, "gather|full")))
%!    text = err;
%!  elseif (isempty (err))
%!    text = ["no error: " said];
%!  endif
%!  if (! isempty (text))
%!    names = cellfun (@(x) [typeinfo(x) " " mat2str(full (gather (x)))], given, "UniformOutput", false);
%!    text = sprintf ("%s (%s): %s\n", func2str (f), strjoin (names, ", "), text);
%!  endif
%!endfunction
%!function [x, err] = attempt (f, list)
%!  x = [];
%!  err = "";
%!  try
%!    x = f (list{:});
%!  catch e
%!    err = [e.message " "];
%!  end_try_catch
%!endfunction

%!test # predicates and logical operators, by numbers and vectors that are full or sparse, with NaN and without
%! values = {true, sparse(true), sparse(false), 0, 3, NaN, sparse(NaN), sparse(0), sparse(2), complex(1), ...
%!           single(NaN), complex(single (3)), int8(2), 2i, sparse(2i), sparse(complex (NaN, 1)), ...
%!           [1, 0, NaN], sparse([1, 0, NaN]), sparse([true, false, true]), sparse([2, 0, 3]), [1, 2i, 0], ...
%!           sparse([1, 2i, 0]), int8([1, 0, 3]), complex([1, 2, 0]), [], zeros(0, 3)};
%! predicates = {@gather, @not, @any, @all, @(x) any (x, 2), @(x) all (x, 2), @iscomplex, @isreal, @isfloat, ...
%!               @isinteger, @islogical, @isnumeric, @issparse, @isnan, @isinf, @isfinite, @isna, @isempty, ...
%!               @isscalar, @isvector, @ismatrix, @issquare, @ischar, @iscell, @isdiag, @istril, ...
%!               @istriu, @isbanded, @issymmetric, @ishermitian, @isrow, @iscolumn};
%! wrong = "";
%! for x = values
%!   G = gpuArray (x{1});
%!   for f = predicates
%!     wrong = [wrong, compare(f{1}, x, {G})];
%!   endfor
%!   for y = values
%!     ## Octave's xor takes bsxfun where sizes differ, which a sparse gpuArray refuses
%!     for f = {@and, @or, @xor}(1:2 + (size_equal (x{1}, y{1}) || isscalar (x{1}) || isscalar (y{1})))
%!       wrong = [wrong, compare(f{1}, [x, y], {G, gpuArray(y{1})}), compare(f{1}, [x, y], {G, y{1}}), ...
%!                compare(f{1}, [y, x], {y{1}, G})];
%!     endfor
%!   endfor
%! endfor
%! assert (isempty (wrong), wrong);

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
%!error id=gpumm:gpuArray:gather gsvd (gpuArray (eye (2)), eye (2))
%!error id=gpumm:gpuArray:gather 2 / gpuArray (sparse ([0; 2; 0]))
%!error id=gpumm:undefined-operator gpuArray (sparse (eye (2))) * single (eye (2))
%!error <double \(X\).*full \(S\)> single (2) * gpuArray (sparse (eye (2)))

## pagemtimes.tst - each page is the product of `*`: types, transposes, sizes and page sizes at random;
## then edges, NaN and Inf, what is refused, and pagefun. Memory that fails is in faults.tst.
## SPDX-License-Identifier: BSD-3-Clause

## ---- the oracle: a loop over the pages -----------------------------------------------------------

%!function x = turned (x, op)
%!  if (strcmp (op, "transpose"))
%!    x = x.';
%!  elseif (strcmp (op, "ctranspose"))
%!    x = x';
%!  endif
%!endfunction

## [R, LIMIT]: the result, and the rounding that it may have: the terms of each element's sum by
## size, times their number.
%!function [R, limit] = by_loop (X, op_x, Y, op_y)
%!  pages_x = [size(X)(3:end), ones(1, ndims (Y) - ndims (X)), 1, 1];
%!  pages_y = [size(Y)(3:end), ones(1, ndims (X) - ndims (Y)), 1, 1];
%!  x_of = reshape (1:prod (pages_x), ...
%!                  pages_x) + zeros (pages_y); # along a dimension of size 1 always the first
%!  y_of = reshape (1:prod (pages_y), pages_y) + zeros (pages_x);
%!  classes = {class(X), class(Y)};
%!  is_integer = [isinteger(X), isinteger(Y)];
%!  name = [classes(is_integer), classes(strcmp (classes, "single")), {"double"}]{1};
%!  one = turned (zeros (size (X)(1:2)), op_x) * turned (zeros (size (Y)(1:2)), op_y);
%!  R = zeros ([size(one), size(x_of)], name);
%!  limit = zeros (size (R));
%!  for i = 1:numel (x_of)
%!    x = turned (X(:,:,x_of(i)), op_x);
%!    y = turned (Y(:,:,y_of(i)), op_y);
%!    if (all (is_integer) && ! isscalar (x) && ! isscalar (y))
%!      R(:,:,i) = exact_integer_product (x, y, name);
%!    else
%!      R(:,:,i) = x * y;
%!    endif
%!    x = abs (double (x));
%!    y = abs (double (y));
%!    x(! isfinite (x)) = y(! isfinite (y)) = 0;
%!    limit(:,:,i) = 3 * (columns (x) + 8) * (x * y);
%!  endfor
%!  if (any (is_integer))
%!    limit = 0;
%!  else
%!    limit = limit * eps (name) + realmin (name);
%!  endif
%!endfunction

## Fails where pagemtimes gives another result. Which part of a complex number is NaN and which Inf
## depends on the routine.
%!function check (X, Y, op_x = "none", op_y = "none")
%!  if (nargin == 2)
%!    Z = pagemtimes (X, Y);
%!  else
%!    Z = pagemtimes (X, op_x, Y, op_y);
%!  endif
%!  [R, limit] = by_loop (X, op_x, Y, op_y);
%!  text = "";
%!  if (iscomplex (Z) != iscomplex (R) && all (isfinite (R)(:)))
%!    text = "complexness";
%!  elseif ((iscomplex (X) || iscomplex (Y)) && size_equal (Z, R))
%!    text = {"", "finite elsewhere"}{1 + any ((isfinite (Z) != isfinite (R))(:))};
%!    Z(! isfinite (R)) = R(! isfinite (R)) = 0;
%!  endif
%!  text = [text, difference(Z, R, limit)];
%!  if (! isempty (text))
%!    error ("%s %s %s by %s %s %s: %s", typeinfo (X), mat2str (size (X)), op_x, typeinfo (Y), ...
%!           mat2str (size (Y)), op_y, text);
%!  endif
%!endfunction

## ---- operands ------------------------------------------------------------------------------------

%!function X = array (type, sizes)
%!  X = reshape (make_operand (type, sizes(1), prod (sizes(2:end))), sizes);
%!endfunction

## Now and then with NaN and Inf, and with real pages in a complex array.
%!function X = spoiled (X)
%!  if (isfloat (X) && ! isempty (X) && rand () < 0.2)
%!    values = [NaN, Inf, -Inf];
%!    for i = 1:randi (3)
%!      X(randi (numel (X))) = values(randi (3));
%!    endfor
%!  endif
%!  if (iscomplex (X) && rand () < 0.4)
%!    is_real = rand (1, prod (size (X)(3:end))) < 0.5;
%!    X(:,:,is_real) = real (X(:,:,is_real));
%!  endif
%!endfunction

%!function check_random (pair, sides)
%!  ops = {"none", "transpose", "ctranspose"};
%!  op = ops([randi(3), randi(3)]);
%!  s = sides(randi (numel (sides), 1, 3)); # m, k, n
%!  P = randi (3, 1, randi (3));
%!  if (rand () < 0.05)
%!    P(randi (numel (P))) = 0;
%!  endif
%!  P_x = P_y = P;
%!  switch (randi (4))
%!    case 1
%!      P_x = 1;
%!    case 2
%!      P_y = 1;
%!    case 3
%!      P_x(rand (size (P)) < 0.5) = 1;
%!      P_y(rand (size (P)) < 0.3) = 1;
%!  endswitch
%!  if (strcmp (op{1}, "none"))
%!    X = array (pair{1}, [s(1), s(2), P_x]);
%!  else
%!    X = array (pair{1}, [s(2), s(1), P_x]);
%!  endif
%!  if (strcmp (op{2}, "none"))
%!    Y = array (pair{2}, [s(2), s(3), P_y]);
%!  else
%!    Y = array (pair{2}, [s(3), s(2), P_y]);
%!  endif
%!  check (spoiled (X), spoiled (Y), op{:});
%!endfunction

%!shared floats, integers
%! floats = {"double", "single", "complex", "single complex", "logical", "char"};
%! integers = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"};
%! rand ("twister", 71);
%! printf ("pagemtimes.tst: seed 71\n");

## ---- pages of floating point and of integers -----------------------------------------------------

%!test # every pair of types, at random
%! pairs = {};
%! for a = floats
%!   for b = floats
%!     pairs(end+1,:) = {a{1}, b{1}};
%!   endfor
%! endfor
%! for i = 1:8 * rows (pairs)
%!   check_random (pairs(mod (i, rows (pairs)) + 1,:), [0, 1, 2, 3, 7, 16]);
%! endfor
%! for i = 1:60
%!   check_random (pairs(randi (rows (pairs)),:), [1, 12, 64, 65]);
%! endfor
%! for i = 1:80
%!   check_random (integers([1, 1] * (mod (i, 8) + 1)), [0, 1, 2, 3, 7, 16]);
%! endfor

%!test # one matrix by pages of pages
%! for type = {"double", "complex", "int16"}
%!   X = array (type{1}, [4, 3]);
%!   check (X, array (type{1}, [3, 5, 2, 3, 2]));
%!   check (X, array (type{1}, [3, 1, 7]));
%!   check (X, array (type{1}, [5, 3, 2, 3]), "none", "transpose");
%!   check (array (type{1}, [4, 3, 1, 3]), array (type{1}, [3, 5, 2, 3, 2]));
%!   check (array (type{1}, [4, 3, 2]), array (type{1}, [3, 5, 1, 3]));
%!   check (array (type{1}, [4, 3, 2, 1, 2]), array (type{1}, [3, 5, 1, 3]));
%!   check (array (type{1}, [1, 3]), array (type{1}, [3, 5, 6]));
%!   check (array (type{1}, [1, 3]), array (type{1}, [3, 1, 6]));
%!   check (array (type{1}, [4, 3, 6]), array (type{1}, [3, 5]));
%! endfor

%!test # matrices, as gpumm
%! for type = {"double", "complex", "logical", "single"}
%!   A = array (type{1}, [5, 4]);
%!   assert (pagemtimes (A, "ctranspose", A, "none"), gpumm (A, A, "TransposeA", "ctranspose"));
%!   check (A, A, "none", "transpose");
%! endfor

%!test # none of k, none of m or n, no pages
%! for type = {"double", "single", "complex", "int8"}
%!   for s = {[2, 0, 3; 0, 4, 3], [0, 2, 3; 2, 4, 3], [2, 2, 3; 2, 0, 3], [2, 3, 0; 3, 4, 1], ...
%!            [2, 3, 0; 3, 4, 0], [0, 0, 2; 0, 0, 2], [1, 0, 2; 0, 1, 2], [1, 1, 0; 2, 2, 1], [1, 1, 2; 0, 3, 2]}
%!     check (array (type{1}, s{1}(1,:)), array (type{1}, s{1}(2,:)));
%!   endfor
%! endfor
%! assert (pagemtimes ([], []), []);
%! assert (size (pagemtimes (zeros (2, 3, 0, 4), zeros (3, 5, 1, 1, 2))), [2, 5, 0, 4, 2]);
%! assert (class (pagemtimes (single ([]), [])), "single");

%!test # large pages are jobs
%! X = rand (530, 520, 2) - 0.5;
%! check (X, X, "transpose", "none");
%! check (X, complex (X, X(:,:,[2, 1])), "transpose", "none");

%!test # 1000 small pages: all threads have some
%! X = array ("double", [5, 6, 1000]);
%! check (X, X, "none", "transpose");
%! check (X, complex (X, 1), "none", "ctranspose");

%!test # stored otherwise: ranges, diagonals, permutations are full here
%! Y = rand (3, 3, 2);
%! Y(2,2,1) = NaN;
%! for X = {diag([1, 2, 3]), eye(3)(:,[2, 3, 1]), 1:3, 3:-1:1, 0:-1:-2, find([1; 1; 1]).', i * eye(3), single(eye (3))}
%!   assert (pagemtimes (X{1}, Y), pagemtimes (full (X{1}), Y));
%!   assert (pagemtimes (Y, "none", X{1}, "ctranspose"), pagemtimes (Y, full (X{1})'));
%! endfor
%! assert (any (isnan (pagemtimes (eye (3), Y)(1,:,1))));
%! assert (pagemtimes ("ab", "transpose", "ab", "none"), "ab".' * "ab");
%! assert (pagemtimes (eye (2), 2), 2 * ones (2) .* eye (2));
%! assert (pagemtimes (2, 1:3), 2:2:6);

## ---- scalars, as `*` has them --------------------------------------------------------------------

%!test
%! for a = [floats, integers]
%!   for b = [floats, integers]
%!     for op = {"none", "transpose", "ctranspose"}(randi (3))
%!       X = array (a{1}, [1, 1, 3]);
%!       Y = array (b{1}, [2, 4, 3]);
%!       defined = true;
%!       try
%!         (X(1) + iscomplex (X) * 99i) * (Y(1:2) + iscomplex (Y) * 99i);
%!       catch
%!         defined = false;
%!       end_try_catch
%!       if (defined)
%!         check (spoiled (X), spoiled (Y), op{1}, op{1});
%!         check (Y, X(:,:,2), op{1}, op{1});
%!         check (X, X, op{1}, op{1});
%!         check (X, array (b{1}, [2, 2]), op{1}, "none");
%!       else
%!         assert (error_of (@pagemtimes, X, Y), "gpumm:undefined-operator");
%!       endif
%!     endfor
%!   endfor
%! endfor

%!test # a page of a complex array without imaginary parts is real
%! X = cat (3, 2 + 1i, -1);
%! Z = pagemtimes (X, [Inf, 0, -1]);
%! assert (Z(:,:,2), [-Inf, 0, 1]);
%! assert (1 ./ real (Z(:,:,2)), [0, -Inf, 1]); # -1 * 0 is -0
%! assert (pagemtimes (complex ([1; 2], 0), ones (1, 1, 2)), [1; 2] .* ones (1, 1, 2));
%! assert (pagemtimes (cat (3, 1i, 1), zeros (1, 0)), zeros (1, 0, 2));
%! assert (pagemtimes (cat (4, single (1i), 1), cat (3, [1, 2], [3, 4])), ...
%!         cat (4, single (1i) * cat (3, [1, 2], [3, 4]), single (cat (3, [1, 2], [3, 4]))));
%! assert (1 ./ pagemtimes (-1, zeros (1, 2, 2)), -Inf (1, 2, 2));
%! Z = pagemtimes (cat (3, complex ([Inf, 1]), [1i, 0]), [1; 1]);
%! assert (Z(:), [Inf; 1i]);
%! for A = {[Inf, 1; 1, 1], complex([Inf, 1; 1, 1], 0)} # a page without imaginary parts is complex
%!   Z = pagemtimes (A{1}, cat (3, [1; 1], [1i; 1]));
%!   assert (Z(2,1,1), 2);
%!   assert (! isfinite (Z(1,1,1)));
%! endfor

%!test # the result is narrowed as a whole
%! X = cat (3, [1i, 1], [1, 1i]);
%! assert (isreal (pagemtimes (X, "none", X, "ctranspose")));
%! assert (isreal (pagemtimes (X, zeros (2, 3))));
%! assert (iscomplex (pagemtimes (X, cat (3, [1i; 0], [0; 1]))));
%! assert (isreal (pagemtimes (complex (single ([1, 2]), 0), [3; 4])));

%!test # saturated once, at the end
%! A = cat (3, int8 ([100, 100]), int8 ([-100, -100]));
%! B = cat (3, int8 ([2; -2]), int8 ([2; 1]));
%! assert (pagemtimes (A, B), cat (3, int8 (0), int8 (-128)));
%! assert (pagemtimes (A, int8 ([3; -2])), cat (3, int8 (100), int8 (-100)));
%! assert (pagemtimes (intmax ("uint64") * ones (2, 2, 2, "uint64"), "transpose", ...
%!                     cat (3, uint64 ([1; 0]), uint64 ([1; 1])), "none"), intmax ("uint64") * ones (2, 1, 2, "uint64"));

%!test # in upper and lower case
%! X = rand (2, 3, 2);
%! assert (pagemtimes (X, "None", X, "TRANSPOSE"), pagemtimes (X, "none", X, "transpose"));

%!test # the operands keep their values
%! X = Y = rand (3, 3, 4);
%! pagemtimes (X, "transpose", X, "none");
%! pagemtimes (int8 (X), int8 (X));
%! assert (X, Y);

## ---- what is refused -----------------------------------------------------------------------------

%!test
%! blocks = blocksparse (eye (2), 1);
%! for pair = {sparse(1), 2; 2, sparse(1); sparse(eye (2)), ones(2, 2, 2); ones(2, 2, 2), sparse(eye (2)); ...
%!             {1}, 1; 1, {1}; struct("a", 1), 1; @sin, 1; blocks, ones(2, 2, 2); ones(2, 2, 2), blocks; ...
%!             int8(ones (2, 2)), ones(2, 2); ones(2, 2), int8(ones (2, 2)); int8(ones (2, 2)), single(ones (2, 2)); ...
%!             int8(ones (2, 2)), int16(ones (2, 2)); int8(ones (2, 2)), true(2, 2); int8(ones (2, 2)), ["ab"; "cd"]; ...
%!             int8(1), int16(1); int8(ones (2, 2, 2)), int16(2); 1, containers.Map()}.'
%!   [id, text] = error_of (@pagemtimes, pair{:});
%!   assert (id, "gpumm:undefined-operator");
%!   assert (strncmp (text, "pagemtimes: not implemented for '", 33), text);
%! endfor

%!test
%! c = "Octave:nonconformant-args";
%! O = @ones;
%! for row = {c, '^pagemtimes: nonconformant arguments \(op1 is 2x3, op2 is 2x3\)$', ...
%!            {O(2, 3), O(2, 3)}
%!            c, "op1 is 3x2x4, op2 is 3x2", {O(2, 3, 4), "transpose", O(2, 3), "ctranspose"}
%!            c, "op1 is 2x2x3, op2 is 2x2x2", {O(2, 2, 3), O(2, 2, 2)}
%!            c, "op1 is 2x2x1x3, op2 is 2x2x1x2", {O(2, 2, 1, 3), O(2, 2, 1, 2)}
%!            c, "op1 is 1x1x3, op2 is 1x1x2", {O(1, 1, 3), O(2, 2, 2)}
%!            c, "op1 is 1x1x2, op2 is 1x1x3", {cat(3, 1i, 1), O(2, 2, 3)}
%!            c, "op1 is", {O(2, 2, 0), O(2, 2, 2)}; c, "op1 is", {O(2, 3, 0), O(2, 3)}
%!            c, "op1 is", {int8(O (2, 3, 4)), int8(O (2, 3))}
%!            "gpumm:bad-value", "pagemtimes: ", {1, "no", 1, "none"}; ...
%!            "gpumm:bad-value", "pagemtimes: ", {1, "none", 1, ""}
%!            "gpumm:bad-value", 'transpX must be "none", "transpose" or "ctranspose"', {1, 1, 1, 1}
%!            "gpumm:bad-value", "transpY must be", {1, "none", 1, {"none"}}
%!            "gpumm:host-memory", "result is too large", {zeros(1e6, 0), zeros(0, 1e6, 3)}
%!            "gpumm:host-memory", "result is too large", {O(1e7, 1), O(1, 2, 1e7)}}.'
%!   [id, text] = error_of (@pagemtimes, row{3}{:});
%!   assert (id, row{1});
%!   assert (! isempty (regexp (text, row{2})), text);
%! endfor
%! for arguments = {{}, {1}, {1, 2, 3}, {1, "none", 2, "none", 3}}
%!   [~, text] = error_of (@pagemtimes, arguments{1}{:});
%!   assert (strncmp (text, "Invalid call to pagemtimes", 26));
%! endfor
%! for arguments = {{}, {O(2)}, {O(2), O(2), O(2)}, {O(2), 2, O(2), 4}, ...
%!                  {O(2), "none", sparse(O (2)), "none"}, ...
%!                  {O(2, 2, 2), O(2, 2, 3)}, {O(2, 3), O(2, 3)}, {O(2), single(O (2))}}
%!   assert (error_of (@__gpumm_pages__, arguments{1}{:}), "gpumm:special");
%! endfor

## ---- pagefun -------------------------------------------------------------------------------------

%!test
%! X = array ("complex", [2, 3, 2, 2]);
%! Y = array ("double", [3, 4, 1, 2]);
%! assert (pagefun (@mtimes, X, Y), pagemtimes (X, Y));
%! assert (pagefun ("mtimes", X, Y), pagemtimes (X, Y));
%! for i = 1:4
%!   T = pagefun (@transpose, X);
%!   H = pagefun ("ctranspose", X);
%!   assert (T(:,:,i), X(:,:,i).');
%!   assert (H(:,:,i), X(:,:,i)');
%! endfor
%! assert (size (T), [3, 2, 2, 2]);
%! assert (pagefun (@ctranspose, int8 ([1, 2])), int8 ([1; 2]));
%! assert (pagefun (@ctranspose, [true, false]), [true; false]);
%! assert (pagefun (@transpose, "ab"), ["a"; "b"]);
%! assert (pagefun (@transpose, zeros (2, 0, 3)), zeros (0, 2, 3));
%! for row = {"gpumm:bad-value", {@mldivide, 1, 2}; "gpumm:bad-value", {"mtimes ", 1, 2}; ...
%!            "gpumm:bad-value", {1, 2}
%!            "gpumm:bad-value", {{@mtimes}, 1, 2}; "gpumm:undefined-operator", {@ctranspose, {1}}
%!            "gpumm:undefined-operator", {@mtimes, sparse(1), 1}
%!            "Octave:nonconformant-args", {@mtimes, ones(2, 3), ones(2, 3)}; ...
%!            "Octave:invalid-fun-call", {}
%!            "Octave:invalid-fun-call", {@mtimes, 1, 2, 3}; "Octave:invalid-fun-call", ...
%!            {@transpose, 1, 2}}.'
%!   assert (error_of (@pagefun, row{2}{:}), row{1});
%! endfor

## pagemtimes.tst - each page is the product of `*`: types, transposes, sizes and page sizes at random;
## then edges, NaN and Inf, what is refused, memory that fails, and pagefun.
## SPDX-License-Identifier: BSD-3-Clause

## ---- the oracle: a loop over the pages -----------------------------------------------------------

%!function x = turned (x, op)
%!  if (strcmp (op, "transpose"))
%!    x = x.';
%!  elseif (strcmp (op, "ctranspose"))
%!    x = x';
%!  endif
%!endfunction

## Page i of a result with page sizes P comes from this page of X: along a dimension of size 1 always the
## first.
%!function x = page (X, P, i)
%!  at = cell (1, numel (P));
%!  [at{:}] = ind2sub ([P, 1], i);
%!  for d = 1:numel (P)
%!    at{d} = min (at{d}, size (X, d + 2));
%!  endfor
%!  x = X(:,:,at{1:numel (P)});
%!endfunction

## Octave has several forms of it, and where a real operand meets a complex one they differ in which NaN
## and Inf they spread: 1 as it is written, 2 that of operands in one class, 3 transposed before.
%!function c = floating_product (a, op_a, b, op_b, form)
%!  if (form == 2 && (isa (a, "single") || isa (b, "single")))
%!    a = in_single (a);
%!    b = in_single (b);
%!  elseif (form == 2)
%!    a = {a, double(a)}{1 + ! isfloat (a)};
%!    b = {b, double(b)}{1 + ! isfloat (b)};
%!  elseif (form == 3)
%!    a = turned (a, op_a);
%!    b = turned (b, op_b);
%!    op_a = op_b = "none";
%!  endif
%!  if (! strcmp (op_a, "none"))
%!    b = turned (b, op_b);
%!    op_b = "none";
%!  endif
%!  switch ([op_a(1), op_b(1)])
%!    case "nn"
%!      c = a * b;
%!    case "tn"
%!      c = a.' * b;
%!    case "cn"
%!      c = a' * b;
%!    case "nt"
%!      c = a * b.';
%!    case "nc"
%!      c = a * b';
%!  endswitch
%!endfunction

%!function y = in_single (x)
%!  y = single (x);
%!  if (iscomplex (x) && ! iscomplex (y))
%!    y = complex (y, 0);
%!  endif
%!endfunction

%!function c = one_product (a, op_a, b, op_b, form)
%!  if (isinteger (a) && isinteger (b) && ! isscalar (a) && ! isscalar (b))
%!    c = exact_integer_product (turned (a, op_a), turned (b, op_b), class (a));
%!  else
%!    c = floating_product (a, op_a, b, op_b, form);
%!  endif
%!endfunction

%!function name = class_of (X, Y)
%!  name = {class(X), class(Y)};
%!  name = [name(ismember (name, {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"})), ...
%!          name(strcmp (name, "single")), {"double"}]{1};
%!endfunction

## [Z, B]: the result, and B, the terms of each element's sum by size, times their number.
%!function [Z, B] = by_loop (X, op_x, Y, op_y, form)
%!  last = max (ndims (X), ndims (Y));
%!  for d = 3:max (last, 3)
%!    px(d-2) = size (X, d);
%!    py(d-2) = size (Y, d);
%!  endfor
%!  assert (px == py | px == 1 | py == 1);
%!  P = px;
%!  P(px == 1) = py(px == 1);
%!  one = turned (zeros (size (X)(1:2)), op_x) * turned (zeros (size (Y)(1:2)), op_y);
%!  Z = zeros ([size(one), P], class_of (X, Y));
%!  B = zeros ([size(one), P]);
%!  for i = 1:prod (P)
%!    x = page (X, P, i);
%!    y = page (Y, P, i);
%!    Z(:,:,i) = one_product (x, op_x, y, op_y, form);
%!    x = abs (double (turned (x, op_x)));
%!    y = abs (double (turned (y, op_y)));
%!    x(! isfinite (x)) = y(! isfinite (y)) = 0;
%!    B(:,:,i) = (columns (x) + 8) * (x * y);
%!  endfor
%!  if (iscomplex (Z) && all (imag (Z)(:) == 0))
%!    Z = real (Z);
%!  endif
%!endfunction

%!function check_part (c, r, limit, what)
%!  infinite = isinf (c) | isinf (r);
%!  if (! isequal (isnan (c), isnan (r)) || ! isequal (c(infinite), r(infinite)))
%!    error ("%s: NaN or Inf elsewhere", what);
%!  elseif (any ((abs (double (c) - double (r)) > limit)(isfinite (r))))
%!    error ("%s: wrong values", what);
%!  endif
%!endfunction

%!function check (X, Y, op_x = "none", op_y = "none")
%!  if (strcmp (op_x, "none") && strcmp (op_y, "none"))
%!    Z = pagemtimes (X, Y);
%!  else
%!    Z = pagemtimes (X, op_x, Y, op_y);
%!  endif
%!  for form = 1:3
%!    try
%!      compare (Z, X, op_x, Y, op_y, form);
%!      return;
%!    catch err
%!      if (form == 3 || iscomplex (X) == iscomplex (Y))
%!        rethrow (err);
%!      endif
%!    end_try_catch
%!  endfor
%!endfunction

## a page of a complex array that X(:,:,i) makes real, and pagemtimes does not
%!function yes = has_real_page (X)
%!  yes = iscomplex (X) && any (all (reshape (imag (X) == 0, rows (X) * columns (X), []), 1));
%!endfunction

%!function compare (Z, X, op_x, Y, op_y, form)
%!  [R, B] = by_loop (X, op_x, Y, op_y, form);
%!  what = sprintf ("%s %s %s by %s %s %s", typeinfo (X), mat2str (size (X)), op_x, ...
%!                  typeinfo (Y), mat2str (size (Y)), op_y);
%!  if (! size_equal (Z, R))
%!    error ("%s: size %s and not %s", what, mat2str (size (Z)), mat2str (size (R)));
%!  elseif (! strcmp (class (Z), class (R)) || iscomplex (Z) != iscomplex (R))
%!    error ("%s: a %s and not a %s", what, typeinfo (Z), typeinfo (R));
%!  elseif (isinteger (R))
%!    if (! isequal (Z, R))
%!      error ("%s: other integers", what);
%!    endif
%!    return;
%!  endif
%!  if ((iscomplex (X) && iscomplex (Y)) || has_real_page (X) || has_real_page (Y))
%!    ## which part is NaN depends on the routine
%!    if (! isequal (isfinite (Z), isfinite (R)))
%!      error ("%s: finite elsewhere", what);
%!    endif
%!    Z(! isfinite (R)) = R(! isfinite (R)) = 0;
%!  endif
%!  limit = 2 * eps (class (R)) * B + realmin (class (R));
%!  check_part (real (Z), real (R), limit, what);
%!  check_part (imag (Z), imag (R), limit, what);
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

%!error <pagemtimes: nonconformant arguments \(op1 is 2x3, op2 is 2x3\)> pagemtimes (ones (2, 3), ones (2, 3))
%!error <op1 is 3x2x4, op2 is 3x2> pagemtimes (ones (2, 3, 4), "transpose", ones (2, 3), "ctranspose")
%!error <op1 is 2x2x3, op2 is 2x2x2> pagemtimes (ones (2, 2, 3), ones (2, 2, 2))
%!error <op1 is 2x2x1x3, op2 is 2x2x1x2> pagemtimes (ones (2, 2, 1, 3), ones (2, 2, 1, 2))
%!error <op1 is 1x1x3, op2 is 1x1x2> pagemtimes (ones (1, 1, 3), ones (2, 2, 2))
%!error <op1 is 1x1x2, op2 is 1x1x3> pagemtimes (cat (3, 1i, 1), ones (2, 2, 3))
%!error id=Octave:nonconformant-args pagemtimes (ones (2, 3), ones (2, 3))
%!error id=Octave:nonconformant-args pagemtimes (ones (2, 2, 0), ones (2, 2, 2))
%!error id=Octave:nonconformant-args pagemtimes (ones (2, 3, 0), ones (2, 3))
%!error id=Octave:nonconformant-args pagemtimes (int8 (ones (2, 3, 4)), int8 (ones (2, 3)))
%!error id=Octave:nonconformant-args pagemtimes (ones (1, 1, 3), ones (2, 2, 2))
%!error id=gpumm:bad-value pagemtimes (1, "no", 1, "none")
%!error id=gpumm:bad-value pagemtimes (1, "none", 1, "")
%!error <transpX must be "none", "transpose" or "ctranspose"> pagemtimes (1, 1, 1, 1)
%!error <transpY must be> pagemtimes (1, "none", 1, {"none"})
%!error <Invalid call to pagemtimes> pagemtimes ()
%!error <Invalid call to pagemtimes> pagemtimes (1)
%!error <Invalid call to pagemtimes> pagemtimes (1, 2, 3)
%!error <Invalid call to pagemtimes> pagemtimes (1, "none", 2, "none", 3)
%!error id=gpumm:host-memory pagemtimes (zeros (1e6, 0), zeros (0, 1e6, 3))
%!error id=gpumm:host-memory pagemtimes (ones (1e7, 1), ones (1, 2, 1e7))
%!error id=gpumm:special __gpumm_pages__ ()
%!error id=gpumm:special __gpumm_pages__ (ones (2))
%!error id=gpumm:special __gpumm_pages__ (ones (2), ones (2), ones (2))
%!error id=gpumm:special __gpumm_pages__ (ones (2), 2, ones (2), 4)
%!error id=gpumm:special __gpumm_pages__ (ones (2), "none", sparse (ones (2)), "none")
%!error id=gpumm:special __gpumm_pages__ (ones (2, 2, 2), ones (2, 2, 3))
%!error id=gpumm:special __gpumm_pages__ (ones (2, 3), ones (2, 3))
%!error id=gpumm:special __gpumm_pages__ (ones (2), single (ones (2)))

## ---- memory that fails ---------------------------------------------------------------------------

%!test
%! X = array ("double", [4, 4, 20]);
%! Z = complex (X, X);
%! Z(:,:,3) = 1;
%! failed = 0;
%! for pair = {X, X; Z, X; X, Z; Z, Z; X(:,:,1), X; X(:,:,1), complex(X, 1); int8(X), int8(X); single(X), single(Z)}.'
%!   R = pagemtimes (pair{:});
%!   gpumm_reset ();
%!   alive = __gpumm_fault__ ("live");
%!   for n = 1:200
%!     __gpumm_fault__ ("memory", n);
%!     try
%!       C = pagemtimes (pair{:});
%!     catch err
%!       C = [];
%!       failed++;
%!       assert (err.identifier, "gpumm:host-memory");
%!     end_try_catch
%!     calls = __gpumm_fault__ ("memory", 0);
%!     assert (isempty (C) || isequal (C, R));
%!     gpumm_reset ();
%!     assert (__gpumm_fault__ ("live"), alive);
%!     assert (pagemtimes (pair{:}), R); # the session is usable at once
%!     gpumm_reset ();
%!     if (calls < n)
%!       break;
%!     endif
%!   endfor
%! endfor
%! assert (failed > 20);
%! printf ("pagemtimes.tst: %d allocations failed\n", failed);

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
%!error id=gpumm:bad-value pagefun (@mldivide, 1, 2)
%!error id=gpumm:bad-value pagefun ("mtimes ", 1, 2)
%!error id=gpumm:bad-value pagefun (1, 2)
%!error id=gpumm:bad-value pagefun ({@mtimes}, 1, 2)
%!error id=gpumm:undefined-operator pagefun (@ctranspose, {1})
%!error id=gpumm:undefined-operator pagefun (@mtimes, sparse (1), 1)
%!error id=Octave:nonconformant-args pagefun (@mtimes, ones (2, 3), ones (2, 3))
%!error <Invalid call to pagefun> pagefun ()
%!error <Invalid call to pagefun> pagefun (@mtimes, 1, 2, 3)
%!error <Invalid call to pagefun> pagefun (@transpose, 1, 2)

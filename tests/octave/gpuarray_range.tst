## gpuarray_range.tst - arrays on a device at the ends of the range, beside Octave's own.
## SPDX-License-Identifier: BSD-3-Clause

## Zeros, subnormal numbers, realmin, realmax, Inf and NaN, and numbers between: each is real and
## imaginary part of Z.
%!function [x, z] = ends (type)
%!  least = realmin (type);
%!  most = realmax (type);
%!  x = feval (type, [0, -0, 1, -1, 0.5, -3, 7.5, Inf, -Inf, NaN]);
%!  x = [x, eps(type)*least, -3*eps(type)*least, least, -0.7*sqrt(least), 3*least/eps(type), ...
%!       most, -most, most*eps(type)/2, 1.3*sqrt(most)];
%!  [re, im] = ndgrid (x, x);
%!  z = complex (re(:), im(:));
%!endfunction

## Does a GPU compute? Its NaN are positive and those of x86 negative, and a power may give zero the
## sign of a NaN or of a rounding error; and a sum of cuBLAS begins with 0.
%!function yes = is_gpu ()
%!  yes = __gpuarray__ ("device", gpuArray (1)) >= 0;
%!endfunction
## Where the order of complex numbers is decided: those of one magnitude are compared by their
## angles, which the C library and CUDA round differently.
%!function yes = is_decided (a, b)
%!  angles = abs (arg (a) - arg (b));
%!  yes = ! (abs (a) == abs (b) & a != b & angles < 4 * eps (class (angles))) | ! is_gpu ();
%!endfunction

## What is wrong with a device's result: where it is NaN, infinite or a zero of another sign, or in
## either part (relative to BESIDE, if that is larger) off by more than TOL eps. WHERE says which
## entries count.
%!function text = wrong_end (name, given, wanted, tol, beside = 0, where = true (size (wanted)))
%!  text = "";
%!  given = __gpuarray__ ("gather", {given});
%!  type = class (wanted);
%!  if (! strcmp (class (given), type) || ! size_equal (given, wanted))
%!    text = sprintf ("%s: class %s, size %s", name, class (given), mat2str (size (given)));
%!    return;
%!  elseif (islogical (wanted))
%!    bad = given != wanted;
%!  else
%!    bad = false (size (wanted));
%!    for part = {@real, @imag}
%!      [g, w] = deal (part{1} (given), part{1} (wanted));
%!      size_of = max (max (abs (w), beside), realmin (type));
%!      same = g == w | (isnan (g) & isnan (w));
%!      is_near = isfinite (g) & isfinite (w) & abs (g - w) <= tol .* size_of * eps (type);
%!      bad |= ! (same | is_near);
%!      is_odd = is_gpu () && ! isempty (regexp (name, '\.\^ -2|power'));
%!      if (! strcmp (name, "dot") && ! is_odd)
%!        bad |= g == 0 & w == 0 & 1 ./ g != 1 ./ w;
%!      endif
%!    endfor
%!  endif
%!  at = find (bad & where, 1);
%!  if (! isempty (at))
%!    text = sprintf ("%s, %s: entry %d is %s and not %s; %d such", name, type, at, ...
%!                    mat2str (given(at), 17), mat2str (wanted(at), 17), nnz (bad & where));
%!  endif
%!endfunction

## Whole numbers to whole powers are whole, powers of two are exact, and a first power is the number.
%!test
%! assert (gather (2 .^ gpuArray (-1100:1030)), 2 .^ (-1100:1030));
%! assert (gather (single (2) .^ gpuArray (-160:130)), single (2) .^ (-160:130));
%! x = [-20:20, 0.3, -2.7, Inf, -Inf, NaN, 1e300];
%! for n = [0:11, 13, 31]
%!   for type = {"double", "single"}
%!     given = gather (gpuArray (feval (type{1}, x)) .^ n);
%!     wanted = feval (type{1}, x) .^ n;
%!     most = {2^49, 2^19}{1 + strcmp(type{1}, "single")};
%!     is_whole = abs (wanted) < most & x == fix (x) | n < 2;
%!     assert (given(is_whole), wanted(is_whole));
%!     assert (given, wanted, -4 * eps (type{1}));
%!   endfor
%! endfor

## functions and operators with numbers, complex and real
%!test
%! fs = {elementwise(){:}, @uminus, @single, @double, @(x) x .^ 2, ...
%!       @(x) x .^ 3, @(x) x .^ -1, @(x) x .^ -2, @(x) x .^ 0, @(x) 1 ./ x, ...
%!       @(x) (1e-300+1i) ./ x, @(x) complex (2, 0) ./ x, @(x) x * (2+3i), @(x) x / (1e-320+3i), ...
%!       @(x) x / 1e-320, @(x) x / 3, @(x) 0 * x, @(x) Inf * x, @(x) complex (Inf, 0) * x, ...
%!       @(x) x * complex (1, 0), @(x) x ./ complex (-2, 0), @(x) 1 - x, ...
%!       @(x) x + complex (1, -0), @(x) x - 1i, @(x) x == x, @(x) x < 1, @(x) x >= 1i, ...
%!       @(x) x < complex (-1, 0), @(x) x .* conj(x), @(x) max (x, 1), @(x) min (x, 1i)};
%! texts = {};
%! for type = {"double", "single"}
%!   [x, z] = ends (type{1});
%!   for z = {z, x, [x(x >= 0), NaN]}
%!     for f = fs
%!       where = true;
%!       wanted = f{1} (z{1});
%!       if (islogical (wanted) && strfind (func2str (f{1}), ">="))
%!         where = is_decided (z{1}, 1i);
%!       endif
%!       texts{end+1} = wrong_end (func2str (f{1}), f{1} (gpuArray (z{1})), wanted, 8, 0, where);
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);

## Operators of two arrays: complex, real and mixed. Octave divides by its compiler's rules, which
## round (-1e308+2i) / (-1e-154+5e-324i) to infinities: so does the device.
%!test
%! texts = {};
%! for type = {"double", "single"}
%!   [x, z] = ends (type{1});
%!   for f = {@plus, @minus, @times, @rdivide, @ldivide, @lt, @le, @gt, @ge, @eq, @ne, ...
%!            @(a, b) max (a, b) + 0, ...
%!            @(a, b) min (a, b) + 0} # of 0 and -0 Octave takes the one or the other
%!     for pair = {{z, z.'}, {x.', z.'}, {z, x}, {x.', x}}
%!       [a, b] = pair{1}{:};
%!       where = true;
%!       if (any (strcmp (func2str (f{1}), {"lt", "le", "gt", "ge"})))
%!         where = is_decided (a, b);
%!       endif
%!       given = f{1} (gpuArray (a), gpuArray (b));
%!       texts{end+1} = wrong_end (func2str (f{1}), given, f{1} (a, b), 2, 0, where);
%!     endfor
%!   endfor
%! endfor
%! f = {@rdivide};
%! for pair = {{complex(-6e307, 2e307), complex(5e-312, 0)}, ...
%!             {realmax() * (1+1i), complex(Inf, Inf)}, ...
%!             {1e300+realmax()*1i, complex(Inf, -Inf)}, {1, complex(Inf, Inf)}, ...
%!             {5e-324, complex(-Inf, NaN)}}
%!   [a, b] = pair{1}{:};
%!   texts{end+1} = wrong_end (func2str (f{1}), gpuArray (a) ./ b, a ./ b, 2);
%! endfor
%! fail_with (texts);

## Functions of two numbers: zeros of both signs, subnormal numbers, realmax, Inf and NaN; and
## numbers whose squares overflow or vanish
%!test
%! texts = {};
%! for row = __gpuarray__ ("functions").of_two
%!   f = str2func (row{1}{1});
%!   for type = {"double", "single"}
%!     x = ends (type{1});
%!     roots = sqrt ([realmax(type{1}), realmin(type{1}), eps(type{1}) * realmin(type{1})]);
%!     x = [x, realmax(type{1}) / 2, roots * 0.75, roots * 1.5, -roots, 1 + eps(type{1}), ...
%!          realmin(type{1}) * [1, -0.5] * (1 + 5 * eps (type{1}))];
%!     texts{end+1} = wrong_end (row{1}{1}, f (gpuArray (x.'), gpuArray (x)), f (x.', x), ...
%!                               row{1}{2});
%!   endfor
%! endfor
%! fail_with (texts);
%! for type = {"double", "single"}
%!   G = @(x) gpuArray (feval (type{1}, x));
%!   ## of a Pythagorean triple nothing is lost, however small or large
%!   least = {2^-1070, 2^-145}{1 + strcmp(type{1}, "single")};
%!   scale = [least, sqrt(least), 1, realmax(type{1}) * [1e-30, 0.125]];
%!   given = gather (hypot (G (3 * scale), G (4 * scale)));
%!   assert (given, feval (type{1}, 5 * scale), -eps (type{1}));
%!   assert (gather (hypot (G (realmax (type{1}) * [1, 1]), G ([1, realmax(type{1})]))), ...
%!           feval (type{1}, [realmax(type{1}), Inf]));
%!   assert (gather (hypot (G ([Inf, NaN, -Inf, NaN]), G ([NaN, Inf, NaN, 1]))), ...
%!           feval (type{1}, [Inf, Inf, Inf, NaN]));
%!   given = gather (atan2 (G ([0, -0, 0, -0, 0, -0]), G ([1, 1, -1, -1, -0, -0])));
%!   assert (given, feval (type{1}, [0, -0, pi, -pi, pi, -pi]));
%!   assert (1 ./ given(1:2), feval (type{1}, [Inf, -Inf]));
%! endfor

## Powers, with an error that grows with the logarithm of the result; where it is above a thousand,
## nothing is left of the angle. (Octave's .^ is less exact if it repeats an operand, so all have
## one size.)
%!test
%! texts = {};
%! for type = {"double", "single"}
%!   [x, z] = ends (type{1});
%!   n = numel (x);
%!   for pair = {{repmat(z, 1, n^2), repmat(z.', n^2, 1)}, {repmat(z, 1, n), repmat(x, n^2, 1)}, ...
%!               {repmat(x.', 1, n^2), repmat(z.', n, 1)}, {repmat(x.', 1, n), repmat(x, n, 1)}}
%!     [a, b] = pair{1}{:};
%!     wanted = a .^ b;
%!     grows = abs (b) .* abs (log (a));
%!     texts{end+1} = wrong_end ("power", gpuArray (a) .^ gpuArray (b), wanted, ...
%!                               16 * (1 + grows), abs (wanted), ! (grows > 1000));
%!   endfor
%! endfor
%! fail_with (texts);

## Folds and scans of two numbers: of more a device combines parts that the host does not have. A
## device sums and multiplies singles in double, and so does the host here.
%!test
%! texts = {};
%! in_double = @double;
%! if (__gpuarray__ ("device", gpuArray (1)) == -1)
%!   in_double = @(x) x;
%! endif
%! for type = {"double", "single"}
%!   [x, z] = ends (type{1});
%!   z = z.';
%!   n = numel (z);
%!   for X = {[repmat(z, 1, n); repelem(z, n)], [repmat(x, 1, numel (x)); repelem(x, numel (x))]}
%!     for f = {@sum, @prod, @cumsum, @cumprod, @sumsq}
%!       wanted = feval (type{1}, f{1} (in_double (X{1})));
%!       if (iscomplex (X{1}) && ! isequal (f{1}, @sumsq))
%!         wanted = complex (wanted);
%!       endif
%!       texts{end+1} = wrong_end (func2str (f{1}), f{1} (gpuArray (X{1})), wanted, 2);
%!     endfor
%!     for f = {@(x) max(x), @(x) min(x), @any, @all}
%!       texts{end+1} = wrong_end (func2str (f{1}), f{1} (gpuArray (X{1})), f{1} (X{1}), 2);
%!     endfor
%!     ## The BLAS decides which part of a sum is Inf and which is NaN, and which zero is -0, and
%!     ## rounds products of which only a small part is left.
%!     larger = dot (abs (X{1}), abs (flipud (X{1})));
%!     wanted = dot (X{1}, flipud (X{1}));
%!     given = gather (dot (gpuArray (X{1}), gpuArray (flipud (X{1}))));
%!     assert (isfinite (given), isfinite (wanted));
%!     given(! isfinite (given)) = wanted(! isfinite (given));
%!     texts{end+1} = wrong_end ("dot", given, wanted, 4, larger);
%!   endfor
%! endfor
%! ## an extreme, with its place, where NaN + Inf i comes before and after numbers, also of all
%! for X = {[1; complex(NaN, Inf); 5], [complex(NaN, Inf); 1; 5], ...
%!          complex([NaN, Inf; 3, NaN], [Inf, NaN; 1, 0]), single([2; complex(-Inf, NaN)])}
%!   for dim = 1:2
%!     [wanted, at] = max (X{1}, [], dim);
%!     [given, place] = max (gpuArray (X{1}), [], dim);
%!     texts{end+1} = wrong_end ("max", given, wanted, 0);
%!     assert (gather (place), at);
%!   endfor
%! endfor
%! fail_with (texts);

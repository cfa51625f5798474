## gpuarray.tst - full arrays that stay on a device, beside Octave's own: each call of the tables
## with each operand gives the same value, class, size and complexness, or the same error.
##
## The device is the GPU, if there is one, else host memory. Sparse matrices and matrices in blocks:
## gpuarray_formats.tst; parts and shapes: gpuarray_parts.tst; the ends of the range:
## gpuarray_range.tst; random programs: gpuarray_programs.tst.
## SPDX-License-Identifier: BSD-3-Clause

## numbers with NaN and Inf among them
%!function list = specials ()
%!  list = {[NaN, 1, 2], [3; NaN; -1], [NaN, NaN], [Inf, 1, -Inf], [-Inf, 2], ...
%!          [NaN, Inf; 1, -Inf], single([NaN, 2; -1, Inf]), [0, -0], realmax(), ...
%!          [realmax, -realmax], [realmin, -realmin] / 4, single([1e38, 3e38]), ...
%!          complex([1, 2], [NaN, 0]), NaN};
%!endfunction
## numbers of each type and shape
%!function list = samples (of_types = numbers (), of_shapes = numbers ("shapes"))
%!  list = {};
%!  for type = of_types
%!    for dims = of_shapes
%!      list{end+1} = numbers (type{1}, dims{1});
%!    endfor
%!  endfor
%!endfunction
## pairs of numbers of each two types, in sizes that are listed in pairs, the second with BESIDE
## added; of two integer types, which is an error, in the first sizes
%!function list = pairs (sizes, beside = 0)
%!  list = {};
%!  for a = numbers ()
%!    for b = numbers ()
%!      is_error = ! isempty (strfind (a{1}, "int")) && ! isempty (strfind (b{1}, "int")) ...
%!                 && ! strcmp (a{1}, b{1});
%!      for s = sizes(1:end * ! is_error + is_error)
%!        list{end+1} = {numbers(a{1}, s{1}{1}), numbers(b{1}, s{1}{2})};
%!        if (beside != 0) # true + 1 is 2
%!          list{end}{2} += beside;
%!        endif
%!      endfor
%!    endfor
%!  endfor
%!endfunction
## the largest error: N eps of single precision, and BESIDE
%!function tol = few (n, beside = 0)
%!  tol = @(wanted) n * eps ("single") * abs (double (wanted)) + beside;
%!endfunction
## UNITS in the last place of W; of integers none
%!function tol = places (w, units)
%!  tol = 0;
%!  if (isfloat (w))
%!    tol = units * eps (class (w)) * abs (w) + realmin (class (w));
%!  endif
%!endfunction
%!function [complex_ones, others] = parted (list)
%!  is_complex = cellfun (@(operands) any (cellfun (@iscomplex, operands)), list);
%!  complex_ones = list(is_complex);
%!  others = list(! is_complex);
%!endfunction

## compare tells every kind of difference
%!function x = one_of (is_there, host, there)
%!  x = {host, there}{1 + is_there};
%!  if (ischar (x))
%!    error (x, "no value");
%!  endif
%!endfunction
%!test
%! S = sparse ([1, 0, 2]);
%! B = blocksparse (eye (4), 2);
%! for pair = {1, 2; 1, single(1); [1, 2], [1; 2]; S, full(S); 1, 1i; {1}, {2}; ...
%!             "a:b", "a:c"; 1, "a:b"; "a:b", 1; 1, "gpumm:gpuArray:gather"; ...
%!             B, blocksparse(eye (4), 1); B, full(B); B, single(B)}.'
%!   assert (! isempty (compare (@(x) one_of (isgpuarray (x), pair{:}), {1})), disp (pair));
%!   assert (compare (@(x) one_of (isgpuarray (x), pair{1}, pair{1}), {1}), "");
%! endfor

## ---- to the device and back ---------------------------------------------------------------------

%!test
%! seen = @(x) {size(x), numel(x), ndims(x), rows(x), columns(x), isempty(x), isreal(x), ...
%!              isnumeric(x), isfloat(x), islogical(x), isinteger(x), isscalar(x), isvector(x), ...
%!              ismatrix(x), issquare(x), underlyingType(x), isa(x, "numeric"), isa(x, "float"), ...
%!              isa(x, "integer"), isa(x, "uint16"), whos("x").bytes};
%! texts = {};
%! for X = [samples([numbers(), {"int64", "uint64"}]), specials()]
%!   X = X{1};
%!   G = gpuArray (X);
%!   texts(end+1:end+2) = {difference(G, X), difference(gpuArray (G), X)};
%!   assert (seen (G), seen (X));
%!   assert (isempty (X) || iscomplex (G) == iscomplex (X));
%!   assert (isUnderlyingType (G, class (X)) && isgpuarray (G) && ! isgpuarray (X));
%!   assert (existsOnGPU (G), gpumm_available ("gpu"));
%!   assert (isa (G, "gpuArray") && isa (G, class (X)));
%!   assert ({class(G), whos("G").class}, {"gpuArray", "gpuArray"});
%! endfor
%! fail_with (texts);
%! ## other values that are arrays
%! assert (gather (gpuArray (1:4)), 1:4);
%! assert (gather (gpuArray (eye (2))), full (eye (2)));
%! assert (gather (gpuArray ([])), []);
%! assert (size (gpuArray ([])), [0, 0]);
%!error id=gpumm:invalid gpuArray ({1})
%!error id=gpumm:invalid gpuArray (struct ())
%!error id=gpumm:invalid gpuArray (@sin)

## made on the device
%!test
%! lists = {{}, {3}, {2, 3}, {[2, 3]}, {2, 3, 2}, {[2, 3, 2]}, {-1, 2}, {0}, {2, 3, 1}, ...
%!          {"single"}, {2, "single"}, {2, 3, "int8"}, {[2, 3], "uint16"}, {2, "int64"}, ...
%!          {int8(2), 3}, {1.5}, {{}}, {"foo"}, {2, "foo"}, {2, ""}, {1i}, {NaN}, ...
%!          {2, "double"}, {2, "int64"}, ...
%!          {[2; 3]}, {zeros(1, 0)}};
%! for name = {"zeros", "ones", "eye", "Inf", "NaN", "inf", "nan", "NA", "true", "false"}
%!   check_table ({@(varargin) gpuArray.(name{1})(varargin{:})}, lists, 0, "there", false, ...
%!                "oracle", @(varargin) feval (name{1}, varargin{:}), "ids", false);
%!   assert (class (gpuArray.(name{1})(2, 3)), "gpuArray");
%! endfor
%! assert (gather (gpuArray.zeros (gpuArray (2), gpuArray (3))), zeros (2, 3));

## ---- operators ----------------------------------------------------------------------------------

## each with each type and shape
%!test
%! ops = {@plus, @minus, @times, @rdivide, @ldivide, @eq, @ne, @lt, @le, @gt, @ge, @and, @or};
%! [complex_ones, others] = parted (pairs ({{[1, 1], [1, 1]}, {[3, 4], [1, 1]}, ...
%!                                          {[1, 1], [3, 4]}, {[3, 4], [3, 4]}, ...
%!                                          {[3, 4], [1, 4]}, {[3, 1], [1, 4]}, ...
%!                                          {[1, 1, 3], [2, 2]}}, 1));
%! check_table (ops, others);
%! check_table (ops, complex_ones, few (8));

## functions of two numbers, each with each type and shape, one of them in host memory, and of more
%!test
%! for row = __gpuarray__ ("functions").of_two
%!   [name, units, takes_more] = row{1}{:};
%!   f = str2func (name);
%!   tol = @(w) places (w, units);
%!   list = pairs ({{[1, 1], [1, 1]}, {[3, 4], [1, 1]}, {[3, 4], [3, 4]}, {[3, 1], [1, 4]}, ...
%!                  {[1, 1, 3], [2, 2]}, {[2, 3], [2, 4]}, {[0, 3], [1, 3]}}, 1);
%!   there = logical ([1, 1; 1, 0; 0, 1]);
%!   check_table ({f}, list, tol, "there", there);
%!   others = {"a", {1}, @sin, eye(3), 1:3, int64(1:3), true, [], struct(), complex([1, 2, 3])};
%!   check_table ({f}, cellfun (@(x) {{single(1:3), x}}, others), tol, "there", there, ...
%!                "refuses", @(operands) isinteger (operands{2}), "ids", false);
%!   refuses = @(operands) any (cellfun (@issparse, operands));
%!   check_table ({f}, {{sparse(1:3), 2}, {2, sparse(1:3)}, {1:3, sparse(1:3)}}, tol, ...
%!                "there", there, "refuses", refuses);
%!   three = {{1:3, (1:2)', single(2)}, {1, 2, [3, Inf, NaN]}, {1:3, [], 1}, {1:2, int8(3:4), 3i}};
%!   check_table ({f}, three, tol, "there", logical ([1, 1, 1; 0, 0, 1; 1, 0, 0]), ...
%!                "ids", takes_more);
%!   G = gpuArray (1:3); # in one pass
%!   assert (difference (f (G + 1, 2 * G) .* G, f (2:4, 2:2:6) .* (1:3), 8 * eps), "");
%! endfor

## shapes, empty ones too, and those that do not fit; Octave multiplies N-d arrays as matrices
%!function C = matrix_product (A, B)
%!  if ((ndims (A) > 2 || ndims (B) > 2) && numel (A) != 1 && numel (B) != 1)
%!    error ("Octave:nonconformant-args", "nonconformant");
%!  endif
%!  C = A * B;
%!endfunction
%!test
%! list = {};
%! for a = samples ({"double"})
%!   for b = samples ({"double"})
%!     list{end+1} = [a, b];
%!   endfor
%! endfor
%! check_table ({@plus, @times, @eq, @and, @matrix_product, @(a, b) max(a, b), @(a, b) [a, b], ...
%!               @(a, b) [a; b], @(a, b) cat(3, a, b)}, list);

## mixed classes are compared in single, and limits are rounded to integers first; sizes end with no
## 1
%!test
%! s = single ([0.1, 1e-50, 3]);
%! d = [0.1, 1e-50, 3];
%! check_table ({@eq, @lt, @ge, @ne, @max, @min, @plus, @times}, ...
%!              {{s, d}, {d, s}, {s(1), d}, {s, d(1)}, {d(1), s}, {s(1), d(1)}, ...
%!               {complex(s, 1), complex(d, 1)}, {int8([1, 2, 3]), [2.6, NaN, -1.5]}, ...
%!               {[2.6, NaN, -1.5], int8([1, 2, 3])}, {uint8(5), [300, -1]}, ...
%!               {int8([1, 2, 3]), single(2.5)}, {true, s}, {[true, false, true], d}});
%! check_table ({@(x) sum(x, 3)', @(x) size(max (x, [], 3)), @(x) any(x, 3)', ...
%!               @(x) diag(mean (x, 3)), @(x) sum(x, 3)(:,1), @(x) [sum(x, 3), sum(x, 3)], ...
%!               @(x) sum(x, 3) * sum(x, 3), @(x) sum(sum (x, 3), 2), @(x) cumsum(sum (x, 3)), ...
%!               @(x) sum(permute (x, [3, 1, 2]), 3), @(x) size(x(:,:,2)), @(x) size(x(1,1,1)), ...
%!               @(x) dot(x, x, 3)'}, {reshape(1:8, 2, 2, 2)});
%! for b = {Inf, -Inf, NaN, 1e10, 2^31, 2^31 - 1, -3, 3, 0.5, [Inf, 1, 0.5]}
%!   check_table ({@power}, {{[-2, 0, 2], b{1}}, {single([-2, 0, 2]), b{1}}}, few (64));
%! endfor

## one operand in host memory: of every kind
%!test
%! list = cellfun (@(x) {magic(3), x}, ...
%!                 {2, single(2), int8(2), true, 1i, "a", 1:3, eye(3), [], ones(3), 2:2, "abc", ...
%!                  uint8(ones (3)), complex(1, 0), single(ones (3)), -0, NaN}, ...
%!                 "UniformOutput", false);
%! check_table ({@plus, @minus, @times, @lt, @eq, @(x, y) y - x, @(x, y) y .* x}, list, 0, ...
%!              "there", [true, false]);
%! G = gpuArray (magic (3));
%! for x = {{1}, struct("a", 1), @sin, containers.Map()}
%!   for f = {@(x) G + x, @(x) x .* G, @(x) G * x, @(x) [G, x]}
%!     if (! (iscell (x{1}) && strcmp (func2str (f{1}), "@(x) [G, x]"))) # this is a cell
%!       [~, said] = error_of (f{1}, x{1});
%!       assert (! isempty (said), "%s of %s: no error", func2str (f{1}), class (x{1}));
%!     endif
%!   endfor
%! endfor

## powers, of integers refused
%!test
%! is_integer = @(operands) any (cellfun (@isinteger, operands));
%! list = {};
%! for a = {"double", "single", "complex", "single complex", "logical", "int8", "uint16"}
%!   for b = {2, 3, -1, 0.5, 0, 1, single(2), int8(2), [1, 2, 0.5], 1i, NaN, -2.5}
%!     X = numbers (a{1}, [1, 3]);
%!     list(end+1:end+2) = {{X, b{1}}, {b{1}, X}};
%!   endfor
%! endfor
%! check_table ({@power}, list, few (64, 1e-30), "refuses", is_integer);
%!error id=gpumm:gpuArray:gather gpuArray (int8 ([1, 2])) .^ gpuArray (int8 ([1, 2]))
%!error id=gpumm:gpuArray:gather gpuArray (int64 ([1, 2])) + 1
%!error id=gpumm:gpuArray:gather -gpuArray (uint64 ([1, 2]))

## one operand, and functions entry by entry
%!test
%! [fs, units, keeps_zero] = elementwise ();
%! exact = [fs(units == 0), ...
%!          {@uminus, @uplus, @not, @double, @single, @int8, @uint8, @int16, @uint16, @int32, ...
%!           @uint32, @logical, @isreal, @isempty, @(x) x(:), @squeeze, @(x) x.', @(x) x', ...
%!           @(x) (x')', @(x) -x', @(x) x(:)', @int64, @uint64}];
%! values = samples ();
%! values = [specials(), values, cellfun(@(x) x / 2, values, "UniformOutput", false)];
%! is_complex = cellfun (@iscomplex, values);
%! check_table (exact, values(! is_complex));
%! check_table (exact, values(is_complex), few (4));
%! for most = unique (units(units > 0))
%!   check_table (fs(units == most), values, ...
%!                @(w) most * eps (class (w)) * abs (w) + realmin ("single"));
%! endfor
%! assert (cellfun (@(f) f (0) == 0, fs), keeps_zero);

## chains that are computed at once
%!test
%! real_ones = {@(a, b, c, d) a + 2 * b .* c, @(a, b, c, d) (a + b) .* (c - d), ...
%!              @(a, b, c, d) a .* b - a .* c + b .* d, ...
%!              @(a, b, c, d) ((a + 1) .* 2 - b) .* ((c - 1) .* (d + 2)), ...
%!              @(a, b, c, d) (a' + 1)' .* b, ...
%!              @(a, b, c, d) sum(a .* b + c, 1), @(a, b, c, d) any(a + b > c & ! (d < 2)), ...
%!              @(a, b, c, d) a + b + c + d + a + b + c + d + a + b + c + d ...
%!                            + a + b + c + d + a + b + c + d, ...
%!              @(a, b, c, d) (((a - b) .* (a + b)) - ((c - d) .* (c + d))) ...
%!                            + (((b - c) .* (b + c)) - ((d - a) .* (d + a))), ...
%!              @(a, b, c, d) abs(a) + abs(b), @(a, b, c, d) (a > b) + c, ...
%!              @(a, b, c, d) -(a - b) .* -(c - d), ...
%!              @(a, b, c, d) max(a + 1, b .* 2) - min(c, d), @(a, b, c, d) [a + b; c - c], ...
%!              @(a, b, c, d) (a + b)(:, 2:3), @(a, b, c, d) (a - b).' * (b + a), ...
%!              @(a, b, c, d) single(a + b) .* 2, @(a, b, c, d) real(a .* b) + imag(c), ...
%!              @(a, b, c, d) conj(a') .* b', @(a, b, c, d) a(:)' * b(:)};
%! for type = {"double", "single", "complex", "single complex", "int8", "logical"}
%!   a = numbers (type{1}, [3, 4]);
%!   operands = {{a, a(:, [2, 1, 4, 3]), a(1,:), a(:,2)}};
%!   check_table (real_ones, operands, 500 * eps ("single") * iscomplex (a));
%!   check_table ({@(a, b, c, d) (a + 1i) .* conj(b)}, operands, 500 * eps ("single"));
%! endfor

## ---- functions ----------------------------------------------------------------------------------

## of each type and shape, along each dimension
%!test
%! plain = {@sum, @prod, @sumsq, @mean, @cumsum, @cumprod, @any, @all};
%! texts = {};
%! tol = @(w) 16 * eps ("single") * isfloat (w) * abs (double (w));
%! for X = [specials(), samples()]
%!   x = X{1};
%!   has_nan = any (isnan (x(:)));
%!   for f = plain
%!     is_mean = strcmp (func2str (f{1}), "mean");
%!     if (has_nan && strcmp (func2str (f{1}), "all"))
%!       continue; # Octave's all takes NaN for true along columns, for false along others
%!     elseif (is_mean && isa (x, "single") && isinf (sum (x(:))) && all (isfinite (x(:))))
%!       continue; # in Octave 9 a mean does not overflow
%!     elseif (is_mean && iscomplex (x) && has_nan)
%!       continue; # which is 0 in Octave 11
%!     endif
%!     texts{end+1} = compare (f{1}, X, tol);
%!     for dim = 1:4
%!       if (! (is_mean && islogical (x) && dim > ndims (x))) # in Octave 9 it stays logical there
%!         texts{end+1} = compare (@(x) f{1}(x, dim), X, tol);
%!       endif
%!     endfor
%!   endfor
%!   for f = {@max, @min}
%!     for n = 1:2
%!       texts{end+1} = compare (f{1}, X, 0, "outputs", n);
%!       for dim = 1:4
%!         texts{end+1} = compare (@(x) f{1}(x, [], dim), X, 0, "outputs", n);
%!       endfor
%!     endfor
%!   endfor
%!   for f = {@cummax, @cummin, @sort, @(varargin) sort(varargin{:}, "descend")}
%!     for n = 1:2
%!       texts{end+1} = compare (f{1}, X, 0, "outputs", n);
%!       for dim = 1:4
%!         texts{end+1} = compare (@(x) f{1}(x, dim), X, 0, "outputs", n);
%!       endfor
%!     endfor
%!   endfor
%!   texts{end+1} = compare (@median, X, tol);
%!   for dim = 1:4
%!     if (! (iscomplex (x) && has_nan && size (x, dim) == 1)) # since Octave 9 one number is its median
%!       texts{end+1} = compare (@(x) median(x, dim), X, tol);
%!     endif
%!   endfor
%! endfor
%! fail_with (texts);

## sort: equal elements keep their order, -0 equals 0, NA and NaN stay what they are; complex numbers
## by abs, then by arg, where that of -1 - 0i is pi; 64-bit integers beyond 2^53; many lanes
%!test
%! z = [1, -1, 1i, -1i, complex(-1, -0), complex(-1, 0), 0, complex(-0, -0), NaN, complex(NaN, -1), ...
%!      complex(1, NaN), complex(Inf, 1), 3 + 4i, 5, 4 + 3i, -5];
%! values = {[0, -0, 1, -0, 0, NaN, NA, -1, NaN, NA], single([3, -0, 0, NA, NaN, -Inf, Inf, 3]), z, z.', ...
%!           single(z), [z; fliplr(z)], intmax("int64") - int64([3, 1, 2, 1, 0]), ...
%!           uint64([18446744073709551615, 1, 9007199254740993, 9007199254740992]), ...
%!           uint8([200, 3, 200; 255, 0, 3]), [true, false, true], zeros(3, 0), zeros(0, 3), 5, ...
%!           mod((1:3000) .* (1:3000), 7), reshape(mod((1:24000) * 7919, 997), 8, 3000), ...
%!           reshape(mod((1:24000) * 7919, 997), 3000, 8) - 400, complex(mod(1:600, 5), mod(1:600, 3))};
%! for n = 1:2
%!   check_table ({@sort, @(x) sort(x, 1), @(x) sort(x, 2), @(x) sort(x, "descend"), @(x) sort(x, "ASCEND"), ...
%!                 @(x) sort(x, 1, "descend"), @(x) sort(x, 2, "ascend")}, values, 0, "outputs", n);
%! endfor
%! bits = @(x) [num2hex(x(:)), num2str(isna (x(:)))];
%! assert (bits (gather (sort (gpuArray (values{1})))), bits (sort (values{1})));
%! check_table ({@(x) sort(x, 1.5), @(x) sort(x, [1, 2])}, values([1, 3, 9]), 0, "refuses", true);
%! check_table ({@(x) sort(x, 0), @(x) sort(x, -1), @(x) sort(x, 3), @(x) sort(x, "up"), ...
%!               @(x) sort(x, 1, 2), @(x) sort(x, {}), @(x) sort(x, "ascend", 1), ...
%!               @(x) sort(x, 1, "ascend", 2), @(x) cummax(x, 0), @(x) cummin(x, "a"), ...
%!               @(x) median(x, 0), @(x) median(x, 1.5)}, values([1, 3, 9]));
%!error <sort: DIM must be a valid dimension> sort (gpuArray ([2, 1]), 2^40) # Octave 7's own crashes
%!error <sort: DIM must be a valid dimension> sort ([2, 1], gpuArray ([2^40, 1]))

## median: of even and odd lanes, beside Inf and NaN; Octave's mean of two differs by version and shape
%!test
%! x = [4, 1, 3, 2; 8, NaN, 5, 6; Inf, Inf, -Inf, 7; realmax, realmax, 1, 0];
%! values = {x, x.', x(:,1:3), x(1,:), x(3,:), x(4,:), x(1,1:3), x(2,:), single(x), int8([100, 120; 127, -3]), ...
%!           uint8([250, 252, 255, 254]), int64([9007199254740993, 9007199254740995]), [true, false; true, true], ...
%!           x + 2i, 7, [-0, -0; -0, 0], [-3; -8]};
%! check_table ({@median, @(x) median(x, 1), @(x) median(x, 2), @(x) median(x, 3)}, values);

## their options and their errors
%!test
%! warning ("off", "all", "local"); # max ignores an argument
%! list = samples (numbers (), {[3, 4]});
%! check_table ({@(x) sum(x, "native"), @(x) sum(x, 2, "native"), @(x) sum(x, "double"), ...
%!               @(x) prod(x(1:2,:), "double"), @(x) sum(x, 0), @(x) sum(x, -1), ...
%!               @(x) sum(x, "foo"), @(x) sum(x, 1, 2), @(x) prod(x, 0), @(x) cumsum(x, 0), ...
%!               @(x) cumsum(x, 2, "native"), @(x) cumsum(x, "double"), @(x) mean(x, "double"), ...
%!               @(x) mean(x, 2, "native"), @(x) mean(x, "default"), @(x) mean(x, 0), ...
%!               @(x) mean(x, 1.5), @(x) max(x, [], 0), @(x) max(x, [], "a"), @(x) any(x, -1), ...
%!               @(x) any(x, 3), @(x) all(x, 2), @(x) max(x, {}), @(x) max(x, "a"), ...
%!               @(x) sumsq(x, 3), @(x) max(x, ones (2)), @(x) sum(x, gather (gpuArray (2)))}, ...
%!              list, few (16));
%! check_table ({@(x) max(x, [], 1.5), @(x) sum(x, "extra"), @(x) max(x, 1, 2), ...
%!               @(x) cumprod(x, 0), @(x) sum(x, 1.5), @(x) mean(x, "g"), @(x) mean(x, "a")}, list, few (16), "refuses", true);

## max and min of two
%!test
%! check_table ({@max, @min}, pairs ({{[3, 4], [3, 4]}, {[3, 4], [1, 1]}, {[1, 1], [3, 4]}, ...
%!                                    {[3, 1], [1, 4]}}, 2), 0, "there", logical ([1, 1; 1, 0]));
%! for y = {1, NaN, -Inf, Inf}
%!   check_table ({@(x) max(x, y{1}), @(x) min(x, y{1}), @(x) max(y{1}, x), @(x) min(y{1}, x)}, ...
%!                specials ());
%!   list = cellfun (@(x) {x, y{1}}, specials (), "UniformOutput", false);
%!   check_table ({@max, @min, @(x, y) max(y, x), @(x, y) min(y, x)}, list);
%! endfor
%!error [m, i] = max (gpuArray (1), gpuArray (2))

## norm: near the ends of the range, with NaN and Inf, complex; Octave 9 skips some NaN of matrices
%!test
%! texts = {};
%! tol = @(w) 32 * eps (class (w)) * abs (w);
%! values = [specials(), {realmax() * [0.5; 0.5], realmin() * [1, 1] / 1024, [1e200, 1e200], ...
%!                        single([1e30, 1e30]), complex([realmax, 1], [realmax, 1]) / 2, ...
%!                        complex(1e-200, 1e-200), [0, 0], [3, 4], single([1e-30; 1e-30]), ...
%!                        [Inf, NaN], complex([Inf, 1], [NaN, 2]), 1e308 * [1, 1; 1, 0.1] / 10, ...
%!                        zeros(2), [1e-320, 1e-320]}];
%! computed = {1, Inf, "fro", "inf"};
%! for X = [values, samples({"double", "single", "complex", "single complex", "logical", "int8"})]
%!   list = [computed, {-Inf, "foo", {}, [1, 2]}];
%!   if (isvector (X{1}))
%!     texts{end+1} = compare (@norm, X, tol);
%!     list{end+1} = 2;
%!   endif
%!   for p = list
%!     if (any (isnan (X{1}(:))) && ! isvector (X{1}) && ! strcmp (p{1}, "fro"))
%!       if (isnumeric (p{1}) && isscalar (p{1}) && p{1} >= 1)
%!         texts{end+1} = difference (norm (gpuArray (X{1}), p{1}), cast (NaN, class (X{1})));
%!       endif
%!     else
%!       may_refuse = ! any (cellfun (@(c) isequal (c, p{1}), computed));
%!       texts{end+1} = compare (@(x) norm (x, p{1}), X, tol, "refuses", may_refuse);
%!     endif
%!   endfor
%! endfor
%! fail_with (texts);
%!error id=gpumm:gpuArray:gather norm (gpuArray (magic (3)))
%!error id=gpumm:gpuArray:gather norm (gpuArray (magic (3)), 2)
%!error id=gpumm:gpuArray:gather norm (gpuArray ([1, 2, 3]), 3)
%!error id=gpumm:gpuArray:gather norm (gpuArray (magic (3)), "fro", "rows")
%!error id=gpumm:gpuArray:gather norm (gpuArray (magic (3)), -Inf)
%!error id=Octave:invalid-fun-call repmat (gpuArray ([1, 2]))

## dot, trace, repmat, isequal
%!test
%! dots = {@dot, @(x, y) dot(x, y, 1), @(x, y) dot(x, y, 2), @(x, y) dot(x, y, 3)};
%! [complex_ones, others] = parted (pairs ({{[1, 4], [1, 4]}, {[1, 4], [4, 1]}, ...
%!                                          {[4, 1], [4, 1]}, {[3, 3], [3, 3]}, ...
%!                                          {[1, 1], [1, 1]}, {[1, 3], [1, 4]}, ...
%!                                          {[2, 3, 2], [2, 3, 2]}, {[3, 4], [3, 1]}, ...
%!                                          {[0, 0], [0, 0]}, {[0, 3], [0, 3]}, {[3, 3], [9, 1]}}));
%! check_table (dots, others, few (64));
%! check_table (dots, complex_ones, few (64, 1e-4));
%! fs = {@trace};
%! for times = {{2}, {2, 3}, {[2, 3]}, {2, 1, 2}, {[1, 2, 2]}, {0, 2}, {-1, 2}, {1, 1, 1, 2}, ...
%!              {[]}, {2, []}, {1}}
%!   fs{end+1} = @(x) repmat (x, times{1}{:});
%! endfor
%! check_table (fs, samples ());
%!test # fractions, which Octave takes of a number alone, and not all of them
%! fs = {};
%! for times = {{1.5, 1}, {1, 2.5}, {2, 1.5}, {2.5}, {[1.5, 1]}, {[1, 1.5]}, {1, 1, 2.5}, ...
%!              {NaN, 2}, {1.5, -1}, {0.5, 2}}
%!   fs{end+1} = @(x) repmat (x, times{1}{:});
%! endfor
%! check_table (fs, {6, single(6), int8(6), true, 6i, [6, 7]});
%!test
%! A = [1, 2; 3, 4];
%! check_table ({@isequal}, {{A, A}, {A, int8(A)}, {A, sparse(A)}, {97, "a"}, {[], []}, {A, A'}, ...
%!                           {A, A(:)}, {A, {1}}, {A, "text"}, {A, @sin}, {NaN, NaN}, ...
%!                           {zeros(0, 3), zeros(0, 3)}, {zeros(0, 3), zeros(3, 0)}}, 0, ...
%!              "there", logical ([1, 1; 1, 0; 0, 1]));
%! G = gpuArray (A);
%! assert (isequal (G, G, G'') && ! isequal (G, 1, G) && isequal ({G}, {G}));
%! assert (isequal (struct ("a", G), struct ("a", G)));

## triu and tril, with NaN and Inf outside; bsxfun, also of sparse matrices
%!test
%! check_table ({@triu, @tril, @(x) triu(x, 1), @(x) tril(x, -2), @(x) triu(x, -10), ...
%!               @(x) tril(x, int8 (10)), @(x) triu(x, 0.5), @(x) triu(x, NaN), @(x) tril(x, NaN), ...
%!               @(x) triu(x, Inf), @(x) tril(x, -1e300), @(x) tril(x, 1, 2, 3), ...
%!               @(x) triu(x')}, {magic(4), (1:15)(ones (3, 1), :), zeros(0, 3), zeros(2, 0), ...
%!                                single(rand (4, 2)), int8(magic (3)), uint64(magic (3)), ...
%!                                magic(3) > 4, complex(magic (3), 1), [NaN, Inf; -Inf, NaN], 5, ...
%!                                ones(2, 2, 2)});
%! S = sparse ([1, 0, 2; 0, 3, 0; 4, 0, 5]);
%! fs = {};
%! for f = {@plus, @minus, @times, @rdivide, @power, @eq, @ne, @lt, @le, @gt, @ge, @max, @min, ...
%!          "plus", @(a, b) a .* b}
%!   fs{end+1} = @(a, b) bsxfun (f{1}, a, b);
%! endfor
%! check_table (fs, {{S, S(:,1)}, {S, S(1,:)}, {S, [1; 2; 3]}, {[1, 2, 3], S}, {S, 2}, {S, S}, ...
%!                   {S(:,1), S(1,:)}, {magic(3), [1, 2, 3]}, {(1:3)', single(1:4)}, ...
%!                   {int8(magic (3)), 2}, {ones(2, 3), ones(3, 2)}, ...
%!                   {blocksparse(ones (4), [2, 2]), ones(4, 1)}}, 0, "refuses", true);

## var and what calls it have the class of the array, in every Octave
%!test
%! for x = {rand(1, 7), rand(7, 1), rand(5, 4), 3, single(rand (1, 7)), single(rand (5, 4)), ...
%!          single(3)}
%!   for f = {@var, @std, @(x) var (x, 1), @(x) std (x, 0, 1), @(x) var (x, 0, 2)}
%!     v = gather (f{1} (gpuArray (x{1})));
%!     assert (class (v), class (x{1}));
%!     assert (v, f{1} (x{1}), 8 * eps (class (x{1})));
%!   endfor
%! endfor
%! fail ("var (gpuArray (rand (3)), 7)", "W|OPT|normalization");

## numbers of functions that take no arrays of a device
%!test
%! fs = {@(x) gcd(x, 2), @(x) gcd(2, x), @(x) gcd(x, x), @(x) gcd(x), @bitunpack, @base64_encode};
%! check_table (fs, {7, single(2.5), int8(7), uint8(200), int32(-5), int64(9007199254740993), ...
%!                   true});
%! check_table (fs, {{[]}}, 0, "refuses", true);
%!error id=gpumm:gpuArray:gather gcd (gpuArray ([1, 2]), 2)
%!error id=gpumm:gpuArray:gather gcd (5, gpuArray ([1, 2]))

## counted as they are stored
%!test
%! check_table ({@nnz, @(x) nnz(x(:,:)'), @(x) nnz(x(:,end:-1:1).')}, ...
%!              {magic(5) > 9, complex([0, 1, 0], [0, 0, 2]), single([0, NaN, 3]), ...
%!               int64([0, 2^40; -1, 0]), uint8(0:3), zeros(0, 3), rand(70, 90) > 0.5, ...
%!               cat(3, eye (3), ones (3)), 0, 1});
%! assert (nnz (gpuArray (magic (4)) > 5), 11);

## ---- products -----------------------------------------------------------------------------------

## a matrix by its own transpose is exactly symmetric or Hermitian
%!test
%! for x = {rand(9, 70), single(rand (40, 9)), rand(33, 8) + 1i * rand(33, 8), sprand(20, 9, 0.3)}
%!   G = gpuArray (x{1});
%!   for C = {G' * G, G * G', G.' * G, G * G.'}
%!     c = gather (C{1});
%!     assert (isequal (c, c') || isequal (c, c.'));
%!   endfor
%! endfor

%!test
%! fs = {@matrix_product, @(x, y) x' * y, @(x, y) x * y.', @(x, y) (y' * x')'};
%! [complex_ones, others] = parted (pairs ({{[3, 4], [4, 2]}, {[3, 4], [3, 4]}, ...
%!                                          {[1, 4], [4, 1]}, {[4, 1], [1, 4]}, ...
%!                                          {[0, 3], [3, 2]}, {[3, 0], [0, 2]}, ...
%!                                          {[3, 4], [1, 1]}, {[1, 1], [2, 3, 2]}, ...
%!                                          {[2, 3, 2], [3, 2]}}));
%! check_table (fs, others);
%! check_table (fs, complex_ones, 1e-4);

## pages: transposed, repeated, of scalars, without rows or columns
%!test
%! ops = {"none", "transpose", "ctranspose"};
%! fs = {};
%! for i = 1:3
%!   for j = 1:3
%!     fs{end+1} = @(x, y) pagemtimes (x, ops{i}, y, ops{j});
%!   endfor
%! endfor
%! sizes = {[2, 3], [3, 2], [2, 3, 4], [3, 2, 1, 2], [1, 1, 4], [1, 1], [2, 3, 0], [0, 3, 4], ...
%!          [3, 0, 4], [1, 3, 4]};
%! for types = {{"double", "double"}, {"single", "complex"}, {"logical", "single complex"}, ...
%!              {"int8", "int8"}, {"int8", "double"}, {"uint64", "uint64"}}
%!   list = {};
%!   for a = sizes
%!     for b = sizes
%!       list{end+1} = {numbers(types{1}{1}, a{1}), numbers(types{1}{2}, b{1})};
%!     endfor
%!   endfor
%!   check_table (fs, list, 1e-4 * ! isempty (strfind (types{1}{2}, "complex")));
%! endfor

## with gpumm and its options
%!test
%! A = magic (4);
%! B = A(:,1:3);
%! both = logical ([1, 1; 1, 0; 0, 1]);
%! check_table ({@(a, b) gpumm(a, b), @(a, b) gpumm(a, b, "TransposeA", "transpose"), ...
%!               @(a, b) gpumm(b, a, "TransposeA", "ctranspose", "TransposeB", "transpose"), ...
%!               @(a, b) gpumm(a, b, "Algorithm", "register"), @(a, b) gpumm(a, a(1:3,:)), ...
%!               @(a, b) 2 * gpumm(a, b) - b}, {{A, B}}, 0, "there", both);
%! [C, info] = gpumm (gpuArray (A), gpuArray (B));
%! assert ([info.bytes.up, info.bytes.down], [0, 0]);
%! assert ({class(C), class(gpumm (gpuArray (A), B))}, {"gpuArray", "gpuArray"});
%! assert (gpumm (A, B, "Alpha", gpuArray (2)), 2 * A * B); # a factor that is a gpuArray
## products of integers, which the CPU computes; the result goes where the operand is
%!test
%! A = int8 ([100, 27; -3, 5; 7, 0]);
%! B = int8 ([2, -1, 3; 4, 5, -128]);
%! U = uint64 ([2, 3; 5, 7]) * 2 ^ 40;
%! cases = {{A, B}, {A, B, "OutputClass", "int32"}, ...
%!          {B, A, "TransposeA", "transpose", "TransposeB", "transpose"}, {U, U}, {A, 2}, ...
%!          {int8(3), A}, {A, true}, {uint64(3), U}};
%! check_table ({@(varargin) gpumm(varargin{:})}, cases, 0, "there", ...
%!              logical ([1, 1; 1, 0; 0, 1]));
%! for c = cases
%!   c{1}{1} = gpuArray (c{1}{1});
%!   [E, info] = gpumm (c{1}{:});
%!   assert (class (E), "gpuArray");
%!   assert (info.flops > 0);
%! endfor
%!error id=Octave:nonconformant-args gpumm (gpuArray (int8 ([1, 2])), int8 ([1, 2]))
%!error id=gpumm:undefined-operator gpumm (gpuArray (int8 (magic (3))), int16 (magic (3)))
%!error id=gpumm:undefined-operator gpumm (gpuArray (int8 (magic (3))), magic (3))
%!assert (gather (gpumm (ones (2), gpuArray (ones (2, 2, 2)))), 2 * ones (2, 4))
## N-d arrays beside matrices, as for `*`
%!function x = multiplied (x, y), x *= y; endfunction
%!test
%! X = reshape (1:12, 3, 2, 2);
%! nd = {X, reshape(1:3, 1, 1, 3), zeros(3, 0, 2), reshape(1:4, 1, 2, 2), single(X), X > 3, ...
%!       1i * X, int8(X)};
%! for a = [nd, {magic(3), magic(4), (1:4)', 1:3, sparse(magic (3)), sparse(magic (4)), eye(3), ...
%!               2, ones(2)}]
%!   for b = nd
%!     for y = {{a{1}, b{1}}, {b{1}, a{1}}}
%!       x = y{1}{1};
%!       check_table ({@(a, b) a * b}, y);
%!       check_table ({@(b) x * b}, y{1}(2));
%!       if (! issparse (x))
%!         check_table ({@multiplied}, y, 0, "refuses", issparse (y{1}{2}));
%!       endif
%!     endfor
%!   endfor
%! endfor
%!error id=gpumm:nd-array gpumm (2, gpuArray (ones (2, 2, 2)), "TransposeB", "transpose")

## the CPU divides by a matrix of the host
%!test
%! warning ("off", "Octave:singular-matrix", "local");
%! warning ("off", "Octave:nearly-singular-matrix", "local");
%! for M = {magic(3), single(magic (3) + 2i), sparse(magic (3)), eye(3), ...
%!          2 * eye(3)(:,[2, 1, 3]), ones(4, 3), true(3)}
%!   check_table ({@(x) M{1} \ x, @(x) x / M{1}, @(x) M{1}(1) \ x, @(x) x / ones (2, 2, 2)}, ...
%!                samples (numbers (), {[3, 3]}), 1e-5);
%! endfor
%! assert (class (magic (3) \ gpuArray ([1; 2; 3])), "gpuArray");
%! assert (issparse (speye (3) \ gpuArray (speye (3))));
%!error id=gpumm:gpuArray:gather gpuArray (magic (3)) \ [1; 2; 3]
%!error id=gpumm:gpuArray:gather gpuArray (magic (3)) / gpuArray (magic (3))

## sparse matrices and matrices in blocks are full where they meet parts of a full array
%!test
%! F = [8, 1, 6; 3, 5, 7; 4, 9, 2];
%! for form = {@sparse, @(x) blocksparse(x, 1), @(x) gpuArray(sparse (x)), ...
%!             @(x) gpuArray(blocksparse (x, 1))}
%!   G = gpuArray (F);
%!   G(1,:) = form{1} ([0, 2, 3]);
%!   G(3,3) = form{1} (5);
%!   assert (typeinfo (G), "gpuArray");
%!   assert (gather (G), [0, 2, 3; 3, 5, 7; 4, 9, 5]);
%!   G = gpuArray (F);
%!   G(:,:) = form{1} (eye (3));
%!   assert (gather (G), eye (3));
%! endfor

%!function x = second_is (x, y)
%!  x(2) = y;
%!endfunction
## complex numbers beside integers of 64 bits, and those with imaginary parts of zero
%!test
%! for name = {"int64", "uint64", "int32", "int8"}
%!   pairs = {{cast([1, 2], name{1}), 1i}, {[1, 2i], cast(3, name{1})}};
%!   check_table ({@second_is}, pairs, 0, "there", [true, false]);
%! endfor
%! z = complex ([1, 2, -2], 0);
%! G = gpuArray (z);
%! assert (iscomplex (G));
%! assert (iscomplex (gather (G)) && isreal (gather (G(1:2))) && isreal (gather (1 * G)));
%! assert (gather (min (gpuArray ([0, -Inf, 0]), G)), min ([0, -Inf, 0], z));
%! assert (gather (G >= -1.5), z >= -1.5);
%! G(2) = 2;
%! assert (isreal (gather (G)));

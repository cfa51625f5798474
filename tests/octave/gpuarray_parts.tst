## gpuarray_parts.tst - parts and shapes of full arrays that stay on a device: read, assigned,
## removed and put together, beside Octave's own.
## SPDX-License-Identifier: BSD-3-Clause

## read
%!test
%! warning ("off", "all", "local"); # x () of a host matrix
%! gets = {@(x) x(1), @(x) x(end), @(x) x(:), @(x) x(2:end), @(x) x([3, 1, 1]), @(x) x([3; 1]), ...
%!         @(x) x([1, 2; 2, 1]), @(x) x(:,:), @(x) x(1,:), @(x) x(:,1), @(x) x(end,end), ...
%!         @(x) x(2:3,:), @(x) x(:,[2, 2, 1]), @(x) x(end:-1:1,1), @(x) x([]), @(x) x([],1), ...
%!         @(x) x(:,[]), @(x) x(zeros (0, 3)), @(x) x(x > 0), @(x) x(! (x > 0)), @(x) x(true), ...
%!         @(x) x(false), @(x) x([true, false, true]), @(x) x(:,:,1), @(x) x(1,1,1,1), ...
%!         @(x) x(:,:,end), @(x) x(1,:,2), @(x) x(:,end,:), @(x) x(ones (2, 2, 2)), @(x) x(), ...
%!         @(x) x(0), @(x) x(1.5), @(x) x(-1), @(x) x(100), @(x) x(9,9), @(x) x(1,1,9), ...
%!         @(x) x(1,0), @(x) x("a"), @(x) x({1}), @(x) x{1}, @(x) x.a, @(x) x(NaN), ...
%!         @(x) x(int8 (2)), @(x) x(single (2),:), @(x) x(1:2)(1), @(x) x'(1,:), @(x) x'(:,2), ...
%!         @(x) x.'(:), @(x) x.'([1, 3]), @(x) x(3:-1:1), @(x) x(:)', @(x) x(:,1)', ...
%!         @(x) x(2,:)', @(x) x(1:2,1:2)', @(x) x(2,1), @(x) x(:)(3)};
%! for type = [numbers(), {"int64"}]
%!   list = cellfun (@(dims) numbers (type{1}, dims), numbers ("shapes"), "UniformOutput", false);
%!   check_table (gets, list, 0, "refuses", strcmp (type{1}, "int64"));
%! endfor

## fewer indices than dimensions, and ones behind the last
%!test
%! H = reshape (1:120, 2, 3, 4, 5);
%! G = gpuArray (H);
%! for i = 1:50
%!   assert (gather (G(i)), H(i));
%!   assert (gather (G(:,i)), H(:,i));
%!   G(i) = -i;
%!   H(i) = -i;
%!   G(:,:,3) = i;
%!   H(:,:,3) = i;
%! endfor
%! assert (gather (G), H);
%! G(5) = [];
%! H(5) = [];
%! assert (gather (G), H);
%! x = gpuArray (5);
%! x(1,1,1,1,1,1) = 2;
%! assert (gather (x(1,1,1,1,1,:)), 2);
%!error <numeric or logical array, not of class char> gpuArray ("memory")
%!error <out of memory> gpuArray.zeros (2^31, 2^31)

## masks and numbers, on the device or not, of arrays on the device or not
%!function x = with_value (x, place, value), x(place) = value; endfunction
%!test
%! both = logical ([1, 1; 1, 0; 0, 1]);
%! H = magic (4);
%! check_table ({@(x, i) x(i), @(x, i) x'(i)}, {{H, H > 8}, {H, 2}, {H, [1, 2]}}, 0, "there", both);
%! check_table ({@(x, i) x(i,:)}, {{H, [1, 3]}}, 0, "there", both(1:2,:));
%! check_table ({@with_value}, {{H, H > 8, 0}, {H, 3, -1}}, 0, "there", ...
%!              logical ([1, 1, 1; 1, 1, 0]));

## transposed, copied and joined, in sizes about 32
%!test
%! fs = {@(x) x' + 1, @(x) x'(:), @(x) x.' .* (1:rows (x)), @(x) x' - ones (columns (x), rows (x)), @(x) int8(x'), ...
%!       @(x) (x' > 3)(:), @(x) [x, x], @(x) [x; x], @(x) [x', x'], @(x) cat(3, x, x), @(x) [x(:,2:end), x], ...
%!       @(x) permute(cat (3, x, 2 * x), [3, 1, 2]), @(x) permute(cat (3, x, 2 * x), [2, 1, 3])};
%! list = {};
%! for sizes = {[31, 33], [32, 64], [65, 100], [96, 7], [2, 70], [1, 40], [40, 1], [33, 32]}
%!   x = mod (reshape (1:prod (sizes{1}), sizes{1}) * 7, 101);
%!   list = [list, {x, single(x), uint8(x), x > 50, complex(x, 1), int16(x)}];
%! endfor
%! check_table (fs, list);

## what an index selects that lies on the device; find
%!function y = removed (x, f), x(f (x)) = []; y = x; endfunction
%!function y = changed (x, f, value), x(f (x)) = value; y = x; endfunction
%!function y = doubled (x), m = x > 0; x(m) = x(m) * 2; y = x; endfunction
%!function y = found (x, varargin), [i, j] = find (x, varargin{:}); y = {i, j}; endfunction
%!function v = values_of (x, varargin), [~, ~, v] = find (x, varargin{:}); endfunction
%!function y = rows_of (x, varargin), [i, j] = find (x > 1, varargin{:}); y = [i, j]; endfunction
%!function y = like (x, numbers), y = x; y(:) = numbers; endfunction
%!test
%! masks = {@(x) x > 1, @(x) x == x, @(x) x > 1e9, @(x) ! (x > 0), @(x) [x(:); x(:)] > 1, @(x) [x(:); -abs(x(:))] > 1};
%! numbered = {@(x) find(x > 1), @(x) find(x(:))', @(x) like(x, 1:numel (x)), @(x) like(x, 1:numel (x)) + 0.5, ...
%!             @(x) like(x, 1:numel (x)) + 1, @(x) like(x, 0:numel (x) - 1), @(x) like(x, numel (x):-1:1)', ...
%!             @(x) like(x, 1), @(x) like(x, NaN), @(x) [like(x, 1); like(x, numel (x))]};
%! fs = {@(x) find(x), @(x) find(x, 2), @(x) find(x, 2, "last"), @(x) find(x, 100, "first"), @(x) find(x > 1e9, 2), ...
%!       @(x) find(x, 0), @(x) find(x, -1), @(x) find(x, 1.5), @(x) find(x, 2, "middle"), @(x) find(x, Inf), @(x) nonzeros(x), ...
%!       @found, @(x) found(x, 3), @(x) found(x, 1, "last"), @values_of, @(x) values_of(x, 2, "last"), @rows_of, @(x) rows_of(x, 2), @doubled};
%! for f = [masks, numbered]
%!   fs = [fs, {@(x) x(f{1} (x)), @(x) x'(f{1} (x)), @(x) removed(x, f{1})}];
%!   for value = {7, 1i, NaN, int8(3), single(2), [1, 2], zeros(0, 1), true}
%!     fs{end+1} = @(x) changed(x, f{1}, value{1});
%!   endfor
%! endfor
%! list = {[3, 0, -1, 2, 2], [0; 2; 5], magic(4) .* (magic (4) > 5), reshape(mod (1:24, 4), 2, 3, 4), zeros(1, 5), ...
%!         zeros(3), ones(1, 1, 6), [NaN, 0, 1, -Inf], single([1, 0, 2.5]), int8([1, 0; 100, -3]), uint8([0; 1; 2]), ...
%!         [1, 0; 2, 3] == 2, [1 + 1i, 0; 2, 3i], 3, 0, zeros(0, 3), zeros(1, 0)};
%! warning ("off", "all", "local"); # numbers that become true
%! check_table (fs, list);
%! x = rand (300, 200); # several blocks
%! check_table ({@(x) x(x > 0.5), @(x) removed(x(:), @(y) y > 0.5), @(x) changed(x, @(y) y > 0.5, 2), @found, @values_of, @(x) x(find (x > 0.9))}, ...
%!              {x, x == 2});

## assigned: also to a matrix that somebody else holds, which keeps its values
%!function x = put (x, y, f)
%!  if (! strcmp (class (x), "gpuArray"))
%!    x = f (x, y);
%!    return;
%!  endif
%!  before = x;
%!  was = gather (x);
%!  x = f (x, y);
%!  now = gather (before);
%!  if (! size_equal (now, was) || ! all (now(:) == was(:) | isnan (now(:))))
%!    error ("wrong: the other matrix has changed");
%!  endif
%!endfunction
%!function x = part_1 (x, y), x(1) = y; endfunction
%!function x = part_2 (x, y), x(:) = y; endfunction
%!function x = part_3 (x, y), x(2,:) = y; endfunction
%!function x = part_4 (x, y), x(:,1) = y; endfunction
%!function x = part_5 (x, y), x(end+1) = y; endfunction
%!function x = part_6 (x, y), x(:,end+1) = y; endfunction
%!function x = part_7 (x, y), x(end+1,:) = y; endfunction
%!function x = part_8 (x, y), x(x > 0) = y; endfunction
%!function x = part_9 (x, y), x([1, 3]) = y; endfunction
%!function x = part_10 (x, y), x(1:2,1:2) = y; endfunction
%!function x = part_11 (x, y), x(5,6) = y; endfunction
%!function x = part_12 (x, y), x(:,:,2) = y; endfunction
%!function x = part_13 (x, y), x([]) = y; endfunction
%!function x = part_14 (x, y), x(0) = y; endfunction
%!function x = part_15 (x, y), x(1.5) = y; endfunction
%!function x = part_16 (x, y), x{1} = y; endfunction
%!function x = part_17 (x, y), x.a = y; endfunction
%!function x = part_18 (x, y), x([2, 2]) = y; endfunction
%!function x = part_19 (x, y), x(2,:) = []; endfunction
%!function x = part_20 (x, y), x(:,[1, 2]) = []; endfunction
%!function x = part_21 (x, y), x(1) = []; endfunction
%!function x = part_22 (x, y), x([]) = []; endfunction
%!function x = part_23 (x, y), x(:) = []; endfunction
%!function x = part_24 (x, y), x(:,:) = []; endfunction
%!function x = part_25 (x, y), x(1,1) = []; endfunction
%!function x = part_26 (x, y), x(99) = []; endfunction
%!function x = part_27 (x, y), x(1:2) += y; endfunction
%!function x = part_28 (x, y), x(:,1) .*= y; endfunction
%!function x = part_29 (x, y), x += y; endfunction
%!function x = part_30 (x, y), x -= y; endfunction
%!function x = part_31 (x, y), x .*= y; endfunction
%!function x = part_32 (x, y), x ./= y; endfunction
%!function x = part_33 (x, y), x *= y; endfunction
%!function x = part_34 (x, y), x /= 2; endfunction
%!function x = part_35 (x, y), x(:,2:end) = x(:,1:end-1); endfunction
%!function x = part_36 (x, y), x(1,:) = x(end,:); endfunction
%!function x = part_37 (x, y), x = x'; x(1,:) = y; endfunction
%!function x = part_38 (x, y), x(:,1) = x(:,1)'; endfunction
%!function x = part_39 (x, y), x++; endfunction
%!function x = part_40 (x, y), x(2,1) = y(1); x(1,2) = y(end); endfunction

%!test
%! warning ("off", "all", "local"); # 2 becomes true
%! texts = {};
%! k = 0;
%! step = cell_step ();
%! fails = false (40, 7, 11); # with double; errors of sizes and places do not depend on the type
%! for type = numbers ()
%!   for d = 1:7
%!     X = numbers (type{1}, {[1, 1], [1, 4], [4, 1], [3, 4], [2, 3, 2], [0, 0], [0, 3]}{d});
%!     Y = {2, single(2.5), int8(100), true, 1i, [1, 2], [1; 2], [1, 2, 3, 4], ones(2), X, NaN};
%!     ## a part of [] makes a cell or a struct
%!     for i = [1:15, (16:17)(! [isempty(X), isempty(X)]), 18:40]
%!       if (i == 12 && rows (X) == 0 && columns (X) > 0)
%!         continue; # Octave itself takes double and refuses single
%!       endif
%!       f = str2func (sprintf ("part_%d", i));
%!       for n = 1:merge (any (i == [19:26, 34:36, 38, 39]), 1, numel (Y))
%!         y = Y{n};
%!         if (strcmp (type{1}, "double"))
%!           fails(i,d,n) = ! strcmp (error_of (f, X, y), "none");
%!         endif
%!         is_known = fails(i,d,n) && ! strcmp (type{1}, "double") && mod (k, 4) > 0;
%!         ## false * 1i is 0+0i on the device, and Octave narrows it
%!         is_other = i == 28 && islogical (X) && iscomplex (y);
%!         if (mod (++k, step) > 0 || is_known || is_other)
%!           continue;
%!         endif
%!         tol = 0;
%!         if (i == 32 || i == 33 || iscomplex (X) || iscomplex (y))
%!           tol = @(w) 8 * eps ("single") * abs (double (w));
%!         endif
%!         text = compare (@(x, y) put (x, y, f), {X, y}, tol, "refuses", i == 16 || i == 17);
%!         texts{end+1} = [sprintf("part_%d: ", i) text](1:end * ! isempty (text));
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);

## an array on the device assigned to a part of one in host memory, which becomes a gpuArray
%!test
%! warning ("off", "all", "local");
%! V = cellfun (@(t) numbers (t, [3, 3]), [numbers(), {"int64", "uint64"}], "UniformOutput", false);
%! values = [cellfun(@(t) numbers (t, [3, 1]), numbers (), "UniformOutput", false), ...
%!           {[1, 2], zeros(0, 1), ones(3)}];
%! for v = [V, {1:9, eye(3), eye(3)(:,[2, 1, 3]), [], 5, single(2), 2i, true, "abc", ...
%!              sparse(eye (3)), @sin}]
%!   may_refuse = any (strcmp (class (v{1}), {"char", "int64", "uint64"})) || issparse (v{1});
%!   fs = {};
%!   for i = [1:13, 18, 27, 28]
%!     f = str2func (sprintf ("part_%d", i));
%!     fs{end+1} = @(y) f (v{1}, y);
%!   endfor
%!   check_table (fs, values, 0, "refuses", may_refuse);
%! endfor
%! V = zeros (3);
%! V(:,2) = gpuArray ([1; 2; 3]);
%! assert (class (V), "gpuArray");
%!error id=gpumm:gpuArray:gather part_2 ("abc", gpuArray ([1, 2, 3]))
%!error id=gpumm:gpuArray:gather part_4 (sparse (eye (3)), gpuArray ([1; 2; 3]))

## a number on the device goes there
%!test
%! warning ("off", "all", "local"); # 2 becomes true
%! H = magic (3);
%! H(2,2) = gpuArray (7);
%! G = magic (3);
%! G(2,2) = 7;
%! assert (gather (H), G);
%! for H = {false(1, 3), true, [], single([1, 2]), int8([1, 2]), "abc", sparse([true, false]), ...
%!          [1, 2i]}
%!   for y = {true, 0, 2, single(2.5), int8(3), 2 + 1i}
%!     x = z = H{1};
%!     if (! (ischar (x) && islogical (y{1}))) # this text becomes double
%!       x(2) = y{1};
%!       z(2) = gpuArray (y{1});
%!       assert (z, x);
%!     endif
%!   endfor
%! endfor
%! c = {1, 2};
%! c{1} = gpuArray (3);
%! assert (class (c{1}), "gpuArray");
%! s.a = gpuArray (3);
%! assert (gather (s.a), 3);

## a part put into an array that others hold, too
%!test
%! G = gpuArray (magic (3));
%! H = [G, G];
%! K = [H; G, [G(:,1), gpuArray(int8 (ones (3, 2)))]];
%! L = {H};
%! M = [L{1}, 1i * G];
%! assert (gather (G), magic (3));
%! assert (gather (H), [magic(3), magic(3)]);
%! assert (gather (L{1}), [magic(3), magic(3)]);
%! assert (gather (K), [magic(3), magic(3); magic(3), magic(3)(:,1), int8(ones (3, 2))]);
%! assert (gather (M), [magic(3), magic(3), 1i*magic(3)]);
%! c = cat (1, G, [], H(:,1:3), G);
%! assert (gather (c), [magic(3); magic(3); magic(3)]);

## an array that grows far: Octave's rules take no memory of the host for each element
%!function kib = peak ()
%!  kib = str2double (regexp (fileread ("/proc/self/status"), 'VmHWM:\s+(\d+)', "tokens"){1}{1});
%!endfunction
%!function grow (G, varargin)
%!  G(varargin{1:end-1}) = varargin{end};
%!endfunction
%!test
%! if (__gpuarray__ ("device", gpuArray (1)) == -1)
%!   return; # Octave holds the elements
%! endif
%! before = peak ();
%! for G = {gpuArray(1:3), gpuArray([]), gpuArray((1:3)')}
%!   for call = {{[1, 3e11], [1, 2]}, {1, 3e11, 5}, {3e11, 1, 5}, {1, 1, 3e11, 5}}
%!     [id, text] = error_of (@() grow (G{1}, call{1}{:}));
%!     assert (id, "gpumm:device-memory", text);
%!   endfor
%! endfor
%! fail ("grow (gpuArray (1:3), 1:3e11, [1, 2])", ...
%!       "nonconformant arguments .op1 is 300000000000x1, op2 is 1x2.");
%! fail ("grow (gpuArray (magic (3)), 3e11, 1)", "Invalid resizing");
%! assert (peak () < before + 1e5, "%g KiB more", peak () - before);

## assignment into empty arrays and deletion, with indices behind the last dimension; a test of
## Octave's own errors would read memory that is not there (Octave 7 compares the sizes of empty
## parts so)
%!function r = with_part (x, index, value)
%!  try
%!    if (iscell (value))
%!      x(index{:}) = [];
%!    else
%!      x(index{:}) = value;
%!    endif
%!    r = x;
%!  catch
%!    r = "an error";
%!  end_try_catch
%!endfunction
%!test
%! E = zeros (0, 0);
%! F = ones (2, 2);
%! cases = {E, {":", ":"}, 5; E, {":", ":", 1}, 5; E, {1, ":", ":"}, [1, 2]; ...
%!          E, {1, ":", ":"}, [1, 2; 3, 4]; E, {":", []}, 5; E, {":"}, 5; E, {2, 3}, 5; ...
%!          E, {":", 2}, [1; 2]; E, {":", 1, 1}, {}; ...
%!          zeros(0, 3), {":", ":", 1}, 5; zeros(0, 3), {":", 1, 1}, {}; ...
%!          F, {":", ":", 1}, {}; F, {":", 1, 1}, {}; F, {1, ":", 1}, {}; ...
%!          F, {":", ":", ":"}, {}; F, {":", ":", 1}, 5; F, {":", 1, 1}, [3; 4]; ...
%!          ones(2, 2, 2), {":", ":", 1, 1}, {}; ones(2, 2, 2), {":", ":", 1}, {}};
%! indices = {":", 1, [], 2, [1, 2], [2; 1], true, [true, false], 3};
%! values = {5, [1, 2], [1; 2], [1, 2; 3, 4], [], zeros(1, 0), reshape(1:4, 1, 2, 2), ...
%!           reshape(1:8, 2, 2, 2), {}};
%! for x = {E, zeros(0, 3), zeros(3, 0), F, ones(1, 3), ones(3, 1), ones(2, 2, 2), ...
%!          zeros(0, 2, 2), zeros(0, 0, 0), 5}
%!   for places = num2cell (dec2base (0:4^3 - 1, 4) - "/").' # each three of four
%!     cases(end+1,:) = {x{1}, {1, [], 2, [1, 2]}([places{:}]), 5};
%!   endfor
%!   for n = 1:40
%!     cases(end+1,:) = {x{1}, indices(randi (numel (indices), 1, randi (4))), ...
%!                       values{randi (numel (values))}};
%!   endfor
%! endfor
%! for c = cases.'
%!   [x, index, value] = c{:};
%!   wanted = with_part (x, index, value);
%!   given = with_part (gpuArray (x), index, value);
%!   if (! ischar (given))
%!     given = gather (given);
%!   endif
%!   if (iscell (value) || ! (ischar (wanted) || ischar (given)))
%!     assert (isequal (given, wanted) && ischar (given) == ischar (wanted), ...
%!             "%s of %s at %s: %s and not %s", shown (value), shown (x), shown (index), ...
%!             shown (given), shown (wanted));
%!   endif
%! endfor

## ---- shapes -------------------------------------------------------------------------------------

%!test
%! fs = {@(x) reshape(x, [], 1), @(x) reshape(x, 1, []), @(x) reshape(x, 2, []), ...
%!       @(x) reshape(x, [3, 4]), @(x) reshape(x, 5, 7), @(x) permute(x, [2, 1]), ...
%!       @(x) permute(x, [2, 1, 3]), @(x) permute(x, [3, 1, 2]), @(x) permute(x, [1, 1]), ...
%!       @(x) ipermute(x, [3, 1, 2]), @squeeze, @diag, @(x) diag(x, 1), @(x) diag(x, -2), ...
%!       @(x) diag(x, 9), @(x) [x, x], @(x) [x; x], @(x) [x, 1], @(x) [1; x], ...
%!       @(x) cat(1, x, x, x), @(x) cat(3, x, x), @(x) cat(4, x, x), @(x) horzcat(x, x), ...
%!       @(x) vertcat(x, x), @(x) [x', x'], @(x) [x, x'], @(x) [x(:); 5], @(x) vec(x), ...
%!       @(x) flip(x), @(x) fliplr(x), @(x) circshift(x, 1), @(x) rot90(x), ...
%!       @(x) resize(x, 2, 2), @(x) resize(x, 5, 5), @(x) [x, []], @(x) [[]; x], ...
%!       @(x) [x, single(x)], @(x) [x, int8(1)], @(x) [x, true], @(x) [x, 1i], @(x) ndims(x), ...
%!       @(x) size(x, 2), @(x) numel(x), @(x) x(:,:)(:).', @(x) diag(x'), @(x) reshape(x', 1, [])};
%! ## Octave leaves empty arrays out of a concatenation, but not their class
%! joins = cellfun (@(f) ! isempty (regexp (func2str (f), '\[x, |; x\]|\[\]', "once")), fs);
%! for type = [numbers(), {"int64"}]
%!   list = cellfun (@(dims) numbers (type{1}, dims), numbers ("shapes"), "UniformOutput", false);
%!   check_table (fs(! joins), list);
%!   if (! strcmp (type{1}, "logical"))
%!     check_table (fs(joins), list(! cellfun (@isempty, list)));
%!   endif
%! endfor

## Many parts in one concatenation, some of them on the host: as there.  The host device counts its calls:
## four times the parts take about four times the calls, and not sixteen.
%!test
%! parts = arrayfun (@(i) sparse (mod (i, 7) + 1, 1 + mod (i, 3), i, 9, 3), 1:128, ...
%!                   "UniformOutput", false);
%! blocks = cellfun (@(x) blocksparse (full (x), [3, 3]), parts, "UniformOutput", false);
%! joins = {@horzcat, @vertcat, @(varargin) [varargin{1:end/2}; varargin{end/2+1:end}]};
%! for c = {parts; blocks; cellfun(@full, parts, "UniformOutput", false)}.'
%!   on_device = cellfun (@gpuArray, c{1}, "UniformOutput", false);
%!   for join = joins
%!     X = join{1} (c{1}{1:3}, on_device{4:20}, c{1}{21}, on_device{22:30}, c{1}{31:32});
%!     Y = join{1} (c{1}{1:32});
%!     assert (isa (X, "gpuArray"));
%!     assert (isequal (gather (X), Y));
%!     assert (class (gather (X)), class (Y));
%!     assert (issparse (X), issparse (Y));
%!     calls = [];
%!     for count = [32, 128]
%!       __gpumm_fault__ ("device", 0);
%!       X = join{1} (on_device{1:count});
%!       calls(end+1) = __gpumm_fault__ ("device", 0);
%!     endfor
%!     assert (calls(2) <= 5 * calls(1), "%d and %d calls", calls);
%!   endfor
%! endfor

## Octave's own cat crashes with these
%!error <DIM must be a valid dimension> cat (-2^63, {1}, gpuArray (1))
%!error <DIM must be a valid dimension> cat (1e6, {1}, gpuArray (1))

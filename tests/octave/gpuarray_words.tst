## gpuarray_words.tst - "all", lists of dimensions, "omitnan" and "includenan" of gpuArrays, as Octave
## 11 has them, in every Octave. Beside them is each lane alone, by Octave's functions without words.
## SPDX-License-Identifier: BSD-3-Clause

## NAME (X, DIMS, NAN), where "" is left out
%!function varargout = call (name, x, dims, nan, varargin)
%!  args = {};
%!  if (any (strcmp (name, {"max", "min"})) && ! (isempty (dims) && isempty (nan)))
%!    args = {[]};
%!  elseif (any (strcmp (name, {"var", "std"})))
%!    args = {0};
%!  endif
%!  args = [args, {dims}(! isempty (dims)), varargin, {nan}(! isempty (nan))];
%!  [varargout{1:max (1, nargout)}] = feval (name, x, args{:});
%!endfunction
## the same by lanes: of each the column of its elements
%!function varargout = by_lanes (name, x, dims, nan, varargin)
%!  x = full (x);
%!  if (strcmpi (dims, "all"))
%!    dims = 1:ndims (x);
%!  elseif (isempty (dims))
%!    dims = [find(size (x) != 1, 1), 1](1);
%!  endif
%!  dims = double (dims);
%!  size_x = [size(x), ones(1, max (dims))];
%!  size_y = size_x;
%!  size_y(dims) = 1;
%!  places = cell (1, numel (size_x));
%!  [places{:}] = ind2sub (size_x, (1:numel (x))(:));
%!  places(dims) = {ones(numel (x), 1)};
%!  lane = sub2ind (size_y, places{:});
%!  y = cell (nargout, prod (size_y));
%!  for k = 1:columns (y)
%!    [y{:,k}] = of_lane (name, x(lane == k)(:), nan, varargin{:});
%!  endfor
%!  for i = 1:nargout
%!    varargout{i} = reshape ([y{i,:}], size_y);
%!  endfor
%!endfunction
%!function [y, i] = of_lane (name, v, nan, varargin)
%!  orders = any (strcmp (name, {"max", "min", "range", "bounds"}));
%!  first = find (isnan (v), 1);
%!  if (! orders && strcmpi (nan, "omitnan"))
%!    v(isnan (v)) = [];
%!  endif
%!  i = 1;
%!  if (isempty (v) && ! any (strcmp (name, {"sum", "prod", "sumsq", "any", "all"})))
%!    y = feval (class (feval (name, cast ([1; 2], class (v)), varargin{:})), NaN);
%!  elseif (nargout > 1)
%!    [y, i] = feval (name, v);
%!  else
%!    y = feval (name, v, varargin{:});
%!  endif
%!  if (orders && strcmpi (nan, "includenan") && ! isempty (first))
%!    y += NaN;
%!    i = {first, i + NaN}{1 + strcmp(name, "bounds")};
%!  endif
%!endfunction
## small numbers of a type; of floating-point ones some are NaN, and a whole lane
%!function x = with_nan (type, dims)
%!  x = numbers (type, dims);
%!  if (isfloat (x))
%!    x(3:4:end) = NaN;
%!    x(:,end,:) = NaN;
%!  endif
%!endfunction
## the largest error of what is divided
%!function tol = few (x)
%!  tol = 0;
%!  if (isfloat (x))
%!    tol = 32 * eps (class (x)) * (1 + abs (double (x)));
%!  endif
%!endfunction
%!function list = dimensions ()
%!  list = {"", "all", "ALL", 2, [1, 2], [2, 1], [1; 3], [2, 3], [3, 1, 2], [2, 5], [4, 5], ...
%!          single([1, 2]), int8([1, 3])};
%!endfunction

## each function with each kind of dimensions and word, and random operands of a type and a shape
%!test
%! seed = from_environment ("GPUMM_SEED", 1 + mod (floor (time ()), 1e6));
%! printf ("gpuarray_words.tst: GPUMM_SEED=%d\n", seed);
%! rand ("twister", seed);
%! operands = {};
%! for type = {"double", "single", "complex", "int8", "uint16", "logical"}
%!   for dims = {[1, 1], [1, 4], [4, 1], [3, 4], [2, 3, 2], [1, 3, 2], [2, 1, 3], [2, 2, 1, 2]}
%!     operands{end+1} = with_nan (type{1}, dims{1});
%!   endfor
%! endfor
%! texts = {};
%! is_9 = compare_versions (version (), "9", ">=");
%! for name = {"sum", "prod", "sumsq", "mean", "max", "min", "range", "bounds", "median", "var", "std", ...
%!             "any", "all"}
%!   for dims = dimensions ()
%!     for nan = {"", "omitnan", "includenan", "OmitNaN"}(1:end - 3 * any (strcmp (name, {"any", "all"})))
%!       for x = operands(randi (end, 1, 4))
%!         x = x{1};
%!         ## Octave's all takes NaN as it likes; its median wants reals, and since 9 its result
%!         ## for lanes that all have NaN may lie along another dimension; 11's mean of NaN is real
%!         if (any (strcmp (name, {"any", "all"})) || (strcmp (name, "mean") && is_9 && iscomplex (x)) ...
%!             || (strcmp (name, "median") && (iscomplex (x) || is_9)))
%!           x = numbers (class (x), size (x));
%!         endif
%!         if (islogical (x) && strcmp (name, "bounds")) # not in Octave 11
%!           continue;
%!         elseif (is_9 && isinteger (x) && any (strcmp (name, {"var", "std"}))) # it subtracts integers
%!           continue;
%!         endif
%!         texts{end+1} = compare (@(x) call (name{1}, x, dims{1}, nan{1}), {x}, @few, ...
%!                                 "oracle", @(x) by_lanes (name{1}, x, dims{1}, nan{1}));
%!         if (! isempty (texts{end}))
%!           texts{end} = sprintf ("%s, %s, %s, seed %d: %s", name{1}, disp (dims{1}), nan{1}, seed, texts{end});
%!         endif
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);
%! assert (numel (texts) > 1500);
%!test # more dimensions than a device has
%! for x = {reshape(1:64, 2, 2, 2, 2, 2, 2), reshape(1:96, 4, 2, 3, 2, 2), reshape(1:48, 2, 1, 3, 2, 1, 4)}
%!   for dims = {[1, 3, 5], [2, 4, 6], [6, 1], [1, 2, 6], [3, 4], [2, 5], "all"}
%!     for name = {"sum", "max", "any"}
%!       assert (compare (@(x) call (name{1}, x, dims{1}, ""), x, 0, "oracle", @(x) by_lanes (name{1}, x, dims{1}, "")), "");
%!     endfor
%!   endfor
%! endfor

## what Octave itself has: lists and "all" of var since version 7, most words since 11
%!test
%! list = {with_nan("double", [3, 4]), with_nan("double", [2, 3, 2]), single(magic (3)), (1:4)', 7};
%! names = {"var", "std"};
%! if (compare_versions (version (), "11", ">="))
%!   names = {"sum", "prod", "sumsq", "mean", "max", "min", "range", "bounds", "median", "var", "std"};
%! endif
%! for name = names
%!   for dims = {"all", [1, 2], [2, 1], 1}
%!     check_table ({@(x) call(name{1}, x, dims{1}, "")}, list, @few);
%!     if (numel (names) > 2)
%!       check_table ({@(x) call(name{1}, x, dims{1}, "omitnan")}, list, @few);
%!     endif
%!   endfor
%! endfor

## places of extremes, in the order of the whole array
%!test
%! for x = {with_nan("double", [3, 4]), with_nan("single", [2, 3, 2]), numbers("int8", [3, 4, 2]), [NaN, NaN], ...
%!          NaN, [1, NaN, 7; NaN, 8, 9], with_nan("double", [2, 2, 1, 2])}
%!   for name = {"max", "min", "bounds"}
%!     for dims = {"", "all", 1, [1, 2], [1, 3], [2, 3]}
%!       for nan = {"", "omitnan", "includenan"}
%!         oracle = @(x) by_lanes (name{1}, x, dims{1}, nan{1});
%!         assert (compare (@(x) call (name{1}, x, dims{1}, nan{1}), x, 0, "outputs", 2, "oracle", oracle), "");
%!       endfor
%!     endfor
%!   endfor
%! endfor

## sums, products and extremes of two arrays whose values are known
%!test
%! G = gpuArray ([1, NaN, 3; NaN, NaN, 5]);
%! rows = {sum(G, "omitnan"), [1, 0, 8]; sum(G, "all", "omitnan"), 9; prod(G, 2, "omitnan"), [3; 5]
%!         prod(G, "omitnan"), [1, 1, 15]; mean(G, "omitnan"), [1, NaN, 4]; mean(G, "all", "omitnan"), 3
%!         sumsq(G, 2, "omitnan"), [10; 25]; max(G, [], 2, "includenan"), [NaN; NaN]; max(G, [], "all"), 5
%!         max(G, [], "omitnan"), [1, NaN, 5]; min(G, [], [1, 2], "omitnan"), 1; range(G, "all"), 4
%!         range(G, 2, "includenan"), [NaN; NaN]; range(G, [2, 1]), 4; bounds(G, "all"), 1
%!         median(G, "omitnan"), [1, NaN, 4]; median(G, 2, "omitnan"), [2; 5]; median(G, "all"), NaN
%!         var(G, "omitnan"), [0, NaN, 2]; var(G, "all", "omitnan"), 4; var(G, 1, "all", "omitnan"), 8 / 3
%!         var(G, [], 2, "omitnan"), [2; 0]; std(G, "all", "omitnan"), 2; std(G, 0, [1, 2], "omitnan"), 2
%!         var(G, 0, "all"), NaN; var(gpuArray ([1, Inf]), "all"), NaN; any(G > 4, "all"), true
%!         all(G > 0, "all"), false; any(G > 4, [2, 3]), [false; true]
%!         max(G, 2, "includenan"), [2, NaN, 3; NaN, NaN, 5]; max(G, [4; NaN], "includenan"), [4, NaN, 4; NaN(1, 3)]
%!         min(3, G, "omitnan"), [1, 3, 3; 3, 3, 3]; min(G, gpuArray ([4; 4]), "omitnan"), [1, 4, 3; 4, 4, 4]
%!         sum(G, gpuArray ([1, 2]), "omitnan"), 9; sum(gpuArray (uint8 ([200, 100])), "all", "native"), uint8(255)
%!         sum(gpuArray ([true, true]), "native", "all"), true; sum(gpuArray (single ([1, NaN])), "omitnan", "double"), 1
%!         sum(gpuArray (single ([1, NaN])), "omitnan"), single(1); sum(gpuArray (NaN (2)), "all", "omitnan"), 0
%!         prod(gpuArray (NaN (2)), "all", "omitnan"), 1; mean(gpuArray (NaN (2)), "all", "omitnan"), NaN
%!         max(gpuArray (NaN (2)), [], "all", "omitnan"), NaN; mean(gpuArray ([1, Inf, NaN]), "omitnan"), Inf
%!         sum(gpuArray ([1, NaN + 2i, 3i]), "omitnan"), 1 + 3i; sum(gpuArray ([Inf, 2 - Inf * 1i, NaN]), 3, "omitnan"), [Inf, NaN, 0]}.';
%! rows{2,end}(2) = complex (2, -Inf) + 2 - 2;
%! for row = rows(:,1:end-1)
%!   assert (strcmp (class (row{1}), "gpuArray"));
%!   assert (difference (row{:}, 1e-14), "");
%! endfor
%! [v, m] = var (gpuArray ([1, 4, NaN]), 1, "omitnan");
%! assert (gather ([v, m]), [2.25, 2.5]);
%! assert (gather (sum (G, "all", "omitmissing")), 9);
%! assert (gather (sum (G, 1, "includemissing")), [NaN, NaN, 8]);
%! assert (gather (max (G, [], "all", "includemissing")), NaN);
%!error <nonconformant> min (gpuArray ([1, NaN; 2, 3]), zeros (0, 3), "includenan") # of two arrays

## running sums have the size of Octave 11: the listed dimensions become the first of them
%!function y = running (name, x, dims, nan)
%!  if (! isempty (nan))
%!    x(isnan (x)) = strcmp (name, "cumprod");
%!  endif
%!  n = ndims (x);
%!  dims = sort (dims);
%!  order = [setdiff(1:dims(1), dims), dims, setdiff(dims(1)+1:n, dims)];
%!  sizes = size (x);
%!  sizes(dims(1)) = prod (sizes(dims));
%!  sizes(dims(2:end)) = 1;
%!  y = feval (name, reshape (permute (x, order), sizes), dims(1));
%!endfunction
%!test
%! X = reshape (1:8, 2, 2, 2);
%! Y = cumsum (gpuArray (X), [1, 3]);
%! assert (gather (Y), [1, 3; 3, 7; 8, 14; 14, 22]);
%! assert (gather (cumprod (gpuArray (X), [2, 3])), [1, 3, 15, 105; 2, 8, 48, 384]);
%! X(3) = NaN;
%! assert (gather (cumprod (gpuArray (X), [1, 2], "omitnan"))(:,:,1), [1; 2; 2; 8]);
%! assert (gather (cumsum (gpuArray ([NaN, NaN]), "omitnan")), [0, 0]);
%! assert (gather (cumsum (gpuArray ([1, 2, 3]), "all")), [1; 3; 6]);
%! assert (gather (cumsum (gpuArray ([1, 2, 3]), [2, 4])), [1, 3, 6]);
%! list = {with_nan("double", [2, 3, 2]), with_nan("single", [3, 4]), with_nan("complex", [3, 2]), ...
%!         numbers("int8", [3, 2]), numbers("logical", [2, 2, 2])};
%! for name = {"cumsum", "cumprod"}
%!   for dims = {[1, 2], [2, 1], 1, 2}
%!     for nan = {"", "omitnan"}
%!       if (isscalar (dims{1}) && isempty (nan{1}))
%!         continue;
%!       endif
%!       check_table ({@(x) call(name{1}, x, dims{1}, nan{1})}, list, @few, ...
%!                    "oracle", @(x) running (name{1}, x, dims{1}, nan{1}));
%!     endfor
%!   endfor
%! endfor

## empty arrays
%!function y = of_empty (name, x, dims)
%!  if (ischar (dims))
%!    dims = 1:ndims (x);
%!  endif
%!  for d = dims
%!    size_x = [size(x), 1, 1, 1];
%!    x = feval (name, x, d);
%!  endfor
%!  y = x;
%!endfunction
%!test
%! for x = {zeros(0, 3), zeros(3, 0, 2), [], zeros(1, 0), single(zeros (0, 2)), int8(zeros (0, 2))}
%!   for dims = {"all", [1, 2], [2, 3], [1, 3], [4, 5]}
%!     for name = {"sum", "prod", "sumsq", "any", "all"}
%!       assert (compare (@(x) call (name{1}, x, dims{1}, ""), x, 0, ...
%!                        "oracle", @(x) of_empty (name{1}, x, dims{1})), "");
%!     endfor
%!     assert (compare (@(x) sum (x, dims{1}, "omitnan"), x, 0, "oracle", @(x) of_empty ("sum", x, dims{1})), "");
%!   endfor
%!   assert (isempty (gather (max (gpuArray (x{1}), [], "all"))));
%!   if (! isinteger (x{1}) || compare_versions (version (), "11", "<")) # Octave 11's own fails
%!     assert (isnan (gather (mean (gpuArray (x{1}), "all"))));
%!   endif
%! endfor
%! assert (isempty (gather (cumsum (gpuArray (zeros (0, 3)), "all"))));
%! assert (size (max (gpuArray (zeros (2, 0, 2)), [], [1, 3])), [1, 0]);

## errors: of lists, of "all" beside a dimension, and what only Octave's own may take
%!test
%! G = gpuArray (magic (3));
%! for f = {@sum, @prod, @sumsq, @mean, @median, @cumsum, @cumprod, @any, @range, @bounds, ...
%!          @(x, varargin) max (x, [], varargin{:}), @(x, varargin) var (x, 0, varargin{:})}
%!   for list = {[1, 1], [2, 1, 2], [1, 0], [1, -2], [1, 1.5], [1, 2; 3, 4], [1, 2i], [1, NaN], [1, Inf] * 1i}
%!     check_error ("gpumm:bad-value", "a list of dimensions must have different positive integers, as .1, 2.", ...
%!                  f{1}, G, list{1});
%!   endfor
%!   if (! strcmp (func2str (f{1}), "any")) # which has two arguments
%!     check_error ("gpumm:bad-value", '^\w+: "all" or a list of dimensions cannot stand beside another', ...
%!                  f{1}, G, 1, "all");
%!     check_error ("gpumm:bad-value", '^\w+: "all" or a list of dimensions cannot stand beside another', ...
%!                  f{1}, G, [1, 2], "all");
%!   endif
%! endfor
%! check_error ("gpumm:bad-value", "or beside two arrays", @max, G, G, "all");
%! check_error ("gpumm:bad-value", "or beside two arrays", @min, G, 2, [1, 2]);
%! for call = {@() sum(G, "every"), @() any(G, "omitnan"), @() cumsum(G, "reverse"), @() sum(G, 0, "omitnan"), ...
%!             @() cumsum(G, "all", "reverse"), @() sum(G, "all", "extra"), @() sum(G, "omitnan", 1, 2), ...
%!             @() max(G, [], 1.5, "omitnan"), @() var(G, 7, "all"), @() var(G, -1, "all"), @() any(G, 1, "all"), ...
%!             @() mode(G, "all"), @() mode(G, 0), @() bounds(G, "all", "omitnan", 1)}
%!   [~, said] = error_of (call{1});
%!   assert (! isempty (said), func2str (call{1}));
%! endfor

## stored matrices: along both dimensions, or a line that runs in every Octave
%!test
%! S = sparse ([4, 1, 0; 1, -5, 0; 0, 0, 6; 0, 2, 0]);
%! B = blocksparse ([4, 1, 0, 0; 1, -5, 0, 0; 0, 0, 6, 2], [1, 2]);
%! for dims = {"all", [1, 2], [2, 1], [2, 3], [3, 1]}
%!   for name = {"sum", "sumsq", "mean", "max", "min", "range", "bounds", "any"}
%!     for x = {S, S(:,1), S(2,:), S > 1, sparse(4, 3)}(1:end - 2 * strcmp (name{1}, "bounds"))
%!       y = call (name{1}, gpuArray (x{1}), dims{1}, "");
%!       assert (issparse (y), "%s", name{1});
%!       assert (full (gather (y)), by_lanes (name{1}, x{1}, dims{1}, ""), 1e-14);
%!     endfor
%!   endfor
%!   for name = {"sum", "mean"}
%!     y = gather (call (name{1}, gpuArray (B), dims{1}, ""));
%!     assert (full (y), by_lanes (name{1}, full (B), dims{1}, ""), 1e-14);
%!   endfor
%! endfor
%! X = gpuArray (S);
%! for call = {"prod (X, Y)", "all"; "cumsum (X, Y)", [1, 2]; "sum (X, Y)", "omitnan"; "median (X, Y)", "all"
%!             "mean (X, 1, Y)", "omitnan"; "all (X, Y)", "all"; "var (X, 0, Y)", "all"; "max (X, [], Y)", "includenan"
%!             "max (X, [], 2, Y)", "includenan"; "max (X, 2, Y)", "includenan"; "[m, i] = max (X, [], Y)", "all"
%!             "max (1i * X, [], Y)", "all"; "sum (X, Y)", [3, 4]}.'
%!   Y = call{2};
%!   err = [];
%!   try
%!     eval ([call{1} ";"]);
%!   catch err
%!   end_try_catch
%!   assert (err.identifier, "gpumm:gpuArray:gather", call{1});
%!   args = {X, Y, Y, Y};
%!   line = regexp (err.message, 'Write (.*)$', "tokens", "once"){1};
%!   assert (regexp (line, '^\w+ \(full \(X\), '), 1);
%! endfor
%! assert (gather (prod (full (X), "all")), 0);
%!error <^prod: not available for a gpuArray of a sparse matrix with these arguments. Write prod .full .X., Y, Z.$> ...
%! prod (gpuArray (sparse ([1, 2])), "all", "omitnan")

## gpuarray_arithmetic.tst - differences, gradients, kron, complex, polynomials, norms of vectors and
## Octave's own functions of these, beside Octave's result of the host's array.
## SPDX-License-Identifier: BSD-3-Clause

## every type in sizes with edges; and sparse matrices
%!function list = arrays (step = 1)
%!  list = {};
%!  for type = numbers ()
%!    for dims = numbers ("shapes")
%!      list{end+1} = numbers (type{1}, dims{1});
%!    endfor
%!  endfor
%!  list = list(1:step:end);
%!endfunction
%!function list = sparse_matrices ()
%!  S = [4, 1, 0; 1, -5, 0; 0, 0, 6; 0, 2, 0];
%!  list = {sparse(S), sparse([1, 0, 2, 2]), sparse([1; 0; 2; 2]), sparse(S * 1i), sparse(S > 0), ...
%!          sparse(3, 4), sparse(5), sparse(0, 3)};
%!endfunction
%!function tol = few (x)
%!  tol = 0;
%!  if (isfloat (x) && ! isempty (x))
%!    x = abs (full (x))(:);
%!    tol = 50 * eps (class (x)) * max ([1; x(isfinite (x))]);
%!  endif
%!endfunction

## ---- differences --------------------------------------------------------------------------------

%!test
%! fs = {@diff, @(x) diff(x, 1), @(x) diff(x, 2), @(x) diff(x, 0), @(x) diff(x, []), @(x) diff(x, [], 1), ...
%!       @(x) diff(x, 1, 2), @(x) diff(x, 2, 2), @(x) diff(x, 1, 3), @(x) diff(x, 5), @(x) diff(x, 3, 1), ...
%!       @(x) diff(x, gpuArray(2))};
%! wrong = {@(x) diff(x, -1), @(x) diff(x, 1.5), @(x) diff(x, "a"), @(x) diff(x, 1, 0), @(x) diff(x, {}), ...
%!          @(x) diff(x, [1, 2]), @(x) diff(x, 1, 5), @(x) diff(x, 1, 2, 3), @(x) diff(x, 1, "all"), ...
%!          @(x) diff(x, 1e20), @(x) diff(x, NaN), @(x) diff(x, 2i)};
%! check_table ([fs, wrong], arrays (3));
%! check_table ([fs(1:8), {@(x) diff(x, 1, 3)}, wrong], sparse_matrices ());
%! check_table ({@diff}, {int8([-100, 100, -100]), uint8([3, 250, 0]), [Inf, Inf, NaN, 1], reshape(mod ((1:96) .^ 2, 11), 4, 2, 3, 2, 2)});
%! check_table ({@(x) diff(x, 2)}, {int8([-100, 100, -100]), single([1e38, -3e38, 3e38]), [1, 1i, Inf]});
%!error <^diff: not available for a gpuArray of a blocksparse. Write gpuArray .diff .gather .X...$> ...
%! diff (gpuArray (blocksparse (eye (2), 1)))
%!error id=gpumm:gpuArray:gather diff (gpuArray (int64 ([1, 2, 3])))

%!test # [DX, DY, DZ] and spacings
%! fs = {@gradient, @(x) gradient(x, 2), @(x) gradient(x, single (0.5)), @(x) gradient(x, (1:numel (x)) .^ 2), ...
%!       @(x) gradient(x, 1, 2), @(x) gradient(x, (1:columns (x)) .^ 2, 2), @(x) gradient(x, 1, 2, 3), ...
%!       @(x) gradient(x, [1, 2; 3, 4]), @(x) gradient(x, 2i), @(x) gradient(x, int8 (2)), @(x) gradient(x, {}), ...
%!       @(x) gradient(x, []), @(x) gradient(x, 1:2), @(x) gradient(x, gpuArray (2)), ...
%!       @(x) gradient(x, gpuArray ((1:numel (x)) .^ 2))};
%! for outputs = 1:3
%!   check_table (fs, arrays (2 + outputs), @few, "outputs", outputs, "ids", false);
%! endfor
%! check_table ({@gradient}, {[1, Inf, 2, NaN, 5], single(magic (5)), magic(4) * 1i, ...
%!                           reshape(mod ((1:96) .^ 2, 11), 4, 2, 3, 2, 2)}, @few, "outputs", 2);
%! f = @(x) x .^ 2; # a function is Octave's, of the gathered points
%! assert (gradient (f, gpuArray ([1, 2])), gradient (f, [1, 2]));
%!error <^gradient: not available for a gpuArray of a sparse matrix. Write> gradient (gpuArray (sparse (eye (3))))

%!test
%! fs = {@del2, @(x) del2(x, 2), @(x) del2(x, 1, 2), @(x) del2(x, 1, 2, 3), @(x) del2(x, 1:columns (x)), ...
%!       @(x) del2(x, (1:columns (x)) .^ 2, (1:rows (x)) .^ 3), @(x) del2(x, single (2)), @(x) del2(x, {}), ...
%!       @(x) del2(x, 1:9), @(x) del2(x, 1, 2, 3, 4, 5), @(x) del2(x, [1, 2; 3, 4]), @(x) del2(x, gpuArray (2))};
%! list = {magic(5), single(magic (4)), reshape(mod ((1:80) * 7, 11), 4, 5, 4), magic(4) * 1i, int8(magic (4)), ...
%!         [1, 4, 9], uint8([1; 5; 9; 200; 3]), [1, 2; NaN, 3; 4, Inf; 1, 1], reshape(mod ((1:96) .^ 2, 11), 4, 2, 3, 2, 2)};
%! check_table (fs, [arrays(5), list], @few, "ids", false);

## ---- kron, complex ------------------------------------------------------------------------------

%!test
%! is_refused = @(p) any (cellfun (@(x) ndims (x) > 2, p));
%! there = logical ([1, 1; 1, 0; 0, 1]);
%! others = {[1, 2; 3, 4], single([1, 0, -2]), int8([1, 200]), 2i, true, zeros(0, 2), eye(2), diag([1, NaN, 0]), ...
%!           eye(3)([2, 3, 1],:), 1:3, [NaN, Inf; 0, 1]};
%! pairs = {};
%! for x = arrays (5)
%!   for y = others
%!     pairs(end+1:end+2) = {{x{1}, y{1}}, {y{1}, x{1}}};
%!   endfor
%! endfor
%! check_table ({@kron}, pairs, @few, "there", there, "refuses", is_refused);
%! M = [1, NaN; 0, -2];
%! check_table ({@(x) kron(eye (2), x), @(x) kron(x, 2, x), @(x) kron(x, "a"), @(x) kron(x, {}), @(x) kron(x), ...
%!               @(x) kron(single (x), x, x, 3)}, {M, M * 1i, int8(M), single(M), M > 0}, @few);
%! check_table ({@kron, @(x, y) kron(y, x)}, cellfun (@(x) {{x, [1, 2]}}, sparse_matrices ()), 0, "there", there, ...
%!              "refuses", true);
%!error <^kron: not available for a gpuArray of a sparse matrix. Write gpuArray .kron .gather .X., Y..$> ...
%! kron (gpuArray (sparse (eye (2))), 2)
%!error <^kron: not available for a gpuArray beside a sparse matrix. Write gpuArray .kron .gather .X., gather .Y...$> ...
%! kron (sparse (eye (2)), gpuArray (2))
%!error <^kron: not available for a gpuArray of more than 2 dimensions> kron (gpuArray (ones (2, 2, 2)), 2)

%!test
%! there = logical ([1, 1; 1, 0; 0, 1]);
%! others = {2, single(-1), int8(7), true, Inf, NaN, 2i, "a", {}, ones(5, 6), [], sparse(3), zeros(3, 3, "single")};
%! pairs = {};
%! for x = [arrays(5), {[1, -0, NaN; Inf, -Inf, 3]}]
%!   for y = [others, x, {single(real (x{1}))}]
%!     pairs(end+1:end+2) = {{x{1}, y{1}}, {y{1}, x{1}}};
%!   endfor
%! endfor
%! check_table ({@complex}, pairs, 0, "there", there, "refuses", @(p) issparse (p{1}) || issparse (p{2}));
%! check_table ({@complex, @(x) complex(x, 2), @(x) complex(3, x), @(x) complex(x, x)}, sparse_matrices (), 0, ...
%!              "refuses", true);
%! check_table ({@complex}, arrays (2));
%! check_table ({@complex}, {{sparse([1, 0, 2]), sparse([0, 0, 3])}, {sparse(1), sparse([0, 0, 3])}}, 0);
%! for call = {@() complex(gpuArray (1)), @() complex(gpuArray ([1, 2]), 0), @() complex(0, gpuArray (single ([0, 0])))}
%!   z = call{1}();
%!   assert (isgpuarray (z) && iscomplex (z) && iscomplex (gather (z)) && isreal (gather (z * 1)));
%! endfor
%! assert (gather (complex (gpuArray (Inf), NaN)), complex (Inf, NaN));
%! assert (gather (complex (0, gpuArray (Inf))), complex (0, Inf)); # i * Inf would be NaN + Inf i
%!error <^complex: not available for a gpuArray of one sparse matrix> complex (gpuArray (sparse ([1, 2])))
%!error id=gpumm:gpuArray:gather complex (gpuArray (int64 ([1, 2])))

## ---- polynomials, norms, powers of two ----------------------------------------------------------

%!test
%! there = logical ([1, 1; 1, 0; 0, 1]);
%! pairs = {};
%! for p = {[1, 2, 3], single([2, -1]), 5, single(5), [], [1i, 2], {}, int8([1, 2]), [1, 2; 3, 4], [1; 2]}
%!   for x = arrays (5)
%!     pairs{end+1} = {p{1}, x{1}};
%!   endfor
%! endfor
%! check_table ({@polyval}, pairs, @few, "there", there, "ids", false);
%! check_table ({@(p, x) polyval(p, x, [], [1, 2]), @(p, x) polyval(p, x, [], single ([1, 2])), @(p, x) polyval(p, x, 3)}, ...
%!              pairs(1:20), @few, "there", there, "ids", false);
%! [p, s] = polyfit (1:5, [1, 4, 9, 15, 26], 2);
%! check_table ({@(x) polyval(p, x, s), @(x) polyval(p, x), @(x) polyval(p, x, s, [1, 2]), @(x) polyval(p, x, 1)}, ...
%!              arrays (5)(! cellfun (@isempty, arrays (5))), 1e-3, "outputs", 2, "ids", false); # Octave 9: no DY
%! assert (isgpuarray (polyval ([], gpuArray ([1, 2]))));
%! assert (underlyingType (polyval (5, gpuArray (single ([1, 2])))), "single");

%!test
%! fs = {@vecnorm, @(x) vecnorm(x, 1), @(x) vecnorm(x, 2), @(x) vecnorm(x, Inf), @(x) vecnorm(x, 3), @(x) vecnorm(x, 4), ...
%!       @(x) vecnorm(x, 2.5), @(x) vecnorm(x, 2, 2), @(x) vecnorm(x, 1, 3), @(x) vecnorm(x, Inf, 2), ...
%!       @(x) vecnorm(x, -1), @(x) vecnorm(x, -Inf), @(x) vecnorm(x, NaN), @(x) vecnorm(x, 0), @(x) vecnorm(x, "fro"), ...
%!       @(x) vecnorm(x, 1i), @(x) vecnorm(x, 2, 0), @(x) vecnorm(x, 2, 5), @(x) vecnorm(x, 2, 1.5), ...
%!       @(x) vecnorm(x, [1, 2]), @(x) vecnorm(x, 1, 2, 3)};
%! check_table (fs, [arrays(3), {[NaN, 1; 2, 3], [NaN; NaN], [Inf, 1i; 3, NaN]}], @few, "ids", false);
%! check_table (fs, sparse_matrices (), @few, "ids", false, "refuses", true);
%! assert (gather (vecnorm (gpuArray ([3e-200; 4e-200]))) > 0 == (vecnorm ([3e-200; 4e-200]) > 0) || ...
%!         gpumm_available ("gpu") || ! isempty (getenv ("GPUMM_GPUARRAY"))); # a device scales squares
%!error <^vecnorm: not available for a gpuArray of a sparse matrix with this P> vecnorm (gpuArray (sparse ([1, 2])), 3)

%!test # also beside powers of two
%! powers = 2 .^ (-1074:1023);
%! list = {powers, single(2 .^ (-149:127)), [0, -0, 3, -5, NaN, Inf, -Inf, realmax, realmin, 1e-310], ...
%!         single([0, 3, 1e38, 1e-40, realmax("single"), NaN, Inf]), int8(-128:127), uint16([0, 1, 2, 255, 65535]), ...
%!         [1i, 3 + 4i], true, reshape(1:8, 2, 2, 2), zeros(0, 3)};
%! check_table ({@nextpow2}, list);
%! if (gpumm_available ("gpu") || ! isempty (getenv ("GPUMM_GPUARRAY"))) # Octave rounds log2 up to version 10
%!   n = [-1021:-970, -500:500, 900:1023];
%!   x = gpuArray (2 .^ n);
%!   assert (gather (nextpow2 (x * (1 + eps))), n + 1);
%!   assert (gather (nextpow2 (x * (1 - eps / 2))), n);
%! endif
%!error id=gpumm:gpuArray:gather nextpow2 (gpuArray (uint64 ([1, 2])))

## ---- Octave's own functions ---------------------------------------------------------------------

%!test
%! list = arrays (5);
%! warning ("off", "all", "local");
%! check_table ({@trapz, @cumtrapz, @(x) trapz(x, 2), @(x) trapz(x, x), @(x) trapz(x, x, 1), @(x) cumtrapz(x, x), ...
%!               @(x) cumtrapz(x, x, 2), @(x) trapz(2, x), @(x) trapz((1:rows (x)) .^ 2, x), ...
%!               @(x) cumtrapz((1:rows (x)) .^ 2, x), @(x) trapz(x, x, 3)}, list, @few, "ids", false);
%! check_table ({@(x) cross(x, 2 * x + 1), @(x) cross(x, x.'), @(x) cross(x, x(end:-1:1,:), 1), @(x) cross(x, x, 2)}, ...
%!              list, @few, "ids", false);
%! check_table ({@(x) circshift(x, 1), @(x) circshift(x, -2), @(x) circshift(x, 1, 2), @(x) circshift(x, [1, 1]), ...
%!               @(x) circshift(x, 7, 3), @rot90, @(x) rot90(x, 2), @(x) rot90(x, 3), @(x) rot90(x, -1), ...
%!               @(x) rot90(x, 1.5)}, list, 0, "ids", false);
%! check_table ({@rescale, @(x) rescale(x, -1, 1), @(x) rescale(x, "inputmin", 0), @(x) rescale(x, 2, 1), ...
%!               @(x) rescale(x, 0, 2, "inputmax", 2)}, list, @few, "ids", false);
%! if (exist ("normalize") == 2) # since Octave 8
%!   x = [1, 5, 2; 3, -1, 4; 2, 2, 9; 7, 0, 1];
%!   check_table ({@normalize, @(x) normalize(x, 2), @(x) normalize(x, "zscore", "robust"), @(x) normalize(x, "norm"), ...
%!                 @(x) normalize(x, "norm", 1), @(x) normalize(x, "norm", Inf), @(x) normalize(x, "range"), ...
%!                 @(x) normalize(x, "scale", "mad"), @(x) normalize(x, "center", "median"), ...
%!                 @(x) normalize(x, "center", "mean", "scale", "std")}, {x, single(x), x(:,1), x + 1i}, @few, ...
%!                "ids", false, "refuses", @(p) iscomplex (p{1}));
%! endif

## ---- all ----------------------------------------------------------------------------------------

%!test # numbers by chance
%! seed = floor (mod (now (), 1) * 1e6);
%! printf ("seed %d ", seed);
%! rand ("twister", seed);
%! warning ("off", "all", "local");
%! types = numbers ();
%! calls = {@diff, @(x) diff(x, 2), @(x) diff(x, 1, 2), @gradient, @del2, @(x) kron(x, x), @(x) complex(real (x), 3), ...
%!          @(x) polyval([1, -2, 3], double (x)), @vecnorm, @(x) vecnorm(x, 1, 2), @trapz, @cumtrapz, @rescale, ...
%!          @(x) rot90(x, 3), @(x) circshift(x, 2, 2)};
%! for i = 1:40
%!   x = numbers (types{randi(numel (types))}, randi (9, 1, 2));
%!   x(randi (numel (x), 1, 5)) = randi (100);
%!   text = compare (calls{randi(numel (calls))}, {x}, @few, "ids", false);
%!   assert (isempty (text), "seed %d: %s", seed, text);
%! endfor

%!test # nothing waits but what needs values of the host
%! is_there = gpumm_available ("gpu") || ! isempty (getenv ("GPUMM_GPUARRAY"));
%! G = gpuArray (magic (6));
%! for f = {@diff, @(x) diff(x, 2, 2), @gradient, @del2, @(x) kron(x, x), @complex, @(x) complex(x, x), @nextpow2, ...
%!          @(x) polyval([1, 2, 3], x), @(x) polyval(x(1,:), x), @vecnorm, @(x) vecnorm(x, 1), @(x) vecnorm(x, Inf), ...
%!          @trapz, @(x) cross(x(:,1:3), x(:,4:6)), @rot90}
%!   n = __gpumm_fault__ ("waits");
%!   y = f{1}(G);
%!   assert (__gpumm_fault__ ("waits") - n, 0, func2str (f{1}));
%!   assert (isgpuarray (y), func2str (f{1}));
%! endfor

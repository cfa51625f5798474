## gpuarray_blocks.tst - what only matrices in blocks have, on a device as on the host: parts,
## integers, dropblocks, products by block sizes. What they share with sparse matrices:
## gpuarray_formats.tst.
## SPDX-License-Identifier: BSD-3-Clause

## Of an integer class, with large values; sums of products saturate.
%!function list = integer_patterns (type)
%!  list = cellfun (@(S) blocksparse (feval (type, full (S) * 10), blocksize (S)), ...
%!                  patterns ("blocks")([1, 3, 4, 7, 8, 9, 10]), "UniformOutput", false);
%!  A = feval (type, kron ([1, 0, 1; 0, 0, 1; 1, 1, 0], ones (2)));
%!  A(1:2,1:2) = [intmax(type), intmin(type); 0, 1];
%!  A(5,1:2) = intmin (type);
%!  list{end+1} = blocksparse (A, 2);
%!  list{end+1} = list{end} - 3 * list{end};
%!  assert (cellfun (@(S) strcmp (underlyingType (S), type), list));
%!endfunction

## of matrices of integers in blocks; NARROW: of those that are not of 64 bits
%!function list = integer_calls (narrow)
%!  if (narrow)
%!    list = {@(x) sum(x / 8, "native"), @(x) x + x, @(x) x - x, @(x) x .* x, @(x) x + x', ...
%!            @(x) x' - x, @(x) x .* double(x), @(x) double(x) - x, @(x) single(x) + x, ...
%!            @(x) 2 * x, @(x) x * 2.5, @(x) x / 2, @(x) x / 0, @(x) x ./ 2, @(x) 3 \ x, ...
%!            @(x) -x, @(x) x * true, @(x) x .^ 2, @(x) x .^ 0.5, @(x) x * NaN, @(x) x * Inf, ...
%!            elementwise("zero"){:}, @(x) x + 1, @(x) x > 1, ...
%!            @(x) x + full(x), @(x) x .* single(3), @(x) !x, ...
%!            @(x) blocksparse(full (x), blocksize (x)), @(x) isequal(x, x), ...
%!            @(x) isequal(x, x + x), @(x) x + int32(x), @(x) x .* uint8(2)};
%!  else
%!    list = {@(x) x', @(x) x.', @(x) +x, @double, @single, @int8, @uint16, @int64, ...
%!            @(x) int64(x) * int64(x).', @sum, @(x) sum(x, 2), @sumsq, @full, @sparse, @nnz, ...
%!            @nnzb, @(x) x * x.', @(x) x' * x, @(x) (x.' * x) * (x' * x), @isinteger, @isfloat, ...
%!            @isreal, @(x) x(1:2:end,:), @(x) x'{1,1}, @(x) [x, x], @(x) [x; x; x], ...
%!            @(x) [x, double(x)], @(x) dropblocks(x, 20), @(x) dropblocks(x.', 3), ...
%!            @(x) x * double(x), @(x) double(x') * x, @(x) x * ones(columns (x)), ...
%!            @(x) x * true(columns (x), 1), @(x) x ^ 2, @(x) x * x, @(x) gather(x) * x.', ...
%!            @(x) nnz(int64 (x)), @(x) int8(int64 (x)) + int8(x), @(x) norm(x, 1), @diag, ...
%!            @trace, @(x) uint64(x)(1,:), @(x) nnzb(int64 (x) * int64(x).')};
%!  endif
%!endfunction
## parts are full, as on the host: whole blocks, rows and columns in any order and more than once,
## masks
%!test <*parts>
%! list = patterns ("blocks");
%! list{end+1} = list{1}.';
%! for p = list
%!   S = p{1};
%!   [m, n] = size (S);
%!   rows = {":", 1:m, m:-1:1, [], 1:0, ceil(m / 2), ceil([m, 1, m] / 2)};
%!   if (m > 0)
%!     rows(end+1:end+4) = {2:m, 1:min(m, blocksize (S)(1)), mod(0:2 * m, m) + 1, ...
%!                          (mod (1:m, 3) == 0)};
%!   endif
%!   cols = {":", 1:n, n:-2:1, n, []};
%!   if (n > 0)
%!     cols(end+1:end+3) = {1, mod(1:5, n) + 1, true(1, n)};
%!   endif
%!   fs = {};
%!   for i = rows
%!     for j = cols
%!       for f = {@(x) x(i{1},j{1}), @(x) x'(j{1},i{1}), @(x) (2 * x - x)(i{1},j{1},1), ...
%!                @(x) (x .* 2).'(j{1},i{1})}
%!         fs{end+1} = f{1};
%!       endfor
%!     endfor
%!   endfor
%!   for i = 1:m / blocksize (S)(1)
%!     for j = 1:n / blocksize (S)(2)
%!       fs(end+1:end+2) = {@(x) x{i,j}, @(x) x'{j,i}};
%!     endfor
%!   endfor
%!   for k = 1:min (numel (S), 5)
%!     fs(end+1:end+4) = {@(x) x(k), @(x) x'(k), @(x) x(end,end), @(x) x(end+1-k)};
%!   endfor
%!   check_table ([fs, {@(x) x(m + 1,1), @(x) x(1,n + 1), @(x) x(m * n + 1), @(x) x(0,1), ...
%!                      @(x) x(1.5,1), @(x) x{m + 1,1}, @(x) x{1,0}, @(x) x{1}, @(x) x{1:2,1}, ...
%!                      @(x) x{"a",[]}, @(x) x{1.5,1}, @(x) x.a, @(x) x(), @(x) x(:,1)(2), ...
%!                      @(x) x{1,1}(1,:)}], p);
%! endfor

## indices that lie on the device; a part of a matrix that is still to be computed; large matrices
%!test
%! S = patterns ("blocks"){2};
%! G = gpuArray (S);
%! assert (gather (G(gpuArray (3:4),gpuArray (2))), S(3:4,2));
%! assert (gather (G{gpuArray(2),1}), S{2,1});
%! T = blocksparse ([1, 3e5, 3e5], [1, 1, 3e5], rand (2, 2, 3), 6e5, 6e5);
%! G = gpuArray (T);
%! assert (gather (G([1, 6e5],[6e5, 2, 1])), T([1, 6e5],[6e5, 2, 1]));
%! assert (gather (G{3e5,1}), T{3e5,1});
%!error <index \(7,_\): out of bound 6> gpuArray (blocksparse (6, 4, 2))(7,1)
%!error <index \(_,5\): out of bound 4> gpuArray (blocksparse (6, 4, 2))(1,5)
%!error <index \(25\): out of bound 24> gpuArray (blocksparse (6, 4, 2))(25)
%!error <no block .4,1.. The matrix has 3x2 blocks> gpuArray (blocksparse (6, 4, 2)){4,1}

%!test <*integers>
%! for type = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
%!   fs = integer_calls (false);
%!   if (isempty (strfind (type{1}, "64")))
%!     fs = [fs, integer_calls(true)];
%!   endif
%!   list = integer_patterns (type{1});
%!   needs_square = cellfun (@(f) any (strcmp (func2str (f), {"diag", "trace"})), fs);
%!   check_table (fs(! needs_square), list, @near);
%!   check_table (fs(needs_square), list(cellfun (@issquare, list)), @near);
%! endfor
%! for class = {"double", "single", "int8", "uint64"}
%!   S = cast (blocksparse (eye (4), 2), class{1});
%!   check_table ({@(x) isa(x, "integer"), @(x) isa(x, "float"), @(x) isa(x, "numeric")}, {S});
%! endfor

## what is not computed of 64 bits, with no value changed
%!test
%! L = blocksparse (intmin ("int64") * int64 (eye (4)), 2);
%! G = gpuArray (L);
%! assert ([nnz(G), nnzb(G), nnz(G * G), nnz(gpuArray (int64 (L)) * L)], [4, 2, 4, 4]);
%! for f = {@() G + G, @() G * 2, @() abs(G), @() isequal(G, G), @() -G, @() G == G, ...
%!          @() sum(G, "native")}
%!   assert (error_of (f{1}), "gpumm:gpuArray:gather", func2str (f{1}));
%! endfor

## with numbers on the device, which are looked at
%!test
%! S = patterns ("blocks"){1};
%! for n = {2, 0, NaN, Inf, -1, 1i}
%!   check_table ({@(x, n) n * x, @(x, n) x .* n, @(x, n) x / n, @(x, n) x .^ n}, {{S, n{1}}}, ...
%!                @near);
%! endfor
%! check_table ({@(x) x / norm(x, 1)}, {S}, @near);

## one element counts as a number beside what is not in blocks
%!function text = ifelse_of (x)
%!  text = "false";
%!  if (x)
%!    text = "true";
%!  endif
%!endfunction
%!test
%! S = blocksparse (3, 1);
%! for f = {@(x) x * 2, @(x) 2 + x, @(x) x * ones(2), @(x) ones(2) * x, @(x) x(1), @(x) x(:), ...
%!          @(x) x([1, 1; 1, 1]), @(x) x(1,[1, 1]), @(x) x ^ 2, @(x) trace(x)}
%!   assert (full (gather (f{1} (gpuArray (S)))), full (f{1} (S)));
%! endfor
%! assert (ifelse_of (gpuArray (S)), "true");
%! ## and what is in blocks on the host stays so: a loop of products may have a matrix of 1 x 1
%! check_table ({@(x) 2 * x, @(x) x .* 2, @(x) -x, @(x) x / 2, @(x) 2 \ x, @(x) x .^ 2, ...
%!               @(x) 1.5 * x - 0.5 * x ^ 3}, {S});
%! assert (class (gather (-gpuArray (S))), "blocksparse");
%! assert (gather (gpuArray (S) .^ -1), 1 / 3);
%! assert (gather (2 ./ gpuArray (S)), 2 / 3);
%! assert (size (diag (gpuArray (blocksparse (0, 0, 1)))), [0, 0]);

## what cancels, overflows, and blocks that are not stored
%!test
%! S = blocksparse (kron ([1, -1, 3; 2, -2, 0; 0, 0, 0], ones (2)), 2);
%! T = blocksparse (kron ([0; 0; 1] * [1, 1, 1], eye (2)), 2);
%! U = blocksparse (kron ([1, 0, 0; 1, 0, 0; 0, 0, 0], eye (2)), 2);
%! [G, H, K] = deal (gpuArray (S), gpuArray (T), gpuArray (U));
%! assert (cellfun (@nnzb, {G * K, G * H, G .* 1e-200 .* 1e-200, G - G, G + T - G, ...
%!                          single(G * 1e-100)}), [0, 3, 0, 0, 3, 0]);
%! N = blocksparse (NaN (6), 2);
%! check_table ({@(s, u, n) (s - s) * n, @(s, u, n) (s * u) * n, @(s, u, n) s .* n, ...
%!               @(s, u, n) (s - s) * Inf, @(s, u, n) (s * u) * NaN(6, 2)}, {{S, U, N}});
%! ## by zero and by numbers that are not finite: a block that has become zero is not there any more
%! check_table ({@(x) (x - x) / 0, @(x) (x .* 0) ./ 0, @(x) 0 .\ (x - x), @(x) (x - x) * Inf, ...
%!               @(x) NaN * (x .* 0), @(x) x / 0}, patterns ("blocks"));
%! ## what is real multiplies both parts of what is complex
%! S = blocksparse ([complex(Inf, 1), 0; 2, complex(1, -Inf)], 2);
%! T = blocksparse ([1, 2; 3, 0], 2);
%! check_table ({@(x, y) x * y, @(x, y) y * x, @(x, y) x * full(y), @(x, y) full(y) * x, ...
%!               @(x, y) y * full(x), @(x, y) full(x) * y}, {{S, T}});

## the norm of a block decides, at or below; NaN and Inf stay; no square vanishes or overflows
%!test
%! blocks = cat (3, [3, 0; 0, 4], [3, 0; 0, 4.1], [NaN, 0; 0, 0], [Inf, 0; 0, 0], ...
%!               [1e-200, 0; 0, 0], [1e200, 1e200; 0, 0]);
%! S = blocksparse (1:6, 1:6, blocks, 12, 12);
%! for tol = {5, 4.9, 0, 1e-201, 1e-200, 1e200, Inf, single(5), gpuArray(5)}
%!   tol = tol{1};
%!   T = dropblocks (S, gather (tol));
%!   assert (difference (dropblocks (gpuArray (S), tol), T), "");
%!   assert (difference (dropblocks (gpuArray (S)', tol), T'), "");
%! endfor
%! assert (arrayfun (@(tol) nnzb (dropblocks (S, tol)), [5, 4.9, 0, Inf]), [4, 5, 6, 1]);
%! E = blocksparse (diag ([1e-200, 1e-200, 3e200, 4e200, 1, 1]), 2); # squares vanish or overflow
%! for X = {E, gpuArray(E)}
%!   assert (arrayfun (@(tol) nnzb (dropblocks (X{1}, tol)), ...
%!                     [1.3e-200, 1.5e-200, 4.9e200, 5.1e200]), [3, 2, 1, 0]);
%! endfor
%! assert (underlyingType (dropblocks (gpuArray (single (filled (1, 2))), 1)), "single");
%! assert (nnzb (dropblocks (gpuArray (blocksparse (6, 4, [3, 2])), 1)), 0);
%! R = blocksparse (ones (4, 6), [2, 3]);
%! check_table ({@(x) permute(x, [2, 1]), @(x) permute(x, [1, 2]), @(x) permute(x, [3, 1, 2]), ...
%!               @(x) ipermute(x, [2, 3, 1])}, {R, single(R), R * (1 + 2i)}); # full
%! fail ("permute (gpuArray (blocksparse (magic (2), 1)), [2, 2])", "identical");
%! fail ("permute (gpuArray (blocksparse (magic (2), 1)), [1, 1])", "identical");
%! fail ("permute (gpuArray (blocksparse (magic (2), 1)), [2, 5])", "invalid");

## products with many block products a row, blocks in all sizes of the kernels
%!test
%! for b = [1, 2, 5, 8, 9, 17, 23]
%!   n = max (4, round (80 / b));
%!   P = sprand (n, n, 0.3) != 0;
%!   P(3,:) = P(:,2) = true;
%!   S = filled (full (P), [b, b]);
%!   F = mod (reshape (1:rows (S) * 17, [], 17), 7) - 3;
%!   check_table ({@(x) x * x, @(x) x' * x, @(x) x * F, @(x) F' * x}, {S});
%! endfor

## the sign iteration
%!function X = sign_of (X)
%!  for i = 1:8 # the seventh step leaves an error of 2e-8
%!    X = dropblocks (1.5 * X - 0.5 * X ^ 3, 1e-8);
%!  endfor
%!endfunction
%!test
%! rand ("twister", 23);
%! A = kron (toeplitz ([1, 1, zeros(1, 18)]), ones (4)) .* (rand (80) - 0.5);
%! A = A + A' + kron (diag ((-1) .^ (1:20)), 6 * eye (4));
%! S = blocksparse (A / norm (A, 1), 4);
%! X = sign_of (gpuArray (S));
%! assert (class (X), "gpuArray");
%! assert (norm (gather (X) - sign_of (S), 1) < 1e-10);
%! assert (norm (full (gather (X * X)) - eye (80)) < 1e-5);
%! assert (nnzb (X) < 400);

## Block columns without blocks take no memory.  In host memory B * B' makes B'.
%!test
%! V = reshape (1:16, 2, 2, 4);
%! last = 2^30;
%! B = blocksparse ([1, 2, 1, 2], [5, 7, last, last], V, 4, 2 * last);
%! b = blocksparse ([1, 2, 1, 2], [1, 2, 3, 3], V, 4, 6);
%! K = blocksparse ([1, 2, 1], [1, 2, 2], V(:,:,1:3), 4, 4);
%! for type = {@double, @single, @int16}
%!   f = type{1};
%!   G = gpuArray (f (B));
%!   if (__gpuarray__ ("device", G) != -1)
%!     assert (full (gather (G * G')), full (gpumm (f (b), f (b), "TransposeB", "transpose")));
%!   endif
%!   C = struct (gather (gpuArray (f (K)) * G));
%!   c = struct (gpumm (f (K), f (b)));
%!   assert (C.values, c.values);
%!   assert (double (C.column)(:), [5, 7, last](double (c.column) + 1)(:) - 1);
%! endfor

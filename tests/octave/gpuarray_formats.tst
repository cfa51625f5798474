## gpuarray_formats.tst - sparse matrices and matrices in blocks that stay on a device, beside
## Octave's own and blocksparse: each call of the tables with each operand of the patterns gives the
## same value, class, size, format and complexness, or the same error; what a device refuses says
## gather.
##
## The device is the GPU, if there is one, else host memory.
## SPDX-License-Identifier: BSD-3-Clause

## ---- operands -----------------------------------------------------------------------------------

%!function yes = has_number (operands)
%!  yes = any (cellfun (@(x) issparse (x) && isscalar (x), operands));
%!endfunction

## Does a number apply to zeros that are not stored, as in Octave 11?
%!function yes = zeros_count ()
%!  yes = nnz (sparse (1, 2) * Inf) > 0;
%!endfunction

%!function yes = is_on_device ()
%!  yes = gpumm_available ("gpu") || ! isempty (getenv ("GPUMM_GPUARRAY"));
%!endfunction

## ---- the table of calls -------------------------------------------------------------------------

## Calls with one operand: of every format, of sparse matrices, of matrices in blocks.
%!function list = calls (format)
%!  switch (format)
%!    case "every"
%!      list = {elementwise("zero"){:}, @(x) x', @(x) x.', @(x) -x, @(x) +x, @(x) x * 2, @(x) 3 * x, @(x) x / 4, @(x) x ./ 2, @(x) 2 \ x, ...
%!              @(x) x .* -1, @(x) x .^ 2, @(x) x .^ 3, @(x) x * 0, @(x) x * 1i, @(x) x != 0, ...
%!              @(x) x .* x, @(x) x + x, @(x) x - x, @(x) x + 2 * x, @sum, @(x) sum(x, 1), ...
%!              @(x) sum(x, 2), @(x) sum(abs (x), 2), @full, @double, @(x) x + 1, @(x) 2 .^ x, ...
%!              @(x) 1 ./ x, @(x) x.' * x, @(x) x * x.', @(x) x' * x, ...
%!              @(x) x * ones(columns (x), 3), @(x) ones(2, rows (x)) * x, ...
%!              @(x) x' * ones(rows (x), 1), @(x) x + ones(size (x)), ...
%!              @(x) x * diag(1:columns (x)), @(x) x * eye(columns (x))(:,end:-1:1), ...
%!              @(x) x * ones(99, 1), @(x) (x.' .* 2)', @nnz, @(x) norm(x, "fro"), @(x) x(:,1), ...
%!              @(x) x(1,:), @(x) x(end,end), @(x) x(:,end:-1:1), @(x) x([1, 1],:), @(x) x(:,:), ...
%!              @(x) x(99,1), @(x) x(:,0), @(x) x(:,logical (mod (1:columns (x), 2)))};
%!    case "sparse"
%!      list = {@isnan, @isinf, @(x) real(x) > 1, @(x) 1 < abs(x), @(x) real(x) < -1, ...
%!              @(x) x .* (abs (x) > 1), @(x) abs(x).', @(x) x & x, @(x) x | x, ...
%!              @(x) max(real (x), [], 1), @(x) max(abs (x), [], 2), @(x) min(real (x), [], 1), ...
%!              @(x) any(x, 1), @(x) any(x, 2), @(x) x(2,1).', @(x) 1 - x, @(x) 1 ./ real(x), ...
%!              @(x) diag(1:rows (x)) * x, @(x) single(2) * x, @(x) x * int8(2), @(x) x.' + x.', ...
%!              @(x) x .* magic(4)(1:min (4, rows (x)),1:min (4, columns (x))), ...
%!              @(x) x(1,1) * 3, @(x) x(1,1) * x, @(x) x(1,1) + ones(2)};
%!    case "blocks"
%!      list = {@(x) x .^ 0.5, @(x) single(2) * x, @(x) x + 2 * x.'.', @single, ...
%!              @sumsq, @(x) x' + x', @(x) x' .* x.', @(x) x.' * (ones (rows (x), 2) * 1i), ...
%!              @(x) x * ones(columns (x), 2, "single"), @(x) x * true(columns (x), 1), ...
%!              @(x) ones(size (x)) - x, @(x) x .* ones(size (x)), @(x) x > 1, @(x) !x, ...
%!              @(x) x & 1, @(x) x / 0, @(x) x .* NaN, @(x) x .^ -1, @nnzb, @(x) ones(99) + x, ...
%!              @(x) dropblocks(x, 2), @(x) dropblocks(x, 0), @(x) dropblocks(x.', 4), ...
%!              @(x) dropblocks(x, 1e3), @(x) dropblocks(2 * x - x, 2), @(x) sparse(x), ...
%!              @(x) sparse(x'), @(x) full(x')};
%!    case "square sparse"
%!      list = {@diag, @(x) diag(x, 1), @(x) diag(x, -2), @trace, @(x) norm(x, 1), ...
%!              @(x) norm(x, Inf), @(x) x * x};
%!    case "square blocks"
%!      list = {@diag, @trace, @(x) trace(x'), @(x) norm(x, 1), @(x) norm(x, Inf), @(x) x * x, ...
%!              @(x) x ^ 2, @(x) x ^ 3, @(x) x ^ 6, @(x) x' ^ 2, @(x) 1.5 * x - 0.5 * x ^ 3};
%!    case "vector"
%!      list = {@diag, @norm, @(x) norm(x, 1), @(x) norm(x, Inf), @(x) x(2:end), ...
%!              @(x) x([2, 1, 2]), @(x) x(3)};
%!    case "number"
%!      list = {@(x) x([1, 1, 1]), @(x) x([1; 1]), @(x) x(2:end), @(x) x(zeros (1, 0)), ...
%!              @(x) x(zeros (0, 1)), @(x) x(:), @(x) x(true)};
%!  endswitch
%!endfunction
## with two operands
%!function list = calls_of_two (format)
%!  list = {@plus, @minus, @times, @mtimes, @(x, y) x' * y, @(x, y) x * y', @(x, y) x.' + y.', ...
%!          @(x, y) x' .* y', @(x, y) x + conj(y)};
%!  if (strcmp (format, "sparse"))
%!    list = [list, {@and, @or, @(x, y) real(x) < real(y), @(x, y) real(x) > abs(y), @ne, ...
%!                   @(x, y) x' | y', @(x, y) x' & y', @(x, y) x .* (y != 0), ...
%!                   @(x, y) (x * 2 - y) .* (abs (x) > abs (y))}];
%!  else
%!    list = [list, {@(x, y) x - 2 * y, @(x, y) x' - y', @(x, y) (x + y) * y', @(x, y) x == y, ...
%!                   @isequal, @(x, y) x * full(y)', @(x, y) full(x) * y'}];
%!  endif
%!endfunction
## what a device refuses, and Octave computes or refuses with other words
%!function list = refused (format)
%!  G = gpuArray (sparse ([1, 0; 2, 3]));
%!  list = {@() G == 0, @() ! G, @() G <= 1, @() G > -1, @() G ./ G, ...
%!          @() resize(G, 4, 4), @() G \ [1; 2], @() G ^ 2, @() reshape(G, 1, 4), @() G(:), ...
%!          @() all(G), @() prod(G), @() G(1:3), @() cumsum(G), @() norm(G), ...
%!          @() [G, single(eye (2))], @() [G, "ab".'], @() diag(G(:,1), 1), @() max(G, 1), ...
%!          @() G + gpuArray(sparse (1i)), @() sparse(2i) - G, @() G ./ sparse(NaN), ...
%!          @() G ./ gpuArray(sparse (0)), @() sparse(2) ./ G, @() G .\ gpuArray(sparse (2)), ...
%!          @() sum(G, 3), @() G(:,:,2), @() G * 1i > 1, @() max(G * 1i), @() G * 1i < G, ...
%!          @() G(:,1)([]), @() G(:,1)([1, 2; 2, 1]), @() full(G) ./ G(:,1), @() G(:,1) .\ [1, 2; 3, 4]};
%!  if (strcmp (format, "blocks"))
%!    G = gpuArray (blocksparse (eye (4), 2));
%!    R = gpuArray (blocksparse (ones (4, 6), [2, 3]));
%!    list = {@() isnan(G), @() isinf(G), @() [G, "abcd".'], @() G \ [1; 2; 3; 4], ...
%!            @() ones(4) / G, @() 2 ^ G, @() G ^ 0.5, @() G ^ -1, @() reshape(G, 2, 8), ...
%!            @() G(:), @() G([1, 2; 3, 4]), @() G(1,1,1,2), @() all(G), @() any(G), ...
%!            @() prod(G), @() max(G), @() cumsum(G), @() norm(G), @() diag(G, 1), ...
%!            @() G + sparse(eye (4)), @() G * gpuArray(speye (4)), ...
%!            @() int8(G) * int8(ones (4)), @() gpuArray(int8 (ones (4))) * int8(G), ...
%!            @() diag(R), @() blocksparse(gpuArray (speye (4)), 2), @() sum(G, 3), ...
%!            @() blocksparse(6, 6, 3) ^ G, @() gpuArray(speye (4)) * blocksparse(eye (4), 2), ...
%!            @() cat(3, G, G), @() resize(G, 8, 8), ...
%!            @() pagemtimes(G, G), @() kron(G, G), @() G(G != 0), ...
%!            @() gpumm(G, G, "Output", "full"), @() gpumm(int8 (G), int8 (ones (4))), ...
%!            @() gpumm(G, speye (4)), @() gpumm(gpuArray (speye (4)), G), ...
%!            @() gpumm(int8 (G), int8 (G), "OutputClass", "double"), ...
%!            @() gpumm(gpuArray (int8 (ones (4))), blocksparse (int8 (eye (4)), 2))};
%!  endif
%!  list = [list, cellfun(@(f) @() f (G), elementwise ("nonzero"), "UniformOutput", false)];
%!endfunction

## ---- the same for both --------------------------------------------------------------------------

%!test <*to the device and back>
%! seen = @(x) {size(x), nnz(x), numel(x), issparse(x), isreal(x), iscomplex(x), islogical(x), ...
%!              isnumeric(x), isfloat(x), isinteger(x), isempty(x), issquare(x), rows(x), ...
%!              columns(x), ndims(x), underlyingType(x)};
%! texts = {};
%! for p = [patterns("sparse"), patterns("blocks")]
%!   S = p{1};
%!   G = gpuArray (S);
%!   assert (class (G), "gpuArray");
%!   assert (seen (G), seen (S));
%!   assert (isgpuarray (G) && existsOnGPU (G) == gpumm_available ("gpu"));
%!   assert (strtrim (evalc ("disp (G)")), strtrim (evalc ("disp (S)")));
%!   assert (isequal (G, S), full (! any (isnan (full (S)(:)))));
%!   texts(end+1:end+5) = {difference(G, S), difference(gpuArray (G), S), ...
%!                         difference(full (G), full (S)), difference(sparse (G), sparse (S)), ...
%!                         difference(G.', S.')};
%!   if (issparse (S))
%!     assert (nzmax (G), nnz (S));
%!     texts{end+1} = difference (sparse (full (G)), S);
%!   else
%!     assert ({nzmax(G), nnzb(G), blocksize(G)}, {nzmax(S), nnzb(S), blocksize(S)});
%!     assert (isequal (G, G) && isequal (S, G));
%!     if (! isempty (S))
%!       texts{end+1} = difference (blocksparse (full (G), blocksize (S)), S);
%!       texts{end+1} = difference (blocksparse (gpuArray (full (S)), 1), ...
%!                                  blocksparse (full (S), 1));
%!     endif
%!   endif
%! endfor
%! fail_with (texts);

## large ones are shown by their kind
%!test
%! G = gpuArray (speye (2000));
%! assert (strtrim (evalc ("G")), "G = 2000x2000 sparse gpuArray, double, 2000 nonzero");
%! G = gpuArray (blocksparse (speye (2000), 2));
%! assert (strtrim (evalc ("G")), "G = 2000x2000 blocksparse gpuArray, double, 1000 blocks of 2x2");
%! for S = {sparse([1, 0; 0, 2]), blocksparse(diag ([1, 2]), 1)}
%!   G = gpuArray (S{1});
%!   assert (mat2str (G), "[1 0;0 2]");
%!   assert (sprintf ("%g", G), "1002");
%!   info = whos ("G");
%!   assert ({info.class, info.size}, {"gpuArray", [2, 2]});
%! endfor

%!test <*calls with one operand>
%! for format = {"sparse", "blocks"}
%!   check_table ([calls("every"), calls(format{1})], patterns (format{1}), @near, "refuses", ...
%!                @has_number);
%! endfor

%!test <*calls with square ones, vectors and numbers>
%! for p = patterns ("sparse")
%!   S = p{1};
%!   if (! isvector (S) && ! isempty (S))
%!     fs = calls ("square sparse");
%!     has_norm = cellfun (@(f) ! isempty (strfind (func2str (f), "norm")), fs);
%!     check_table (fs(! (any (isnan (S(:))) & has_norm)), p, @near, "refuses", @has_number);
%!   elseif (! isempty (S) && ! isscalar (S))
%!     check_table (calls ("vector"), p, @near);
%!   endif
%! endfor
%! for p = patterns ("blocks")
%!   S = p{1};
%!   if (issquare (S) && ! isempty (S) && diff (blocksize (S)) == 0)
%!     check_table (calls ("square blocks"), p, ...
%!                  @(w) merge (strcmp (underlyingType (w), "single"), 1e-5, ...
%!                              2e-15) * max (abs (full (w)), 1));
%!   endif
%! endfor
%! check_table (calls ("number"), {sparse(5), sparse(0), sparse(2i), sparse(true)}, 0, ...
%!              "refuses", true);

%!test <*calls with two operands>
%! for format = {"sparse", "blocks"}
%!   list = patterns (format{1});
%!   list(end+1:end+2) = {list{1} .* 2, -list{1}}; # of the same pattern, but their own
%!   pairs = {};
%!   for p = list
%!     for q = list
%!       if (isequal (size (p{1}), size (q{1})) ...
%!           || (rand () < 0.1 && ! isvector (p{1}) && ! isvector (q{1})))
%!         pairs{end+1} = {p{1}, q{1}};
%!       endif
%!     endfor
%!   endfor
%!   check_table (calls_of_two (format{1}), pairs, @near, "there", logical ([1, 1; 1, 0; 0, 1]), ...
%!                "refuses", @has_number);
%! endfor

## what a device refuses says what to write
%!test
%! for f = [refused("sparse"), refused("blocks")]
%!   [id, text] = error_of (f{1});
%!   assert (id, "gpumm:gpuArray:gather", func2str (f{1}));
%!   assert (! isempty (regexp (text, 'gather|full \(')), func2str (f{1}));
%! endfor
%!error <^exp: .* sparse matrix: the result would be full. Write exp .full .X..$> exp (gpuArray (speye (2)))
%!error <cumsum: not available for a gpuArray of a sparse matrix> cumsum (gpuArray (speye (2)))
%!error <max: not available for a gpuArray of a sparse matrix> max (gpuArray (speye (2)), 1)
%!error <the result of X == Y would have few zeros> gpuArray (speye (2)) == 0
%!error <^exp: .* blocksparse: the result would be full. Write exp .full .X..$> exp (gpuArray (blocksparse (eye (4), 2)))
%!error <cumprod: not available for a gpuArray of a blocksparse> cumprod (gpuArray (blocksparse (eye (4), 2)))
%!error <pagemtimes: not available for a gpuArray of a blocksparse> ...
%! pagemtimes (gpuArray (blocksparse (eye (4), 2)), 1)
%!error <gather> G = gpuArray (sparse ([1, 2])); G(1) = 2;
%!error <gather> G = gpuArray (blocksparse ([1, 2], 1)); G(1) = 2;
%!error id=Octave:nonconformant-args gpuArray (sparse (2, 3)) * gpuArray (sparse (2, 3))
%!error id=Octave:nonconformant-args gpuArray (sparse (2, 3)) + gpuArray (sparse (3, 2))
%!error id=Octave:index-out-of-bounds gpuArray (sparse (2, 3))(:,4)
%!error id=gpumm:undefined-operator gpuArray (sparse (1)) * {}
%!error id=Octave:nonconformant-args gpuArray (blocksparse (4, 6, 2)) * blocksparse (4, 6, 2)
%!error id=Octave:nonconformant-args gpuArray (blocksparse (6, 6, 2)) * blocksparse (6, 6, 3)
%!error id=Octave:nonconformant-args gpuArray (blocksparse (6, 6, 2)) + ones (5)
%!error id=gpumm:undefined-operator gpuArray (blocksparse (4, 4, 2)) * int8 (ones (4))
%!error id=gpumm:undefined-operator gpuArray (blocksparse (4, 4, 2)) * int8 (blocksparse (4, 4, 2))
%!error id=gpumm:undefined-operator gpuArray (blocksparse (4, 4, 2)) * {}
%!error id=gpumm:unsupported gpuArray (blocksparse (4e5, 4e5, 2)) + 1
%!error id=gpumm:blocksparse:size blocksparse (gpuArray (ones (4)), 3)
%!error id=gpumm:bad-value dropblocks (gpuArray (blocksparse (4, 4, 2)), -1)
%!error id=gpumm:bad-value dropblocks (blocksparse (4, 4, 2), [1, 2])
%!error id=Octave:invalid-fun-call dropblocks (blocksparse (4, 4, 2))
%!error id=gpumm:invalid dropblocks (gpuArray (1), 1)
%!error id=gpumm:invalid dropblocks (1, blocksparse (4, 4, 2))
%!error id=gpumm:invalid blocksize (gpuArray (1))
%!error id=gpumm:invalid nnzb (gpuArray (speye (2)))

## operands whose classes or sizes have no product: Octave's words, and what to write
%!test
%! I = int8 (magic (2));
%! D = magic (2);
%! for call = {@() gpuArray(I) * D, @() gpuArray(I) + int16(D), @() gpuArray(sparse (D)) + int8(1), @() D * gpuArray(I)}
%!   check_error ("gpumm:undefined-operator", "Convert one of the operands to the class of the other$", call{1});
%! endfor
%! check_error ("gpumm:undefined-operator", "^binary operator '\\*' not .* by 'cell' operations$", @() gpuArray(1) * {});
%! check_error ("Octave:nonconformant-args", "pagemtimes multiplies each page", @() gpuArray(ones (2, 2, 2)) * D);
%! [id, text] = error_of (@gpumm, gpuArray (D), D, "Algorithm", "cublas");
%! ## the host device has no cuBLAS
%! assert (gpumm_available ("gpu") || ! isempty (regexp (text, ["algorithm \"cublas\" needs a GPU, and there is none: ", ...
%!                                                     "|no kernel of \"cublas\" .* host device"])), text);
%! check_error ("gpumm:undefined-operator", "^gpumm: .* by 'cell' operations$", @gpumm, gpuArray (D), {});

## a function of Octave that knows no gpuArrays is named, with what to write
%!test
%! for f = {@pinv, @inv, @eig, @svd, @fft}
%!   for X = {gpuArray(magic (3)), gpuArray(sparse (magic (3))), gpuArray(blocksparse (magic (4), 2))}
%!     [id, text] = error_of (f{1}, X{1});
%!     assert (id, "gpumm:gpuArray:gather");
%!     name = func2str (f{1});
%!     assert (text, sprintf ("%s: not available for a gpuArray. Write gpuArray (%s (gather (X)))", name, name));
%!   endfor
%! endfor

## parts that are put together
%!function list = joins (format)
%!  list = {@(x, y) [x, y], @(x, y) [x; y], @(x, y) [x, y; y, x], @(x, y) horzcat(x, y, x), ...
%!          @(x, y) vertcat(y, x), @(x, y) cat(1, x, y), @(x, y) cat(2, x, y, y), ...
%!          @(x, y) [x', y'], @(x, y) [x.'; y.'], @(x, y) [2 * x - x, y], @(x, y) [x - x, y]};
%!  if (strcmp (format, "sparse"))
%!    list = [list, {@(x, y) [2 * x; []; y], @(x, y) [[], x, 2 * y], ...
%!                   @(x, y) [x, sparse(2, 3), y], @(x, y) [sparse(1, 3); x; y], ...
%!                   @(x, y) [ones(1, 3); x; y], @(x, y) [x; y(1,:)], ...
%!                   @(x, y) [x, y; ones(2, 6)], @(x, y) [x, y, [1i; 2]], ...
%!                   @(x, y) [x, [1; 2; 3], y], @(x, y) [x, y, single([1; 2])], ...
%!                   @(x, y) cat(3, x, y), @(x, y) [x - x; y - y; x]}];
%!  else
%!    list = [list, {@(x, y) [x; []; y], @(x, y) [[], x, y], @(x, y) [x, ones(rows (x), 2), y], ...
%!                   @(x, y) [x; y; ones(1, columns (x))], @(x, y) [x, ones(3, 1), y], ...
%!                   @(x, y) [x - x; y; y]}];
%!  endif
%!endfunction
%!test <*parts that are put together>
%! S = sparse ([1, 0, 2; 0, 0, 3]);
%! T = S > 0;
%! F = [1, 2, 3; 0, 0, 4];
%! for pair = {{S, S}, {S, T}, {T, T}, {S, S * 1i}, {T, S * 2i}, {S, sparse(2, 3)}, ...
%!             {sparse(2, 3), S}, {S, F}, {F, S}, {T, F > 1}, {F > 1, T}, ...
%!             {sparse(2, 0), sparse(2, 0)}, {sparse(0, 3), sparse(0, 3)}, {S, sparse(2, 0)}, ...
%!             {S, zeros(2, 0)}, {S, sparse(2, 3) > 0}, {sparse(2, 3) > 0, T}}
%!   there = logical ([1, 1; 1, 0; 0, 1])(1:3 - islogical (pair{1}{1}),:); # see below
%!   check_table (joins ("sparse"), pair, 0, "there", there);
%! endfor
%! check_table ({@(x) [x], @(x) [x, x, x], @(x) [x; x; x], @(x) [zeros(1, 0); 2 * x], ...
%!               @(x) [2 * x; zeros(1, 0)], @(x) [2 * x, zeros(0, 1)], @(x) [sparse(2, 3); x], ...
%!               @(x) [x, true(rows (x), 1)], @(x) horzcat(ones (rows (x), 1), x), ...
%!               @(x) horzcat(x), @(x) [eye(rows (x)), x]}, [patterns("sparse"), {T}], 0, ...
%!              "refuses", @has_number);
%! list = patterns ("blocks");
%! S = list{1};
%! pairs = {{S, S}, {S, list{13}}, {S, single(S)}, {list{12}, list{12}}, {S, list{6}}, ...
%!          {S, blocksparse(8, 8, 2)}, {blocksparse(8, 8, 2), S}, {S, blocksparse(full (S), 4)}, ...
%!          {blocksparse(full (S), 4), S}, {S, full(S)}, {full(S), S}, {S, sparse(S)}, ...
%!          {sparse(S), S}, {list{3}, list{4}}, {list{10}, list{10}}, {list{10}, S(1:4,:)}, ...
%!          {S, S > 0}, {list{8}, list{8}}};
%! check_table (joins ("blocks"), pairs, 0, "there", logical ([1, 1; 1, 0; 0, 1]));
%! check_table ({@(x) [x], @(x) [x, x, x], @(x) [x; x; x], @(x) [x; zeros(1, 0)], ...
%!               @(x) [x, zeros(0, 1)], @(x) horzcat(x), @(x) [zeros(1, 0); x; x]}, list);

## before a logical part on the device Octave does not say of which class parts of the host were
%!test
%! assert (underlyingType ([speye(2) > 0, gpuArray(speye (2) > 0)]), "double");
%! assert (underlyingType ([gpuArray(speye (2) > 0), speye(2) > 0]), "logical");

## with a blocksparse, whose type is there only now, after those of gpuArrays
%!test
%! S = blocksparse (magic (4), 2);
%! for X = {{gpuArray(magic (4)), S}, {S, gpuArray(magic (4))}, ...
%!          {gpuArray(sparse (magic (4))), S}, {S, gpuArray(sparse (magic (4)))}, ...
%!          {gpuArray(S), S}, {S, gpuArray(S)}}
%!   Y = [X{1}{:}];
%!   assert (class (Y), "gpuArray");
%!   assert (full (gather (Y)), [magic(4), magic(4)]);
%! endfor

## the place that Octave gives to a part behind an empty row is wrong: never a wrong result
%!test
%! G = gpuArray (speye (2));
%! for f = {@() [zeros(1, 0); G; G], @() [zeros(1, 0); gpuArray(ones (2)); gpuArray(ones (2))], ...
%!          @() horzcat(zeros (0, 1), G, G)}
%!   assert (error_of (f{1}), "gpumm:unsupported", func2str (f{1}));
%! endfor

## transposes that are kept, values that change below them
%!test
%! for S = {sparse([1, 0, 2; 0, 3, 0]), patterns("blocks"){4}}
%!   S = S{1};
%!   G = gpuArray (S);
%!   x = (1:columns (S)).';
%!   assert (gather (G * x), S * x);
%!   H = G * 2;
%!   assert (gather (H * x), 2 * S * x);
%!   assert (gather (G * x), S * x);
%!   assert (gather (G' * (G * x)), S' * (S * x));
%!   K = G';
%!   T = K + K;
%!   assert (difference (T, 2 * S'), "");
%!   clear G
%!   assert (difference (K * K', S' * S), "");
%!   K += K;
%!   assert (difference (K, 2 * S'), "");
%!   assert (difference (H, 2 * S), "");
%!   F = gpuArray (ones (size (S)));
%!   F = F + S;
%!   assert (difference (F, 1 + full (S)), "");
%! endfor

## ---- sparse matrices ----------------------------------------------------------------------------

## Inf times zeros that are not stored; and what makes complex numbers in Octave up to 10
%!test
%! for p = patterns ("sparse")
%!   for f = {@(x) x * Inf, @(x) x / 0}
%!     if (! zeros_count () || isscalar (p{1}))
%!       assert (compare (f{1}, p, 0, "refuses", @has_number), "");
%!     else
%!       assert (error_of (@() f{1}(gpuArray (p{1}))), "gpumm:gpuArray:gather");
%!     endif
%!   endfor
%! endfor
%! if (is_on_device ())
%!   check_table ({@(x) x .^ 0.5}, patterns ("sparse"), @near, "refuses", @has_number, ...
%!                "oracle", @(x) spfun (@sqrt, double (x)));
%! endif

%!function Z = by_number (X, Y)
%!  if (isscalar (Y))
%!    Z = X / Y;
%!  else
%!    Z = X \ Y;
%!  endif
%!endfunction
%!test <*a sparse number and full or diagonal matrices>
%! orders = {@lt, @le, @gt, @ge};
%! for number = {0, 2, -0.5, NaN, -Inf, true, 1 + 2i}
%!   S = sparse (number{1});
%!   for F = {[1, 2, 3], [Inf; NaN; 0; -2], magic(3), true(1, 2), [1i, 2], eye(3), ...
%!            diag([1, 0, 2])(:,1:2)}
%!     operators = {@plus, @minus, @times, @rdivide, @ldivide, @power, @eq, @ne, @and, @or};
%!     is_complex = iscomplex (S) || iscomplex (F{1});
%!     is_diagonal = ! isempty (strfind (typeinfo (F{1}), "diagonal"));
%!     if (is_diagonal && iscomplex (S))
%!       continue; # an error, as beside a full matrix; diagonal on the host, sparse on a device
%!     endif
%!     if (! is_complex) # Octave has orders of its own
%!       operators = [operators, orders];
%!     endif
%!     there = [true, false];
%!     if (! is_diagonal)
%!       operators = [operators, {@mtimes, @by_number}];
%!       there = logical ([1, 0; 1, 1]);
%!     endif
%!     check_table (operators, {{S, F{1}}}, @near, "there", there, "refuses", true);
%!     check_table (operators, {{F{1}, S}}, @near, "there", fliplr (there), "refuses", true);
%!   endfor
%! endfor

## a number that is sparse may be a zero that is not stored
%!test
%! list = {};
%! for x = {sparse(0), sparse(2), sparse(-1), sparse(NaN), sparse(false), sparse(true)}
%!   for y = {sparse(0), sparse(2), sparse(NaN), 0, 2, -1, true, NaN, -Inf, 2i}
%!     list{end+1} = [x, y];
%!   endfor
%! endfor
%! check_table ({@eq, @ne, @plus, @minus, @(x, y) y == x}, list, 0, "there", logical ([1, 0; 1, 1]));
%! ## Octave 11 says 0 for sparse (0) .* sparse (NaN), and NaN for larger ones. Octave 7 says 0 for
%! ## sparse (NaN) * sparse (0), NaN for sparse (0) * sparse (NaN), and -Inf for NaN ./ sparse (0).
%! are_finite = cellfun (@(o) ! (issparse (o{2}) && full (isnan (o{1} + o{2}))), list);
%! fs = {@times, @mtimes, @(x, y) y .* x, @(x, y) y * x};
%! check_table (fs, list(are_finite), 0, "there", logical ([1, 0; 1, 1]));
%! divide = {@rdivide, @mrdivide, @ldivide, @mldivide, @(x, y) y ./ x, @(x, y) y / x};
%! warning ("off", "Octave:singular-matrix", "local");
%! warning ("off", "Octave:nearly-singular-matrix", "local");
%! check_table (divide, list(cellfun (@(o) isreal (o{2}) && ! isnan (o{1} + o{2}), list)), ...
%!              0, "there", logical ([1, 0; 1, 1]));
%! list = list(cellfun (@(o) isreal (o{2}) && ! isnan (o{2}), list));
%! fs = {@lt, @le, @gt, @ge, @and, @(x, y) y > x};
%! check_table (fs, list, 0, "there", logical ([1, 0; 1, 1]));
%! is_nan = cellfun (@(operands) full (isnan (operands{1})), list); # Octave 11 refuses NaN | y
%! check_table ({@or, @(x, y) y | x}, list(! is_nan), 0, "there", logical ([1, 0; 1, 1]));
%! G = gpuArray (sparse (3, 3));
%! assert (full (gather (max (max (abs (G))) < 1e-8)));
%! assert (full (gather (sum (sum (G)) == 0)));
%! for f = {@(x) x ./ x, @(x) 0 / x, @(x) x * sparse(NaN)}
%!   assert (isnan (full (gather (f{1} (gpuArray (sparse (0)))))), func2str (f{1}));
%! endfor

## with full ones on either side, on the device or not
%!test
%! fs = {@plus, @minus, @times, @rdivide, @(x, y) y - x, @(x, y) y .* x, @(x, y) x * y.', ...
%!       @(x, y) y' * x, @(x, y) y * x', @(x, y) x.' * y, @(x, y) x.' * y(:,1:end), ...
%!       @(x, y) x' * conj (y)};
%! for p = patterns ("sparse")
%!   F = reshape (mod (1:numel (p{1}), 5) - 2, size (p{1}));
%!   check_table (fs, {{p{1}, F}, {p{1}, complex(F, 1)}}, @near, "there", ...
%!                logical ([1, 1; 0, 1]), "refuses", @has_number);
%! endfor

## rows and columns scaled by a vector, as by a diagonal matrix, which Octave 11's sparse matrices
## have, too; a factor that makes NaN of zeros is refused
%!test
%! texts = {};
%! for p = patterns ("sparse")([1, 3, 4, 5])
%!   v = 1:columns (p{1});
%!   u = (1:rows (p{1})).';
%!   for form = {@(x) x, @gpuArray, @sparse, @(x) gpuArray(sparse (x))}
%!     [V, U] = deal (form{1} (v), form{1} (u));
%!     for pair = {@(x) x .* V, @(x) x * diag(v)
%!                 @(x) V .* x, @(x) x * diag(v)
%!                 @(x) x ./ V, @(x) x * diag(1 ./ v)
%!                 @(x) U .* x, @(x) diag(u) * x
%!                 @(x) x.' ./ form{1}(u.'), @(x) x.' * diag(1 ./ u)}.'
%!       texts{end+1} = compare (pair{1}, p, @near, "oracle", pair{2});
%!     endfor
%!   endfor
%!   texts{end+1} = compare (@(x) x ./ (1 + sum (abs (x), 1)), p, @near, ...
%!                           "oracle", @(x) x * diag (1 ./ (1 + full (sum (abs (x), 1)))));
%! endfor
%! fail_with (texts);
%! G = gpuArray (sparse ([1, 0, 2; 0, 0, 3]));
%! for form = {@(x) x, @gpuArray, @sparse, @(x) gpuArray(sparse (x))}
%!   for f = {NaN, Inf, complex(1, -Inf)}
%!     for call = {@(u) G .* u, @(u) u .* G}
%!       assert (error_of (@() call{1} (form{1} ([1, f{1}, 1]))), "gpumm:gpuArray:gather");
%!       assert (error_of (@() call{1} (form{1} ([1; f{1}]))), "gpumm:gpuArray:gather");
%!     endfor
%!   endfor
%!   for f = [0, NaN]
%!     assert (error_of (@() G ./ form{1} ([1, f, 1])), "gpumm:gpuArray:gather");
%!     assert (error_of (@() G ./ form{1} ([1; f])), "gpumm:gpuArray:gather");
%!   endfor
%!   assert (gather (G ./ form{1} ([1, Inf, 1])), gather (G) * diag ([1, 0, 1]));
%! endfor
%! ## other operators have rows and columns in Octave 11 only
%! for f = {@plus, @minus, @lt, @or, @and}
%!   for v = {[1, 2, 3], sparse([1; 2])}
%!     try
%!       wanted = "gpumm:gpuArray:gather";
%!       f{1} (gather (G), v{1});
%!     catch err
%!       wanted = err.identifier;
%!     end_try_catch
%!     assert (error_of (@() f{1} (G, v{1})), wanted, func2str (f{1}));
%!   endfor
%! endfor

## what cancels, overflows, and zeros that are not stored
%!test
%! S = sparse ([1, -1, 3; 2, -2, 0]);
%! G = gpuArray (S);
%! assert (nnz (G * [0, 0; 0, 0; 1, 1]), 2);
%! assert (nnz (G * gpuArray (sparse ([1; 1; 0]))), 0);
%! assert (nnz (G .* 1e-200 .* 1e-200), 0);
%! assert (nnz (G - G), 0);
%! assert (nnz (gpuArray (S + sparse (1, 1, 1, 2, 3)) - gpuArray (S)), 1);
%! if (! zeros_count ())
%!   assert (difference (((G > 1) .* (G * Inf)) .* 0.5, ((S > 1) .* (S * Inf)) .* 0.5), "");
%!   assert (difference (((G * 1e-300) .^ 2) * Inf, ((S * 1e-300) .^ 2) * Inf), "");
%! endif
%! assert (difference ((G - G) * gpuArray (sparse ([Inf; NaN; 1])), ...
%!                     (S - S) * sparse ([Inf; NaN; 1])), "");
%! for divided = {@(x) x / 0, @(x) x ./ 0, @(x) 0 \ x, @(x) x / sparse (0)}
%!   if (zeros_count ())
%!     assert (error_of (@() divided{1} (G)), "gpumm:gpuArray:gather");
%!   else
%!     assert (difference (divided{1} (G .* (G > 1)), divided{1} (S .* (S > 1))), "");
%!   endif
%! endfor
%! ## both of one pattern, each with zeros where the other is infinite
%! S = sparse ([Inf, 2, 3, -Inf]);
%! for f = {@(x) (x .* (x > 0)) .* (x .* (x < 0)), @(x) (x .* (x < 0)) .* (x .* (x > 0)), ...
%!          @(x) (x .* (x > 2)) .* (x .* (x < 0))}
%!   assert (compare (f{1}, {S}), "");
%! endfor

## zeros that are stored, NaN as a truth value, empty ones, and matrices that Octave takes as full
## ones
%!test
%! S = sparse ([1, 0, 3; 0, 2, 0]);
%! T = sparse ([0, NaN, 0; 2, 0, Inf; 0, complex(NaN, 1), 0]);
%! D = diag ([1, NaN, 2]);
%! check_table ({@(x) (x .* (x > 1)) .^ 1i}, {S}, @near);
%! check_table ({@any, @(x) any(x, 2), @(x) any(x.', 1), @(x) x & 1, @(x) 1 & x, ...
%!               @(x) any(real (x)), @(x) x .* eye(3), @(x) eye(3) .* x, @(x) x .* D, ...
%!               @(x) x + eye(3)([2, 1, 3],:), @(x) eye(3)([2, 1, 3],:) - x, ...
%!               @(x) x * eye(3)([2, 1, 3],:), @(x) x + eye(3)}, {T});
%! if (issparse (sparse ([1, 0]) | 0)) # full in Octave 11, where a full NaN has no truth value
%!   check_table ({@(x) x | 0}, {T});
%! endif
%! check_table ({@diag, @(x) diag(x.'), @any, @(x) any(x, 2)}, ...
%!              {sparse(0, 5), sparse(5, 0), sparse(0, 0), sparse(1, 0)});
%! check_table ({@dot}, {{sparse(1, 0), sparse(1, 0)}, ...
%!                       {abs(sparse (magic (3))), sparse(magic (3) - 2)}});
%! ## logical keeps the sparsity, and NaN is an error
%! check_table ({@logical}, {sparse([0, 2, 0; -1, 0, 0.5]), sparse(2, 3)});
%!error <NaN> logical (gpuArray (sparse ([0, NaN])))

## the report and the options of gpumm, of each pair of formats: the class and the elements of the
## product on the host, and as many operations
%!function check_gpumm (A, B, varargin)
%!  text = sprintf ("%s by %s %s", typeinfo (A), typeinfo (B), disp (varargin));
%!  [c, expected] = gpumm (A, B, varargin{:});
%!  [C, info] = gpumm (gpuArray (A), gpuArray (B), varargin{:});
%!  assert (isgpuarray (C) && strcmp (underlyingType (C), underlyingType (c)), text);
%!  assert (issparse (C) == issparse (c) && info.flops == expected.flops, text);
%!  difference = double (full (gather (C))) - double (full (c));
%!  assert (norm (difference, Inf) <= 1e-12 * norm (double (full (c)), Inf), text);
%!  assert (! isempty (info.reason) && ! isempty (info.kernel), text);
%!  assert (isequal (fieldnames (info), fieldnames (expected)), text);
%!  assert (isequal (gather (gpumm (gpuArray (A), B, varargin{:})), gather (C)), text);
%!endfunction

%!test
%! s = sprand (12, 9, 0.4);
%! t = sprand (9, 12, 0.4) + 1i * sprand (9, 12, 0.4);
%! b = blocksparse (full (sprand (12, 9, 0.4)), 3);
%! u = blocksparse (uint16 (300 * rand (16)), 4);
%! check_gpumm (s, t);
%! check_gpumm (s, s, "TransposeB", "transpose");
%! check_gpumm (t, t, "TransposeA", "ctranspose");
%! check_gpumm (s, s != 0, "TransposeA", "transpose");
%! check_gpumm (s, rand (9, 5));
%! check_gpumm (rand (5, 12) + 1i, s);
%! check_gpumm (b, b, "TransposeB", "transpose");
%! check_gpumm (b, rand (9, 5));
%! check_gpumm (rand (12, 5), b, "TransposeA", "transpose");
%! check_gpumm (u, u);
%! for class = {"uint32", "uint16", "int64"}
%!   check_gpumm (u, u, "OutputClass", class{1});
%! endfor
%! [C, info] = gpumm (gpuArray (s), gpuArray (s'), "Algorithm", "spgemm");
%! assert (info.algorithm, "spgemm");
%! [C, info] = gpumm (gpuArray (u), gpuArray (u), "OutputClass", "uint32", "Algorithm", "classic");
%! assert (strncmp (info.kernel, "classic", 7));
%! [C, info] = gpumm (gpuArray (s), 2);
%! assert (info.algorithm, "scale");
%!error id=gpumm:unsupported gpumm (gpuArray (speye (2)), gpuArray (speye (2)), "Algorithm", "classic")

## gpumm multiplies what `*` multiplies
%!test
%! S = sparse ([1, 0, 3; 0, 2, 0; 0, 0, 1i]);
%! F = magic (3);
%! check_table ({@(x) gpumm(x, x), @(x) gpumm(x, F), @(x) gpumm(F, x), @(x) gpumm(x, 2), ...
%!               @(x) gpumm(x, eye (3)), @(x) gather(gpumm (gpuArray (F), x)), ...
%!               @(x) gather(gpumm (x, gpuArray (F))), ...
%!               @(x) gpumm(x, F, "TransposeA", "ctranspose"), ...
%!               @(x) gpumm(F, x, "TransposeB", "transpose"), @(x) gpumm(F, F, "C", x), ...
%!               @(x) gpumm(x, ones (4)), @(x) gpumm(x, single (F)), @(x) gpumm(x, int8 (F)), ...
%!               @(x) gpumm(x, ones (3, 3, 2)), @(x) gpumm(x, x, "Output", "full")}, {S}, @near);

## comparisons with empty matrices: of Octave's sizes
%!test
%! sizes = {[2, 1], [1, 2], [2, 2], [0, 0], [0, 1], [1, 0], [0, 2], [2, 0], [1, 1]};
%! values = cellfun (@(n) {zeros(n), sparse(zeros (n))}, sizes, "UniformOutput", false);
%! values = [values{:}];
%! pairs = cellfun (@(x) cellfun (@(y) {{x, y}}, values), values, "UniformOutput", false);
%! pairs = [pairs{:}];
%! with_empty = cellfun (@(p) (isempty (p{1}) || isempty (p{2})) ...
%!                            && (issparse (p{1}) || issparse (p{2})), pairs);
%! check_table ({@lt, @le, @eq, @ne, @ge, @gt, @and, @or}, pairs(with_empty), 0, ...
%!              "there", logical ([1, 1; 1, 0; 0, 1]), "ids", false);

## an order that is none is Octave's error; the indices 1 and : behind the second have no effect
%!test
%! S = sparse ([1, 0, 3; 0, 2, 0]);
%! check_table ({@(x) permute(x, [1, 2]), @(x) permute(x, [2, 1]), @(x) ipermute(x, [2, 1]), ...
%!               @(x) permute(x, [2, 2]), @(x) permute(x, [1, 1]), @(x) permute(x, [2, 5]), ...
%!               @(x) permute(x, [2, 1, 3]), @(x) ipermute(x, [2, 2])}, {S});
%! fail ("permute (gpuArray (sparse (magic (2))), [2, 2])", ...
%!       "permutation vector contains an invalid element");
%! for f = {@(x) x(:,:,1), @(x) x(2,:,1), @(x) x(:,3,:,1), @(x) x(1,3,1)}
%!   assert (difference (f{1} (gpuArray (S)), sparse (f{1} (full (S)))), "", func2str (f{1}));
%! endfor

## long columns and rows
%!test
%! n = 5000;
%! S = sparse (n, n);
%! S(:,7) = 1;
%! S(11,:) = 2;
%! S += speye (n);
%! check_table ({@sum, @(x) sum(x, 2), @max, @(x) min(-x), @(x) x + x', @(x) x .* x', ...
%!               @(x) x(:,[7, 8]), @diag}, {S});
%! G = gpuArray (S);
%! assert (difference (G ./ (1:n), S * diag (1 ./ (1:n)), 1e-15), "");
%! for m = [1, 2, 4, 9, 17]
%!   F = round (8 * rand (n, m)) - 4;
%!   check_table ({@(x) x * F, @(x) x' * (F + 2i), @(x) (1 - 1i) * x * F, @(x) F' * x}, {S});
%! endfor

## Rows without entries take no memory, in operations that take none in Octave. In host memory
## Octave makes G'.
%!function X = stretched (x, place, rows)
%!  [i, j, v] = find (x);
%!  X = sparse (place(i), j, v, rows, columns (x));
%!endfunction
%!test
%! rows = 2^31 - 20;
%! far = @(x) stretched (x, [3, 7, 1e9, 2e9, rows], rows);
%! s = sparse ([1, 2, 3, 1, 5], [1, 2, 3, 4, 2], 1:5, 5, 4);
%! t = sparse ([2, 3, 4], [1, 3, 5], [1, 1, 2], 5, 5);
%! k = sparse ([1, 2, 3, 1], [1, 2, 3, 2], 1:4, 4, 3);
%! G = gpuArray (far (s));
%! H = gpuArray (far (t));
%! if (__gpuarray__ ("device", G) != -1)
%!   assert (isequal (gather (G' * G), s' * s));
%!   assert (isequal (gather (((1+2i) * G)' * H), ((1+2i) * s)' * t));
%!   assert (isequal (gather (gpumm (G, H, "TransposeA", "transpose")), s' * t));
%!   assert (isequal (gather ((G > 2)' * H), (s > 2)' * t));
%!   assert (isequal (gather (G * gpuArray (k)), far (s * k)));
%! endif
%! assert (isequal (gather (G(1:9,:)), far (s)(1:9,:)));
%! assert (isequal (gather (G(:,2)(5:1e9)), far (s)(5:1e9,2)));
%! assert (isequal (gather (G(rows,2)), s(5,2)));
%! assert (isequal (gather (G + H(:,1:4)), far (s + t(:,1:4))));
%! assert (isequal (gather (max (G)), max (s)));
%! assert (isequal (gather (norm (G, 1)), norm (s, 1)));
%! assert (isequal (gather ([G; H(1:9,1:4)]), [far(s); far(t)(1:9,1:4)]));

## gpublocks.tst - matrices in blocks that stay on a device, beside blocksparse of the host: each operation on
## patterns with edges, its errors, and random programs.
##
## The device is the GPU, if there is one, else host memory.  GPUMM_RANDOM_CASES in the environment is
## the number of random programs (150), GPUMM_SEED the seed, which is printed.
## SPDX-License-Identifier: BSD-3-Clause

## What is wrong with GIVEN, from the device, beside WANTED of the host; rounding may differ by TOL.
%!function text = difference (given, wanted, tol = 0)
%!  text = "";
%!  stored = -1;
%!  if (strcmp (class (given), "gpuArray"))
%!    if (strcmp (typeinfo (given), "blocksparse gpuArray"))
%!      stored = nnzb (given);
%!    endif
%!    given = gather (given);
%!  endif
%!  if (iscomplex (given) && ! any (imag (full (given))(:)))
%!    given = real (given);
%!  endif
%!  if (! strcmp (class (given), class (wanted)))
%!    text = sprintf ("class %s and not %s", class (given), class (wanted));
%!  elseif (! strcmp (underlyingType (given), underlyingType (wanted)))
%!    text = sprintf ("%s and not %s", underlyingType (given), underlyingType (wanted));
%!  elseif (issparse (given) != issparse (wanted))
%!    text = sprintf ("sparse: %d and not %d", issparse (given), issparse (wanted));
%!  elseif (! isequal (size (given), size (wanted)))
%!    text = sprintf ("size %s and not %s", mat2str (size (given)), mat2str (size (wanted)));
%!  else
%!    if (isa (wanted, "blocksparse"))
%!      s = struct (given);
%!      w = struct (wanted);
%!      if (! isequal (blocksize (given), blocksize (wanted)))
%!        text = "other blocks";
%!      elseif (stored != -1 && stored != numel (s.column))
%!        text = sprintf ("nnzb is %d and not %d", stored, numel (s.column));
%!      elseif (tol == 0 && ! (isequal (s.start, w.start) && isequal (s.column, w.column)))
%!        text = "another pattern";
%!      endif
%!    endif
%!    x = full (given);
%!    y = full (wanted);
%!    same = x == y | (isnan (x) & isnan (y));
%!    if (tol > 0)
%!      same |= abs (x - y) <= tol * max (abs (y), 1);
%!    endif
%!    if (isempty (text) && ! all (same(:)))
%!      text = sprintf ("%s and not %s", mat2str (x, 5), mat2str (y, 5));
%!    endif
%!  endif
%!endfunction

## Compares F with arguments on the device and on the host.
%!function text = compare (f, args, tol = 0)
%!  text = compare_ways (f, args, true (1, numel (args)), tol){1};
%!endfunction

## The same once for each row of THERE, which says the arguments that are on the device.
%!function texts = compare_ways (f, args, there, tol = 0)
%!  texts = cell (1, rows (there));
%!  err = [];
%!  try
%!    wanted = f (args{:});
%!  catch err
%!  end_try_catch
%!  for i = 1:rows (there)
%!    text = "";
%!    said = [];
%!    given = args;
%!    given(there(i,:)) = cellfun (@gpuArray, args(there(i,:)), "UniformOutput", false);
%!    try
%!      given = f (given{:});
%!    catch said
%!    end_try_catch
%!    if (isempty (err) != isempty (said))
%!      text = ["error: " [err, said].message];
%!    elseif (isempty (err))
%!      text = difference (given, wanted, tol);
%!    elseif (! isempty (err.identifier) && ! strcmp (err.identifier, said.identifier))
%!      text = sprintf ("error %s and not %s", said.identifier, err.identifier);
%!    endif
%!    if (! isempty (text))
%!      text = sprintf ("%s of %s, on the device %s: %s", func2str (f), ...
%!                      strjoin (cellfun (@(x) mat2str (full (x), 4), args, "UniformOutput", false), " and "), ...
%!                      mat2str (there(i,:)), text);
%!    endif
%!    texts{i} = text;
%!  endfor
%!endfunction

%!function fail_with (texts)
%!  texts = texts(! cellfun (@isempty, texts));
%!  if (! isempty (texts))
%!    error ("%d failures:\n%s", numel (texts), strjoin (texts(1:min (20, end)), "\n"));
%!  endif
%!endfunction

## Small whole numbers in blocks of B where P is true, so that sums are exact.
%!function S = filled (P, b)
%!  A = kron (double (P), ones (b));
%!  S = blocksparse (A .* (reshape (mod ((1:numel (A)) * 7, 5) - 2, size (A)) + (A != 0) * 0.5), b);
%!endfunction

## With empty rows and columns of blocks, a hub, one block, blocks of 1 x 1, rectangular blocks, no blocks.
%!function list = patterns ()
%!  hub = eye (5);
%!  hub(:,3) = 1;
%!  hub(2,:) = 1;
%!  some = [1, 0, 1, 0; 0, 0, 0, 0; 0, 1, 1, 0; 1, 0, 0, 0];
%!  band = toeplitz ([1, 1, 0, 0]);
%!  list = {filled(some, [2, 2]), filled(hub, [2, 2]), filled(band, [3, 3]), ...
%!          filled(some(1:3,:), [2, 3]), filled(some(:,1:3), [3, 2]), filled(some, [1, 1]), ...
%!          filled(some, [1, 4]), filled(1, [3, 3]), filled(zeros (2, 3), [2, 2]), ...
%!          blocksparse(0, 4, [2, 2]), blocksparse(4, 0, [2, 2]), ...
%!          single(filled (band, [2, 2])), filled(some, [2, 2]) * complex(1, 2), ...
%!          single(filled (hub, [1, 1]) * complex(1, -1))};
%!endfunction

## ---- to the device and back ----------------------------------------------------------------------

%!test
%! texts = {};
%! for p = patterns ()
%!   S = p{1};
%!   G = gpuArray (S);
%!   assert (class (G), "gpuArray");
%!   assert ({size(G), nnz(G), nnzb(G), nzmax(G), blocksize(G), numel(G), issparse(G), isreal(G), ...
%!            iscomplex(G), islogical(G), isnumeric(G), isfloat(G), isinteger(G), isempty(G), ...
%!            issquare(G), rows(G), columns(G), ndims(G)}, ...
%!           {size(S), nnz(S), nnzb(S), nzmax(S), blocksize(S), numel(S), false, isreal(S), ...
%!            iscomplex(S), false, true, true, false, isempty(S), issquare(S), rows(S), columns(S), 2});
%!   assert (underlyingType (G), underlyingType (S));
%!   assert (isgpuarray (G) && existsOnGPU (G) == gpumm_available ("gpu"));
%!   assert (evalc ("disp (G)"), evalc ("disp (S)"));
%!   texts(end+1:end+5) = {difference(G, S), difference(gpuArray (G), S), difference(full (G), full (S)), ...
%!                         difference(sparse (G), sparse (S)), difference(G.', S.')};
%!   assert (isequal (G, S) && isequal (G, G) && isequal (S, G));
%!   if (! isempty (S))
%!     texts{end+1} = difference (blocksparse (full (G), blocksize (S)), S);
%!     texts{end+1} = difference (blocksparse (gpuArray (full (S)), 1), blocksparse (full (S), 1));
%!   endif
%! endfor
%! fail_with (texts);

## large ones are shown by their kind
%!test
%! G = gpuArray (blocksparse (speye (2000), 2));
%! assert (strtrim (evalc ("G")), "G = 2000x2000 blocksparse gpuArray, double, 1000 blocks of 2x2");

%!test
%! G = gpuArray (blocksparse (speye (4), 2));
%! assert (mat2str (G), mat2str (eye (4)));
%! assert (sprintf ("%g", G), sprintf ("%g", eye (4)));
%! info = whos ("G");
%! assert ({info.class, info.size}, {"gpuArray", [4, 4]});

## ---- functions and operators ---------------------------------------------------------------------

%!test <*functions of one>
%! functions = {@(x) x', @(x) x.', @(x) -x, @(x) +x, @abs, @sqrt, @sign, @round, @floor, @real, @imag, ...
%!              @conj, @sin, @(x) x * 2, @(x) 3 * x, @(x) x / 4, @(x) x ./ 2, @(x) 2 \ x, @(x) x .* -1, ...
%!              @(x) x .^ 2, @(x) x .^ 3, @(x) x .^ 0.5, @(x) x * 0, @(x) x * 1i, @(x) single(2) * x, ...
%!              @(x) x .* x, @(x) x + x, @(x) x - x, @(x) x + 2 * x, @(x) x + 2 * x.'.', @double, @single, ...
%!              @sum, @(x) sum(x, 1), @(x) sum(x, 2), @(x) sum(abs (x), 2), @sumsq, @full, @(x) x.' * x, ...
%!              @(x) x * x.', @(x) x' * x, @(x) x' + x', @(x) (x.' .* 2)', @(x) x' .* x.', ...
%!              @(x) x * ones(columns (x), 3), @(x) ones(2, rows (x)) * x, @(x) x' * ones(rows (x), 1), ...
%!              @(x) x.' * (ones(rows (x), 2) * 1i), @(x) x * ones(columns (x), 2, "single"), ...
%!              @(x) x * true(columns (x), 1), @(x) x + ones(size (x)), @(x) ones(size (x)) - x, ...
%!              @(x) x .* ones(size (x)), @(x) x > 1, @(x) x != 0, @(x) x + 1, @(x) 2 .^ x, @(x) 1 ./ x, ...
%!              @(x) !x, @(x) x & 1, @(x) x / 0, @(x) x .* NaN, @(x) x .^ -1, @nnz, @nnzb, @(x) norm(x, "fro"), ...
%!              @(x) x * ones(99, 1), @(x) ones(99) + x, @(x) dropblocks(x, 2), @(x) dropblocks(x, 0), ...
%!              @(x) dropblocks(x.', 4), @(x) dropblocks(x, 1e3), @(x) dropblocks(2 * x - x, 2), ...
%!              @(x) sparse(x), @(x) sparse(x'), @(x) full(x'), @(x) x * diag (1:columns (x)), ...
%!              @(x) x * eye (columns (x))(:,end:-1:1)};
%! texts = {};
%! for f = functions
%!   for p = patterns ()
%!     texts{end+1} = compare (f{1}, p, 1e-6 * isa (p{1}, "single") + 2e-15);
%!   endfor
%! endfor
%! fail_with (texts);

%!test <*functions of square ones>
%! texts = {};
%! for p = patterns ()
%!   S = p{1};
%!   if (issquare (S) && ! isempty (S) && diff (blocksize (S)) == 0)
%!     for f = {@diag, @trace, @(x) trace(x'), @(x) norm(x, 1), @(x) norm(x, Inf), @(x) x * x, @(x) x ^ 2, ...
%!              @(x) x ^ 3, @(x) x ^ 6, @(x) x' ^ 2, @(x) 1.5 * x - 0.5 * x ^ 3}
%!       texts{end+1} = compare (f{1}, p, 1e-5 * isa (p{1}, "single") + 2e-15);
%!     endfor
%!   endif
%! endfor
%! fail_with (texts);

%!test <*operators of two patterns>
%! operators = {@plus, @minus, @times, @mtimes, @(x, y) x' * y, @(x, y) x * y', @(x, y) x.' + y.', ...
%!              @(x, y) x' .* y', @(x, y) x + conj(y), @(x, y) x - 2 * y, @(x, y) x' - y', ...
%!              @(x, y) (x + y) * y', @(x, y) x == y, @isequal, @(x, y) x * full(y)', @(x, y) full(x) * y'};
%! texts = {};
%! list = patterns ();
%! list{end+1} = list{1} .* 2; # of the same pattern, but its own
%! list{end+1} = -list{1};
%! for f = operators
%!   for p = list
%!     for q = list
%!       if (isequal (size (p{1}), size (q{1})) || rand < 0.1)
%!         tol = 1e-6 * (isa (p{1}, "single") || isa (q{1}, "single")) + 2e-15;
%!         texts(end+1:end+3) = compare_ways (f{1}, {p{1}, q{1}}, logical ([1, 1; 1, 0; 0, 1]), tol);
%!       endif
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);

## Where Octave computes, every third case of a long table says as much.
%!function yes = is_turn ()
%!  persistent k = 0;
%!  k++;
%!  yes = mod (k, 3) == 0 || gpumm_available ("gpu") || ! isempty (getenv ("GPUMM_GPUARRAY"));
%!endfunction

## parts are full, as on the host: whole blocks, rows and columns in any order and more than once, masks
%!test <*parts>
%! texts = {};
%! list = patterns ();
%! list{end+1} = list{1}.';
%! for p = list
%!   S = p{1};
%!   [m, n] = size (S);
%!   rows = {":", 1:m, m:-1:1, [], 1:0, ceil(m / 2), ceil([m, 1, m] / 2)};
%!   if (m > 0)
%!     rows(end+1:end+4) = {2:m, 1:min(m, blocksize (S)(1)), mod(0:2 * m, m) + 1, (mod (1:m, 3) == 0)};
%!   endif
%!   cols = {":", 1:n, n:-2:1, n, []};
%!   if (n > 0)
%!     cols(end+1:end+3) = {1, mod(1:5, n) + 1, true(1, n)};
%!   endif
%!   for i = rows
%!     for j = cols
%!       for f = {@(x) x(i{1},j{1}), @(x) x'(j{1},i{1}), @(x) (2 * x - x)(i{1},j{1},1), @(x) (x .* 2).'(j{1},i{1})}
%!         if (is_turn ())
%!           texts{end+1} = compare (f{1}, p, 1e-6 * isa (S, "single"));
%!         endif
%!       endfor
%!     endfor
%!   endfor
%!   for i = 1:m / blocksize (S)(1)
%!     for j = 1:n / blocksize (S)(2)
%!       texts{end+1} = compare (@(x) x{i,j}, p);
%!       texts{end+1} = compare (@(x) x'{j,i}, p);
%!     endfor
%!   endfor
%!   for k = 1:min (numel (S), 5)
%!     texts{end+1} = compare (@(x) x(k), p);
%!     texts{end+1} = compare (@(x) x'(k), p);
%!     texts{end+1} = compare (@(x) x(end,end), p);
%!     texts{end+1} = compare (@(x) x(end+1-k), p);
%!   endfor
%!   for f = {@(x) x(m + 1,1), @(x) x(1,n + 1), @(x) x(m * n + 1), @(x) x(0,1), @(x) x(1.5,1), @(x) x{m + 1,1}, ...
%!            @(x) x{1,0}, @(x) x{1}, @(x) x{1:2,1}, @(x) x{"a",[]}, @(x) x{1.5,1}, @(x) x.a, @(x) x(), ...
%!            @(x) x(:,1)(2), @(x) x{1,1}(1,:)}
%!     texts{end+1} = compare (f{1}, p);
%!   endfor
%! endfor
%! fail_with (texts);

## indices that lie on the device; a part of a matrix that is still to be computed; large matrices
%!test
%! S = patterns(){2};
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

%!test
%! for class = {"double", "single", "int8", "uint64"}
%!   S = cast (blocksparse (eye (4), 2), class{1});
%!   for kind = {"integer", "float", "numeric"}
%!     assert (isa (gpuArray (S), kind{1}), isa (S, kind{1}));
%!   endfor
%! endfor

## ---- integers ------------------------------------------------------------------------------------

## Of class TYPE, with large values; sums of products saturate.
%!function list = integer_patterns (type)
%!  list = cellfun (@(S) blocksparse (feval (type, full (S) * 10), blocksize (S)), patterns ()([1, 3, 4, 7, 8, 9, 10]), ...
%!                  "UniformOutput", false);
%!  A = feval (type, kron ([1, 0, 1; 0, 0, 1; 1, 1, 0], ones (2)));
%!  A(1:2,1:2) = [intmax(type), intmin(type); 0, 1];
%!  A(5,1:2) = intmin (type);
%!  list{end+1} = blocksparse (A, 2);
%!  list{end+1} = list{end} - 3 * list{end};
%!  assert (cellfun (@(S) strcmp (underlyingType (S), type), list));
%!endfunction

%!test <*integers>
%! every = {@(x) x', @(x) x.', @(x) +x, @double, @single, @int8, @uint16, @int64, @(x) int64(x) * int64(x).', @sum, ...
%!          @(x) sum(x, 2), @sumsq, @full, @sparse, @nnz, @nnzb, @(x) x * x.', @(x) x' * x, ...
%!          @(x) (x.' * x) * (x' * x), @isinteger, @isfloat, @isreal, @(x) x(1:2:end,:), @(x) x'{1,1}, @(x) [x, x], ...
%!          @(x) [x; x; x], @(x) [x, double(x)], @(x) dropblocks(x, 20), @(x) dropblocks(x.', 3), @(x) x * double(x), ...
%!          @(x) double(x') * x, @(x) x * ones(columns (x)), @(x) x * true(columns (x), 1), @(x) x ^ 2, @(x) x * x, ...
%!          @(x) gather(x) * x.', @(x) nnz(int64 (x)), @(x) int8(int64 (x)) + int8(x), @(x) norm(x, 1), @diag, @trace, ...
%!          @(x) uint64(x)(1,:), @(x) nnzb(int64 (x) * int64(x).')};
%! narrow = {@(x) sum(x / 8, "native"), @(x) x + x, @(x) x - x, @(x) x .* x, @(x) x + x', @(x) x' - x, @(x) x .* double(x), @(x) double(x) - x, ...
%!           @(x) single(x) + x, @(x) 2 * x, @(x) x * 2.5, @(x) x / 2, @(x) x / 0, @(x) x ./ 2, @(x) 3 \ x, @(x) -x, ...
%!           @(x) x * true, @(x) x .^ 2, @(x) x .^ 0.5, @(x) x * NaN, @(x) x * Inf, @abs, @sign, @round, @real, @imag, ...
%!           @conj, @sqrt, @sin, @(x) x + 1, @(x) x > 1, @(x) x + full(x), @(x) x .* single(3), @(x) !x, ...
%!           @(x) blocksparse(full (x), blocksize (x)), @(x) isequal(x, x), @(x) isequal(x, x + x), @(x) x + int32(x), ...
%!           @(x) x .* uint8(2)};
%! texts = {};
%! for type = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
%!   functions = every;
%!   if (isempty (strfind (type{1}, "64")))
%!     functions = [every, narrow];
%!   endif
%!   for p = integer_patterns (type{1})
%!     for f = functions
%!       if (! is_turn ())
%!         continue;
%!       endif
%!       if (strcmp (func2str (f{1}), "sum") || issquare (p{1}) || ! any (strcmp (func2str (f{1}), {"diag", "trace"})))
%!         texts{end+1} = compare (f{1}, p, 1e-6 * any (strcmp (func2str (f{1}), {"single"})) + 1e-15);
%!       endif
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);

## what is not computed of 64 bits, with no value changed
%!test
%! L = blocksparse (intmin ("int64") * int64 (eye (4)), 2);
%! G = gpuArray (L);
%! assert ([nnz(G), nnzb(G), nnz(G * G), nnz(gpuArray (int64 (L)) * L)], [4, 2, 4, 4]);
%! for f = {@() G + G, @() G * 2, @() abs(G), @() isequal(G, G), @() -G, @() G == G, @() sum(G, "native")}
%!   said = "";
%!   try
%!     f{1} ();
%!   catch err
%!     said = err.identifier;
%!   end_try_catch
%!   assert (said, "gpumm:gpuArray:gather", func2str (f{1}));
%! endfor

## with numbers on the device, which are looked at
%!test
%! S = patterns(){1};
%! for n = {2, 0, NaN, Inf, -1, 1i}
%!   for f = {@(x, n) n * x, @(x, n) x .* n, @(x, n) x / n, @(x, n) x .^ n}
%!     assert (compare (f{1}, {S, n{1}}, 1e-15), "");
%!   endfor
%! endfor
%! G = gpuArray (S);
%! assert (difference (G / norm (G, 1), S / norm (S, 1), 1e-15), "");

%!function text = ifelse_of (x)
%!  text = "false";
%!  if (x)
%!    text = "true";
%!  endif
%!endfunction

## one element counts as a number beside what is not in blocks
%!test
%! S = blocksparse (3, 1);
%! for f = {@(x) x * 2, @(x) 2 + x, @(x) x * ones(2), @(x) ones(2) * x, @(x) x(1), @(x) x(:), ...
%!          @(x) x([1, 1; 1, 1]), @(x) x(1,[1, 1]), @(x) x ^ 2, @(x) trace(x)}
%!   f = f{1};
%!   assert (full (gather (f (gpuArray (S)))), full (f (S)));
%! endfor
%! assert (ifelse_of (gpuArray (S)), "true");
%! ## and what is in blocks on the host stays so: a loop of products may have a matrix of 1 x 1
%! for f = {@(x) 2 * x, @(x) x .* 2, @(x) -x, @(x) x / 2, @(x) 2 \ x, @(x) x .^ 2, @(x) 1.5 * x - 0.5 * x ^ 3}
%!   assert (isequal (gather (f{1} (gpuArray (S))), f{1} (S)));
%!   assert (class (gather (f{1} (gpuArray (S)))), "blocksparse");
%! endfor
%! assert (gather (gpuArray (S) .^ -1), 1 / 3);
%! assert (gather (2 ./ gpuArray (S)), 2 / 3);
%! assert (size (diag (gpuArray (blocksparse (0, 0, 1)))), [0, 0]);

## ---- what cancels, overflows, and blocks that are not stored -------------------------------------

%!test
%! S = blocksparse (kron ([1, -1, 3; 2, -2, 0; 0, 0, 0], ones (2)), 2);
%! T = blocksparse (kron ([0; 0; 1] * [1, 1, 1], eye (2)), 2);
%! U = blocksparse (kron ([1, 0, 0; 1, 0, 0; 0, 0, 0], eye (2)), 2);
%! G = gpuArray (S);
%! H = gpuArray (T);
%! K = gpuArray (U);
%! assert (nnzb (G * K), 0);
%! assert (nnzb (G * H), 3);
%! assert (nnzb (G .* 1e-200 .* 1e-200), 0);
%! assert (nnzb (G - G), 0);
%! assert (nnzb (G + T - G), 3);
%! assert (nnzb (single (G * 1e-100)), 0);
%! N = gpuArray (blocksparse (NaN (6), 2));
%! assert (difference ((G - G) * N, (S - S) * gather (N)), "");
%! assert (difference ((G * K) * N, (S * U) * gather (N)), "");
%! assert (difference (G .* N, S .* gather (N)), "");
%! assert (difference ((G - G) * Inf, (S - S) * Inf), "");
%! assert (difference ((G * K) * NaN (6, 2), (S * U) * NaN (6, 2)), "");

## what is real multiplies both parts of what is complex
%!test
%! S = blocksparse ([complex(Inf, 1), 0; 2, complex(1, -Inf)], 2);
%! T = blocksparse ([1, 2; 3, 0], 2);
%! for f = {@(x, y) x * y, @(x, y) y * x, @(x, y) x * full(y), @(x, y) full(y) * x, @(x, y) y * full(x), ...
%!          @(x, y) full(x) * y}
%!   assert (compare (f{1}, {S, T}), "");
%! endfor

## the norm of a block decides, at or below; NaN and Inf stay; no square vanishes or overflows
%!test
%! blocks = cat (3, [3, 0; 0, 4], [3, 0; 0, 4.1], [NaN, 0; 0, 0], [Inf, 0; 0, 0], [1e-200, 0; 0, 0], ...
%!               [1e200, 1e200; 0, 0]);
%! S = blocksparse (1:6, 1:6, blocks, 12, 12);
%! for tol = {5, 4.9, 0, 1e-201, 1e-200, 1e200, Inf, single(5), gpuArray(5)}
%!   tol = tol{1};
%!   T = dropblocks (S, gather (tol));
%!   assert (difference (dropblocks (gpuArray (S), tol), T), "");
%!   assert (difference (dropblocks (gpuArray (S)', tol), T'), "");
%! endfor
%! assert (nnzb (dropblocks (S, 5)), 4);
%! assert (nnzb (dropblocks (S, 4.9)), 5);
%! assert (nnzb (dropblocks (S, 0)), 6);
%! assert (nnzb (dropblocks (S, Inf)), 1);
%! E = blocksparse (diag ([1e-200, 1e-200, 3e200, 4e200, 1, 1]), 2); # whose squares vanish or overflow
%! for X = {E, gpuArray(E)}
%!   assert (arrayfun (@(tol) nnzb (dropblocks (X{1}, tol)), [1.3e-200, 1.5e-200, 4.9e200, 5.1e200]), [3, 2, 1, 0]);
%! endfor
%! assert (underlyingType (dropblocks (gpuArray (single (filled (1, 2))), 1)), "single");
%! assert (nnzb (dropblocks (gpuArray (blocksparse (6, 4, [3, 2])), 1)), 0);

## copies, transposes that are kept, values that change below them
%!test
%! S = patterns(){4};
%! G = gpuArray (S);
%! x = (1:columns (S))';
%! H = G * 2;
%! assert (gather (G' * (G * x)), S' * (S * x));
%! K = G';
%! T = K + K;
%! assert (difference (T, 2 * S'), "");
%! clear G
%! assert (difference (K * K', S' * S), "");
%! K += K;
%! assert (difference (K, 2 * S'), "");
%! assert (difference (H, 2 * S), "");
%! F = gpuArray (ones (size (S)));
%! F = F + S;
%! assert (difference (F, 1 + full (S)), "");

## products with many block products a row, blocks in all sizes of the kernels
%!test
%! for b = [1, 2, 5, 8, 9, 17, 23]
%!   n = max (4, round (80 / b));
%!   P = sprand (n, n, 0.3) != 0;
%!   P(3,:) = P(:,2) = true;
%!   S = filled (full (P), [b, b]);
%!   G = gpuArray (S);
%!   assert (difference (G * G, S * S), "");
%!   assert (difference (G' * G, S' * S), "");
%!   F = mod (reshape (1:rows (S) * 17, [], 17), 7) - 3;
%!   assert (difference (G * F, S * F), "");
%!   assert (difference (F' * G, F' * S), "");
%! endfor

## by zero and by numbers that are not finite, where a block has become zero: it is not there any more
%!test
%! texts = {};
%! for S = patterns ()
%!   one = S{1};
%!   for f = {@(x) (x - x) / 0, @(x) (x .* 0) ./ 0, @(x) 0 .\ (x - x), @(x) (x - x) * Inf, @(x) NaN * (x .* 0), @(x) x / 0}
%!     texts{end+1} = compare (f{1}, {one});
%!   endfor
%! endfor
%! fail_with (texts);

## ---- the sign iteration --------------------------------------------------------------------------

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

## ---- concatenation -------------------------------------------------------------------------------

%!test <*parts that are put together>
%! list = patterns ();
%! S = list{1};
%! pairs = {{S, S}, {S, list{13}}, {S, single(S)}, {list{12}, list{12}}, {S, list{6}}, {S, blocksparse(8, 8, 2)}, ...
%!          {blocksparse(8, 8, 2), S}, {S, blocksparse(full (S), 4)}, {blocksparse(full (S), 4), S}, {S, full(S)}, ...
%!          {full(S), S}, {S, sparse(S)}, {sparse(S), S}, {list{3}, list{4}}, {list{10}, list{10}}, {list{10}, S(1:4,:)}, ...
%!          {S, S > 0}, {list{8}, list{8}}};
%! both = {@(x, y) [x, y], @(x, y) [x; y], @(x, y) [x, y; y, x], @(x, y) horzcat(x, y, x), @(x, y) vertcat(y, x), ...
%!         @(x, y) cat(1, x, y), @(x, y) cat(2, x, y, y), @(x, y) [x', y'], @(x, y) [x.'; y.'], @(x, y) [x; []; y], ...
%!         @(x, y) [[], x, y], @(x, y) [2 * x - x, y], @(x, y) [x, ones(rows (x), 2), y], @(x, y) [x - x, y], ...
%!         @(x, y) [x; y; ones(1, columns (x))], @(x, y) [x, ones(3, 1), y], @(x, y) [x - x; y; y]};
%! texts = {};
%! for pair = pairs
%!   [x, y] = pair{1}{:};
%!   for f = both
%!     texts(end+1:end+3) = compare_ways (f{1}, {x, y}, logical ([1, 1; 1, 0; 0, 1]));
%!   endfor
%! endfor
%! for p = list
%!   for f = {@(x) [x], @(x) [x, x, x], @(x) [x; x; x], @(x) [x; zeros(1, 0)], @(x) [x, zeros(0, 1)], @(x) horzcat(x), ...
%!            @(x) [zeros(1, 0); x; x]}
%!     texts{end+1} = compare (f{1}, p);
%!   endfor
%! endfor
%! fail_with (texts);

## ---- waits ---------------------------------------------------------------------------------------

## A product waits once: for the size of the result, and with it for what says whether its operands have zeros.
%!function n = waits_of (f)
%!  n = __gpumm_fault__ ("waits");
%!  f ();
%!  n = __gpumm_fault__ ("waits") - n;
%!endfunction

%!test
%! G = gpuArray (abs (filled (toeplitz ([1, 1, 0, 0, 0]), [2, 2])));
%! F = gpuArray (ones (10, 3));
%! is_there = double (gpumm_available ("gpu") || ! isempty (getenv ("GPUMM_GPUARRAY")));
%! assert (waits_of (@() 2 * G .* 3 + G / 2), 0);
%! assert (waits_of (@() G * F), 0);
%! assert (waits_of (@() G * G), is_there);
%! assert (waits_of (@() G' * G), is_there);
%! H = G * G; # says whether it has zeros
%! assert (waits_of (@() H' * H), is_there);
%! assert (waits_of (@() H * F), 0); # the product has found it out
%! H = G * G;
%! assert (waits_of (@() H * F), is_there);
%! assert (waits_of (@() H * F), 0);
%! X = 1.5 * G + 0.5 * H; # nobody knows
%! assert (waits_of (@() X * G), is_there);
%! assert (waits_of (@() X * F), 0);
%! X = 1.5 * G + 0.5 * H;
%! Y = G .* 2 + H;
%! assert (waits_of (@() X * Y'), is_there);
%! assert (waits_of (@() (G .* 3) * (H .* 2)), is_there);
%! N = G - G; # has zeros: these are dropped, and the product begins again
%! assert (waits_of (@() N * G) <= 2 * is_there);
%! assert (waits_of (@() N * F), 0);
%! assert (nnz (N * G), 0);

## ---- failures ---------------------------------------------------------------------------------------

## Each is short, so that the calls that fail in turn are few.
%!function list = programs ()
%!  list = {@(G, H, X) dropblocks(1.5 * G - 0.5 * G' * H, 1), @(G, H, X) G' * H * X, @(G, H, X) sum(X), ...
%!          @(G, H, X) full(X), @(G, H, X) sparse(X'), @(G, H, X) blocksparse(full (H), 2), @(G, H, X) trace(X), ...
%!          @(G, H, X) X .* G, @(G, H, X) nnz(X - G), @(G, H, X) isequal(X, G), @(G, H, X) X([1, end],:), ...
%!          @(G, H, X) X{1,2}, @(G, H, X) [X, G; G, X'], @(G, H, X) int8(X) * int8(G)};
%!endfunction

## every allocation, then every call of the device, fails in turn: nothing changes, and nothing is lost
%!test
%! gpumm_reset ();
%! alive = __gpumm_fault__ ("live");
%! S = filled ([1, 0, 1; 0, 0, 0; 1, 1, 0], [2, 2]);
%! T = filled ([0, 1, 1; 0, 0, 0; 1, 0, 0], [2, 2]);
%! X = S - T';
%! [G, H, Y] = deal (gpuArray (S), gpuArray (T), gpuArray (X));
%! right = cellfun (@(f) f (S, T, X), programs (), "UniformOutput", false);
%! same = @(k, y) isequal (class (y), class (right{k})) && isequal (y, right{k});
%! for k = 1:numel (right)
%!   assert (same (k, gather (programs (){k} (G, H, Y))), func2str (programs (){k}));
%! endfor
%! for what = {"memory", "device"}
%!   most = 0;
%!   for k = 1:numel (right)
%!     f = programs (){k};
%!     n = 0;
%!     do
%!       n++;
%!       failed = false;
%!       __gpumm_fault__ (what{1}, n);
%!       try
%!         z = gather (f (G, H, Y));
%!       catch err
%!         failed = true;
%!       end_try_catch
%!       calls = __gpumm_fault__ (what{1}, 0);
%!       assert (! failed || any (strcmp (err.identifier, {"gpumm:host-memory", "gpumm:device-memory", ...
%!                                                          "gpumm:device-failed"})), err.message);
%!       try
%!         wait (gpuDevice ()); # a failure that nobody has heard of yet
%!       catch
%!       end_try_catch
%!       assert (same (k, gather (f (G, H, Y))), func2str (f));
%!     until (! failed && calls < n)
%!     most = max (most, n);
%!   endfor
%!   assert (most > 20 || isempty (getenv ("GPUMM_GPUARRAY")), "%s: %d calls", what{1}, most);
%! endfor
%! assert (isequal (gather (G), S) && isequal (gather (H), T) && isequal (gather (Y), X));
%! clear z G H Y
%! gpumm_reset ();
%! assert (__gpumm_fault__ ("live") <= alive);

## ---- errors --------------------------------------------------------------------------------------

%!test
%! G = gpuArray (blocksparse (eye (4), 2));
%! R = gpuArray (blocksparse (ones (4, 6), [2, 3]));
%! refused = {@() exp(G), @() isnan(G), @() [G, "abcd".'], @() G \ [1; 2; 3; 4], @() ones(4) / G, ...
%!            @() 2 ^ G, @() G ^ 0.5, @() G ^ -1, @() reshape(G, 2, 8), @() G(:), @() G([1, 2; 3, 4]), @() G(1,1,1,2), ...
%!            @() all(G), @() any(G), @() prod(G), @() max(G), @() cumsum(G), @() norm(G), @() diag(G, 1), ...
%!            @() G + sparse(eye (4)), @() G * gpuArray(speye (4)), @() int8(G) * int8(ones (4)), ...
%!            @() gpuArray(int8 (ones (4))) * int8(G), @() diag(R), @() blocksparse(gpuArray (speye (4)), 2), ...
%!            @() sum(G, 3), @() blocksparse(6, 6, 3) ^ G, @() gpuArray(speye (4)) * blocksparse(eye (4), 2), ...
%!            @() cat(3, G, G), @() permute(G, [2, 1, 3]), @() resize(G, 8, 8), @() pagemtimes(G, G), @() kron(G, G), @() G(G != 0), ...
%!            @() gpumm(G, G), @() gpumm(ones (4), G), @() gpumm(gpuArray (ones (4)), blocksparse (eye (4), 2))};
%! for f = refused
%!   err = struct ("identifier", "", "message", "no error");
%!   try
%!     f{1} ();
%!   catch err
%!   end_try_catch
%!   assert ([func2str(f{1}), err.identifier], [func2str(f{1}), "gpumm:gpuArray:gather"]);
%!   assert (! isempty (strfind (err.message, "gather")), func2str (f{1}));
%! endfor
%! assert (difference (permute (R, [2, 1]), gather (R).'), "");
%! fail ("permute (gpuArray (blocksparse (magic (2), 1)), [2, 2])", "identical");
%! fail ("permute (gpuArray (blocksparse (magic (2), 1)), [1, 1])", "identical");
%! fail ("permute (gpuArray (blocksparse (magic (2), 1)), [2, 5])", "invalid");
%!error <exp of a blocksparse is not a blocksparse> exp (gpuArray (blocksparse (eye (4), 2)))
%!error <cumprod of a blocksparse is not available> cumprod (gpuArray (blocksparse (eye (4), 2)))
%!error <pagemtimes of a blocksparse is not available> pagemtimes (gpuArray (blocksparse (eye (4), 2)), 1)
%!error <gather> G = gpuArray (blocksparse (1, 1)); save (tempname (), "G");
%!error <gather> G = gpuArray (blocksparse ([1, 2], 1)); G(1) = 2;
%!test
%! calls = {"gpuArray (blocksparse (4, 6, 2)) * blocksparse (4, 6, 2)", "Octave:nonconformant-args"; ...
%!          "gpuArray (blocksparse (6, 6, 2)) * blocksparse (6, 6, 3)", "Octave:nonconformant-args"; ...
%!          "gpuArray (blocksparse (6, 6, 2)) + ones (5)", "Octave:nonconformant-args"; ...
%!          "gpuArray (blocksparse (4, 4, 2)) * int8 (ones (4))", "gpumm:undefined-operator"; ...
%!          "gpuArray (blocksparse (4, 4, 2)) * int8 (blocksparse (4, 4, 2))", "gpumm:undefined-operator"; ...
%!          "gpuArray (blocksparse (4, 4, 2)) * {}", "gpumm:invalid"; ...
%!          "gpuArray (blocksparse (4e5, 4e5, 2)) + 1", "gpumm:unsupported"; ...
%!          "blocksparse (gpuArray (ones (4)), 3)", "gpumm:blocksparse:size"; ...
%!          "dropblocks (gpuArray (blocksparse (4, 4, 2)), -1)", "gpumm:bad-value"; ...
%!          "dropblocks (blocksparse (4, 4, 2), [1, 2])", "gpumm:bad-value"; ...
%!          "dropblocks (blocksparse (4, 4, 2))", "Octave:invalid-fun-call"; ...
%!          "dropblocks (gpuArray (1), 1)", "gpumm:invalid"; ...
%!          "dropblocks (1, blocksparse (4, 4, 2))", "gpumm:invalid"; ...
%!          "blocksize (gpuArray (1))", "gpumm:invalid"; ...
%!          "nnzb (gpuArray (speye (2)))", "gpumm:invalid"};
%! for call = calls.'
%!   said = "";
%!   try
%!     eval ([call{1} ";"]);
%!   catch err
%!     said = err.identifier;
%!   end_try_catch
%!   assert (said, call{2}, call{1});
%! endfor

## ---- random programs -----------------------------------------------------------------------------

## Steps on matrices A, B of n x n in blocks that keep whole numbers, of which sums are exact.
%!function list = steps ()
%!  list = {"A * B", "A + B", "A - B", "A .* B", "A'", "A.'", "2 * A", "-A", "abs (real (A))", "A ^ 2", ...
%!          "dropblocks (A, 3)", "dropblocks (A - B, 2)", "sign (real (A))", "real (A)", "conj (A)", "imag (A)", ...
%!          "A * 1i", "A' * B", "A * B'", "blocksparse (full (A), b)", "1.5 * (2 * A) - 0.5 * (2 * B)", ...
%!          "A + A'", "A - dropblocks (A, 4)", "single (A)", "double (A)", "A .* A", ...
%!          "blocksparse (A * full (B), b)", "blocksparse (full (A)' * B, b)", ...
%!          "blocksparse (A(end:-1:1,:), b)", "blocksparse ([A, B](:,end/2+1:end), b)", ...
%!          "blocksparse (full ([A, B] * [A; B]), b)", "blocksparse ([A; 2 * B](1:2:end,:), b)", ...
%!          "blocksparse (double (int16 (real (A)) * int16 (real (B))), b)"};
%!endfunction

%!test
%! seed = from_environment ("GPUMM_SEED", 23);
%! cases = from_environment ("GPUMM_RANDOM_CASES", 150);
%! printf ("gpublocks.tst: %d random programs, GPUMM_SEED=%d\n", cases, seed);
%! rand ("twister", seed);
%! list = steps ();
%! for i = 1:cases
%!   b = ceil (rand ^ 2 * 4);
%!   n = 1 + ceil (rand ^ 2 * 8);
%!   for k = 1:3
%!     X = kron (full (sprand (n, n, rand)) > 0, ones (b)) .* round (rand (n * b) * 6 - 3);
%!     if (rand < 0.2)
%!       X(:,1:b) = 1;
%!     elseif (rand < 0.2)
%!       X *= 1 + 2i;
%!     endif
%!     host{k} = blocksparse (X, b);
%!     there{k} = gpuArray (host{k});
%!   endfor
%!   said = "";
%!   for step = 1:10
%!     p = ceil (rand * 3);
%!     q = ceil (rand * 3);
%!     text = list{ceil(rand * numel (list))};
%!     said = sprintf ("%s%d,%d: %s; ", said, p, q, text);
%!     A = host{p}; B = host{q};
%!     wanted = eval (text);
%!     if (rand < 0.5) # with variables that others hold, or with the only reference
%!       A = there{p}; B = there{q};
%!       if (rand < 0.3 && p != q) # one of the two comes from the host
%!         B = host{q};
%!       endif
%!       given = eval (text);
%!     else
%!       given = eval (regexprep (text, {'\<A\>', '\<B\>'}, {"there{p}", "there{q}"}));
%!     endif
%!     wrong = difference (given, wanted);
%!     if (! isempty (wrong))
%!       error ("case %d of seed %d, %d x %d blocks of %d: %s %s", i, seed, n, n, b, said, wrong);
%!     endif
%!     if (max (abs (struct (wanted).values(:))) > 300) # products stay exact in single, too
%!       wanted = sign (real (wanted));
%!       given = sign (real (given));
%!     endif
%!     host{p} = wanted;
%!     there{p} = given;
%!   endfor
%! endfor

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

## products.tst - the tables of what gpumm (A, B, OPTIONS...) gives: operands of each type by
## operands of each type, sizes at edges and around tiles, each pair of transposes, each algorithm
## and kernel. check_product compares each product with Octave's expression.
## SPDX-License-Identifier: BSD-3-Clause

%!shared all_types, floats, some_types, edges, tiles
%! all_types = make_operand ();
%! floats = {"double", "single", "complex", "single complex"};
%! some_types = [floats, {"sparse", "sparse complex", "sparse logical", "logical"}];
%! ## rows and columns of op (A) and of op (B)
%! edges = [0, 0, 0, 0; 0, 2, 2, 3; 2, 0, 0, 3; 2, 3, 3, 0; 1, 1, 1, 1; 1, 3, 3, 1; 3, 1, 1, 2; ...
%!          1, 1, 1, 4; 4, 1, 1, 1; 2, 3, 3, 4; 0, 0, 0, 3; 3, 0, 0, 0; 0, 3, 3, 0; 1, 0, 0, 1; ...
%!          0, 1, 1, 0; 1, 1, 4, 4; 4, 4, 1, 1; 2, 3, 2, 3; 3, 2, 2, 3; 0, 3, 2, 0];
%! s = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 300];
%! tiles = [];
%! for i = 0:6 # over some pairs of types each size meets each other one
%!   k = s(mod (5 * (1:16) + i, 16) + 1);
%!   tiles(:,:,i+1) = [s; k; k; s(mod(7 * (1:16) + 3 * i, 16) + 1)].';
%! endfor
%! rand ("twister", 1);

## Operands of these types, whose sizes with pair number I of transposes are S, and that pair.
%!function [A, B, options] = drawn (type_a, type_b, s, i)
%!  names = {"none", "transpose", "ctranspose"};
%!  op = [mod(i, 3), mod(floor (i / 3), 3)] + 1;
%!  if (op(1) > 1) s(1:2) = s([2, 1]); endif
%!  if (op(2) > 1) s(3:4) = s([4, 3]); endif
%!  A = make_operand (type_a, s(1), s(2));
%!  B = make_operand (type_b, s(3), s(4));
%!  options = {"TransposeA", names{op(1)}, "TransposeB", names{op(2)}};
%!endfunction

%!function X = spoiled (X)
%!  if (numel (X) > 0 && isfloat (X))
%!    X(randi (numel (X))) = pick ({NaN, Inf, -Inf});
%!  endif
%!endfunction

## each type by each type
%!test
%! is_integer = strncmp (all_types, "int", 3) | strncmp (all_types, "uint", 4);
%! special = some_types(1:6);
%! wide = [5, 7, 7, 4; 33, 2, 2, 30; 30, 30, 30, 30];
%! count = 0;
%! table = {all_types, all_types, edges, @(x) x, true     # any sizes, conformant or not
%!          some_types, some_types, tiles, @(x) x, false
%!          special, special, repmat(wide, 6, 1), @spoiled, false};
%! for row = table.'
%!   [list_a, list_b, sizes, change, is_plain] = row{:};
%!   for a = list_a
%!     for b = list_b
%!       some = sizes(:,:,mod (count, size (sizes, 3)) + 1);
%!       if (is_plain) # with integers there are mostly errors, whatever the sizes
%!         step = 2 + any (ismember (all_types(is_integer), {a{1}, b{1}}));
%!         some = some(1+mod (count, step):step:end,:);
%!       endif
%!       for s = some.'
%!         [A, B, options] = drawn (a{1}, b{1}, s, count);
%!         check_product (change (A), change (B), options{:});
%!         count++;
%!         if (is_plain && mod (count, 2)) # without options most products take a shorter path
%!           [A, B] = drawn (a{1}, b{1}, s, 0);
%!           check_product (A, B);
%!         endif
%!       endfor
%!       if (mod (count, 9) == 0)
%!         count++; # or some types would meet some transposes only
%!       endif
%!     endfor
%!   endfor
%! endfor
%! assert (count > 4000);

## ---- integers of one class: exact, saturated once. gpumm's extension of `*` ---------------------

## the oracle itself, by hand
%!test
%! for row = {intmin("int64"), intmin("int64"), intmax("int64")
%!            intmin("int64"), int64(1), intmin("int64")
%!            int64([3, -7]), int64([-5; 11]), int64(-92)
%!            [intmax("int64"), intmin("int64")], int64([1; 1]), int64(-1)
%!            [intmax("uint64"), uint64(2)], uint64([1; 1]), intmax("uint64")
%!            uint64(2^63), uint64(1), uint64(2^63)
%!            uint64(4294967295), uint64(4294967297), intmax("uint64")}.'
%!   assert (exact_integer_product (row{1:2}, class (row{3})), row{3});
%! endfor

## each class into each class, over whole ranges, so that narrow results saturate, and small
## numbers; and sums that need more than 128 bits, or far more than 2^53
%!test
%! integers = all_types(end-7:end);
%! sizes = [1, 1, 1; 1, 5, 1; 3, 1, 2; 2, 3, 4; 17, 16, 15; 33, 65, 31; 0, 3, 2; 2, 0, 3; ...
%!          5, 200, 1](:,[1, 2, 2, 3]);
%! count = 0;
%! for type = integers
%!   for out = [integers, {"double", "single"}]
%!     for s = sizes.'
%!       [A, B, options] = drawn (type{1}, type{1}, s, count++);
%!       if (mod (count, 2)) # the result's own values, not only its limits
%!         A = A / 32 ^ (sizeof (A(1:min (1, end))) * 1.2);
%!       endif
%!       check_product (A, B, "OutputClass", out{1}, options{:});
%!     endfor
%!   endfor
%!   check_product (A, B, options{:});
%!   for n = [1, 2, 3, 100, 1000, 1e5]
%!     ends = {repmat(intmin (type{1}), 2, n), repmat(intmax (type{1}), 2, n)};
%!     for i = 1:4 * (n < 1e5 || sizeof (ends{1}(1)) < 4)
%!       for out = {"int64", "uint64", type{1}}
%!         check_product (ends{1 + (i > 2)}, ends{1 + mod(i, 2)}, "TransposeB", "transpose", ...
%!                        "OutputClass", out{1});
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! ## one past the limit on either side, reached by sums that go far beyond it and come back
%! M = intmax ("int64");
%! one = int64 (1);
%! for row = {[M, M, -M], [one; one; one], M
%!            [M, M, -M], [M; one; M], M
%!            [M, M, -M, one], [M; -one; M; one], -M + 1
%!            [M, one], [one; one], M
%!            [-M, one], [one; -one], -M - 1
%!            [-M, one], [one; -2 * one], intmin("int64")
%!            int8([100, 100]), int8([1; -1]), int8(0)
%!            int8(100), int8(5:5:120), int8(100)*int8(5:5:120)}.'
%!   C = gpumm (row{1:2});
%!   assert ({class(C), C}, {class(row{3}), row{3}});
%! endfor
%! ## by a scalar: exact with the option; none of another class
%! X = reshape (int8 (5:5:120), 2, 3, 4);
%! assert (gpumm (int8 (100), X, "OutputClass", "int16"), int16 (100) * int16 (X));
%! assert (gpumm (X, int8 (100), "OutputClass", "int16"), int16 (100) * int16 (X));
%! assert (gpumm (int8 (100), int8 ([2, 3]), "OutputClass", "int32", "TransposeB", "transpose"), ...
%!         int32 ([200; 300]));

## each algorithm and kernel by name, where it runs; on the GPU, too
%!test
%! info = gpumm_info ();
%! some = [1, 19, 19, 1; 3, 19, 19, 17; 33, 19, 19, 5; 16, 19, 19, 16];
%! for backend = {"auto", "gpu"}(1:1 + gpumm_available ("gpu"))
%!   for k = info.kernels.'
%!     sizes = repmat (some, 3, 1);
%!     if (strcmp (backend{1}, "gpu"))
%!       sizes = reshape (permute (tiles(:,:,1:2), [1, 3, 2]), [], 4);
%!     endif
%!     for t = 1:4
%!       ran = 0;
%!       for i = 1:rows (sizes) * any (k.types == "dszc"(t))
%!         [A, B, options] = drawn (floats{t}, floats{t}, sizes(i,:), i);
%!         try
%!           [~, said] = check_product (A, B, options{:}, "Algorithm", k.name, "Backend", ...
%!                                      backend{1});
%!           ran++;
%!         catch err # a row may be for few rows or columns alone, and says so
%!           if (strcmp (backend{1}, "auto") || isempty (strfind (err.message, ...
%!               ["no kernel of \"" k.name "\""])))
%!             rethrow (err);
%!           endif
%!         end_try_catch
%!       endfor
%!       assert (ran >= 8 || ! any (k.types == "dszc"(t)), "%s ran %d", k.name, ran);
%!     endfor
%!     assert ({strtok(said.kernel), said.algorithm}, {k.name, k.algorithm}); # a note may follow
%!   endfor
%! endfor
%!test # families, mixed real and complex, and scalars that a family takes as 1x1 matrices
%! for name = algorithms_for (complex (ones (2)), complex (ones (2)))
%!   for n = [0, 1, 2, 33]
%!     A = make_operand ("complex", 7, n);
%!     B = make_operand ("double", n, 5);
%!     for pair = {A, B; B', A'; single(A), single(B)}.'
%!       check_product (pair{:}, "Algorithm", name{1});
%!     endfor
%!   endfor
%!   for pair = {3, 4; 3, [1, 2, 3]; 3, magic(3)}.'
%!     check_product (pair{:}, "Algorithm", name{1});
%!   endfor
%! endfor

## ---- A with itself ------------------------------------------------------------------------------
## Some algorithms take a shorter way where both operands are one matrix (syrk and herk, one copy on
## the device).

## B that is A, with its memory, or has memory of its own with the same elements or nearly so.
%!function list = beside (A)
%!  almost = conj (A);
%!  almost(end,1) = 7 - almost(end,1);
%!  copy = A;
%!  copy(1) += 0;
%!  list = {A, conj(A), A.', A', almost, almost.', copy};
%!endfunction

## A by each of them, with all transposes that conform, and Alpha, Beta and C in turn. How many ran.
%!function ran = with_itself (A, is_scaled, varargin)
%!  ran = 0;
%!  names = {"none", "transpose", "ctranspose"};
%!  for B = beside (A)
%!    for i = 1:3
%!      for j = 1:3
%!        if (size (A, 1 + (i == 1)) != size (B{1}, 1 + (j > 1)))
%!          continue;
%!        endif
%!        options = {"TransposeA", names{i}, "TransposeB", names{j}, varargin{:}};
%!        sizes = [size(A, 1 + (i > 1)), size(B{1}, 1 + (j == 1))];
%!        switch (is_scaled * mod (ran, 4))
%!          case 1
%!            options = [options, {"Alpha", -2}];
%!          case 2 # C is not symmetric
%!            C0 = cast (reshape (1:prod (sizes), sizes), class (A));
%!            options = [options, {"Alpha", 2 - 1i, "Beta", -2, "C", C0}];
%!          case 3
%!            options = [options, {"Alpha", 2 - 1i}];
%!        endswitch
%!        try
%!          check_product (A, B{1}, options{:});
%!        catch err
%!          if (strcmp (err.identifier, "gpumm:unsupported"))
%!            return;
%!          endif
%!          rethrow (err);
%!        end_try_catch
%!        ran++;
%!      endfor
%!    endfor
%!  endfor
%!endfunction

%!test # as "auto" chooses, by each algorithm, in tiles; sparse by every way
%! info = gpumm_info ();
%! full_sizes = {[1, 1], [2, 2], [2, 3], [3, 2], [1, 4], [4, 1], [16, 16], [31, 33], [33, 31], ...
%!               [70, 70]};
%! sparse_sizes = {[1, 1], [2, 2], [3, 5], [17, 17]};
%! types = {"sparse", "sparse complex"};
%! table = {floats, full_sizes, {}, 1500
%!          types, sparse_sizes, {}, 200
%!          {"sparse logical", "logical"}, sparse_sizes, {}, 100
%!          {"int8", "uint16", "int32", "uint64"}, {[1, 1], [4, 8]}, {}, 200
%!          {"int8", "uint16", "int32", "uint64"}, {[12, 12]}, {"OutputClass", "double"}, 200
%!          {"complex"}, {[65, 65], [60, 70]}, {"Algorithm", "tiled_32", "MaxDeviceMemory", 6e4}, 40
%!          {"double"}, {[65, 65]}, {"Algorithm", "tiled_32", "MaxDeviceMemory", 4e4}, 40};
%! for name = {"sparse", "spgemm", "sparse_as_full"}
%!   table(end+1,:) = {types, sparse_sizes, {"Algorithm", name{1}}, 200};
%! endfor
%! for backend = {"cpu", "gpu"}(1:1 + gpumm_available ("gpu"))
%!   for name = info.algorithms(:)'
%!     least = 100 * any (strcmp (name{1}, {"blas", "loops"})) * strcmp (backend{1}, "cpu");
%!     by = {"Algorithm", name{1}, "Backend", backend{1}};
%!     table(end+1,:) = {{"double", "single"}, {[3, 5]}, by, least / 2};
%!     table(end+1,:) = {{"complex", "single complex"}, {[17, 17]}, by, least};
%!   endfor
%! endfor
%! for row = table.'
%!   ran = 0;
%!   for type = row{1}
%!     for s = row{2}
%!       A = make_operand (type{1}, s{1}(1), s{1}(2));
%!       ran += with_itself (A, isfloat (A), row{3}{:});
%!     endfor
%!   endfor
%!   assert (ran >= row{4}, "%d cells of %s", ran, disp (row{3}));
%! endfor

## ---- sparse -------------------------------------------------------------------------------------

## random patterns, all transposes, at densities from empty to full, by every way
%!function X = of_kind (letter, m, n, density)
%!  X = sprand (m, n, density);
%!  switch (letter)
%!    case "z"
%!      X = sparse (complex (X, sprand (m, n, density)));
%!    case "b"
%!      X = X > 0.5;
%!    case "f"
%!      X = full (X) * pick ({1, 2i});
%!  endswitch
%!endfunction
%!test
%! sizes = {[1, 90, 4], [7, 90, 10], [65, 90, 68]};
%! small = {[40, 30, 45]};
%! kinds = {"ss", "zs", "bs", "zz", "zb", "fs", "zf", "sf"};
%! by_full = {"fs", "zf", "sf", "bf"};
%! table = {sizes, [0, 0.001, 0.02, 0.3, 1], kinds, {}
%!          {[200, 90, 203]}, [0.02, 0.3], kinds, {}
%!          small, 0.2, {"ss", "zs", "bz", "zz"}, {"Algorithm", "spgemm", "Backend", "cpu"}
%!          small, 0.6, {"ss", "zs", "bz", "zb", "zz"}, {"Algorithm", "sparse_as_full"}
%!          small, 0.1, by_full, {"Algorithm", "spmm", "Backend", "cpu"}
%!          {[50, 60, 40]}, 0.01, {"ss"}, {"Algorithm", "sparse_as_full"}
%!          {[0, 4, 3], [4, 0, 3], [4, 3, 0], [0, 0, 0], [1, 9, 1], [9, 1, 9]}, 0.5, {"ss"}, ...
%!            {"Algorithm", "sparse_as_full"}};
%! if (gpumm_available ("gpu"))
%!   table(end+1,:) = {{[300, 200, 140]}, 0.1, by_full, {"Algorithm", "spmm", "Backend", "gpu"}};
%! endif
%! ops = {"none", "transpose", "ctranspose"};
%! for row = table.'
%!   for s = row{1}
%!     for density = row{2}
%!       for pair = row{3}
%!         A = of_kind (pair{1}(1), s{1}(1), s{1}(2), density);
%!         B = of_kind (pair{1}(2), s{1}(2), s{1}(3), density);
%!         A = {A, A.', A'};
%!         B = {B, B.', B'};
%!         for i = 1:3
%!           for j = 1:3
%!             check_product (A{i}, B{j}, "TransposeA", ops{i}, "TransposeB", ops{j}, row{4}{:});
%!           endfor
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor

## ---- in blocks ----------------------------------------------------------------------------------

## each class, block size, pair of transposes and form of the result; by blocks, by full matrices, a
## row or a column of them, and by a sparse matrix. Small whole numbers are exact in all classes.
%!function A = in_blocks (m, n, b, name)
%!  A = floor (20 * rand (m * b(1), n * b(2))) - 10;
%!  A .*= kron (rand (m, n) < 0.5, ones (b));
%!  if (any (strcmp (name, {"int8", "uint8", "uint16", "int64"})))
%!    A *= 5; # so that products saturate
%!  endif
%!  switch (name)
%!    case "complex"
%!      A *= 1 - 2i;
%!    case "single complex"
%!      A = single (A) * (1 - 2i);
%!    otherwise
%!      A = feval (name, A);
%!  endswitch
%!endfunction
%!test
%! ops = {"none", "transpose", "ctranspose"};
%! classes = {"double", "single", "complex", "single complex", all_types(end-7:end){:}};
%! ran = 0;
%! for name = classes
%!   for b = {[1, 1, 1], [2, 2, 2], [4, 4, 4], [3, 2, 5], [8, 4, 1]}
%!     [m, k, n] = num2cell (b{1}){:};
%!     A = in_blocks (4, 5, [m, k], name{1});
%!     B = in_blocks (5, 6, [k, n], name{1});
%!     for i = 1:3
%!       for j = 1:3
%!         if (isinteger (A) && mod (i + j + k, 3) > 0) # each pair at some size
%!           continue;
%!         endif
%!         X = {A, A.', A'}{i};
%!         Y = {B, B.', B'}{j};
%!         options = {"TransposeA", ops{i}, "TransposeB", ops{j}};
%!         S = blocksparse (X, {[m, k], [k, m]}{1 + (i > 1)});
%!         T = blocksparse (Y, {[k, n], [n, k]}{1 + (j > 1)});
%!         check_product (S, T, options{:});
%!         check_product (S, Y, options{:});
%!         check_product (X, T, options{:});
%!         way = {{"Output", "full"}, {"Algorithm", "blocks"}, ...
%!                {"Output", "full", "Algorithm", "blocks"}}{mod(ran++, 3) + 1};
%!         check_product (S, T, options{:}, way{:});
%!         if (isa (A, "float"))
%!           check_product (S, T, options{:}, "Algorithm", "bsr");
%!           check_product (S, Y, options{:}, "Algorithm", "spmm");
%!           check_product (X, T, options{:}, "Algorithm", "spmm");
%!         endif
%!         if (isa (A, "double"))
%!           check_product (S, sparse (Y), options{:});
%!           check_product (sparse (X), T, options{:}, "Output", ...
%!                          pick ({"sparse", "full", "blocksparse"}));
%!         endif
%!       endfor
%!     endfor
%!     S = blocksparse (A, [m, k]);
%!     for pair = {S, B(:,1); A(1,:), blocksparse(B, [k, n]); S, 2; 2, S}.'
%!       check_product (pair{:});
%!     endfor
%!   endfor
%! endfor
%!test # A with itself
%! for type = floats
%!   for s = {[4, 4], [12, 12], [8, 12]}
%!     A = make_operand (type{1}, s{1}(1), s{1}(2)) .* kron (rand (s{1} / 4) < 0.7, ones (4));
%!     S = blocksparse (A, 4);
%!     for options = {{"TransposeB", "transpose"}, {"TransposeB", "ctranspose"}, ...
%!                    {"TransposeA", "transpose"}, ...
%!                    {"TransposeA", "ctranspose"}, {"TransposeA", "transpose", "TransposeB", ...
%!                                                   "ctranspose"}}
%!       T = S;
%!       if (numel (options{1}) > 2)
%!         T = blocksparse (conj (A.'), 4);
%!       endif
%!       for way = {{}, {"Output", "full"}, {"Algorithm", "blocks"}, {"Algorithm", "bsr"}}
%!         check_product (S, T, options{1}{:}, way{1}{:});
%!       endfor
%!     endfor
%!   endfor
%! endfor

## ---- Alpha, Beta and C --------------------------------------------------------------------------

## of each class; with each kernel
%!test
%! types = {"double", "single", "complex", "single complex", "sparse", "sparse complex", "logical"};
%! factors = {1, 0, -1, 2.5, 1 + 2i, single(3)};
%! count = 0;
%! for a = types
%!   for b = types
%!     for c = types
%!       for round = 1:2
%!         [A, B, options] = drawn (a{1}, b{1}, [4, 3, 3, 5], count);
%!         check_product (A, B, "Alpha", factors{mod(count, 6) + 1}, "Beta", ...
%!                        factors{mod(floor (count / 6), 6) + 1}, ...
%!                        "C", make_operand (c{1}, 4, 5), options{:});
%!         count++;
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! for k = gpumm_info ().kernels.'
%!   for row = {"double", "d", 2, -1; "single", "s", 2, -1; "complex", "z", 2 - i, 0.5i; ...
%!              "single complex", "c", 2 - i, 0.5i}.'
%!     if (any (k.types == row{2}))
%!       [A, B] = drawn (row{1}, row{1}, [9, 17, 17, 6], 0);
%!       check_product (A, B, "Alpha", row{3}, "Beta", row{4}, "C", make_operand (row{1}, 9, 6), ...
%!                      "Algorithm", k.name);
%!     endif
%!   endfor
%! endfor

## gpumm, which is compiled and has no tests of its own
%!assert (gpumm ([1, 2; 3, 4], [5; 6]), [17; 39])
%!assert (gpumm (magic (4), 2), 2 * magic (4))
%!assert (gpumm (single ([1, 2]), [3; 4]), single (11))
%!assert (gpumm (sparse ([1, 0; 0, 2]), [1, 2; 3, 4]), [1, 2; 6, 8])
%!assert (gpumm (int8 ([100, 100]), int8 ([1; 1])), int8 (127))
%!assert (gpumm (int8 ([100, 100]), int8 ([1; 1]), "OutputClass", "int16"), int16 (200))
%!test
%! [C, info] = gpumm ([1, 2i], [3; 4], "TransposeA", "none");
%! assert (C, 3 + 8i);
%! assert (info.flops, 8);
%!error <Invalid call to gpumm> gpumm (1)
%!error <Invalid call to gpumm> gpumm ()
%!error <called with too many outputs> [a, b, c] = gpumm (1, 2)
%!error <op1 is 2x3, op2 is 2x3> gpumm (ones (2, 3), ones (2, 3))
%!error id=Octave:nonconformant-args gpumm (ones (2, 3), ones (2, 3))
%!error id=gpumm:undefined-operator gpumm ({1}, 2)
%!error id=gpumm:unknown-option gpumm (1, 2, "Foo", 3)

## pairs.tst - every pair of classes, at the sizes around tiles and edges, in every transpose.
## SPDX-License-Identifier: BSD-3-Clause

%!function rest = without_pairs_of_integers (a, b)
%!  ## matrices of one integer class are gpumm's extension: integers.tst
%!  rest = ! (strcmp (a, b) && any (strncmp (a, {"int", "uint"}, 3)));
%!endfunction

## every pair, every transpose, small sizes, conformant or not
%!test
%! rand ("twister", 1);
%! types = make_operand ();
%! ops = {"none", "transpose", "ctranspose"};
%! shapes = [0, 0, 0; 0, 2, 3; 2, 0, 3; 2, 3, 0; 1, 1, 1; 1, 3, 1; 3, 1, 2; 1, 1, 4; 4, 1, 1; 2, 3, 4];
%! count = 0;
%! for a = types
%!   for b = types
%!     if (! without_pairs_of_integers (a{1}, b{1}))
%!       continue;
%!     endif
%!     for s = shapes.'
%!       for i = 1:3
%!         ## each transpose of B with one of A: all nine over the shapes
%!         j = mod (i + sum (s), 3) + 1;
%!         sizes = {s(1:2).', s(2:3).'};
%!         if (i > 1) sizes{1} = flip (sizes{1}); endif
%!         if (j > 1) sizes{2} = flip (sizes{2}); endif
%!         A = make_operand (a{1}, sizes{1}(1), sizes{1}(2));
%!         B = make_operand (b{1}, sizes{2}(1), sizes{2}(2));
%!         check_product (A, B, "TransposeA", ops{i}, "TransposeB", ops{j});
%!         count++;
%!       endfor
%!       check_product (make_operand (a{1}, s(1), s(2)), make_operand (b{1}, s(2), s(3)));
%!       count++;
%!     endfor
%!     check_product (make_operand (a{1}, 2, 3), make_operand (b{1}, 2, 3));
%!     check_product (make_operand (a{1}, 3, 2), make_operand (b{1}, 3, 2), "TransposeB", "transpose");
%!     count += 2;
%!   endfor
%! endfor
%! printf ("pairs.tst: %d small products\n", count);

## matrices of numbers at all the sizes
%!test
%! rand ("twister", 2);
%! types = {"double", "single", "complex", "single complex", "sparse", "sparse complex", ...
%!          "sparse logical", "logical"};
%! ops = {"none", "transpose", "ctranspose"};
%! sizes = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 300];
%! count = 0;
%! for a = 1:numel (types)
%!   for b = 1:numel (types)
%!     for i = 1:numel (sizes)
%!       ## (m, k, n) so that over the pairs each size meets each other one, in each place
%!       m = sizes(i);
%!       k = sizes(mod (5 * i + a + 3 * b, 16) + 1);
%!       n = sizes(mod (7 * i + 2 * a + b, 16) + 1);
%!       op_a = mod (i + a, 3) + 1;
%!       op_b = mod (i + b + floor (i / 3), 3) + 1;
%!       size_a = [m, k];
%!       size_b = [k, n];
%!       if (op_a > 1) size_a = flip (size_a); endif
%!       if (op_b > 1) size_b = flip (size_b); endif
%!       A = make_operand (types{a}, size_a(1), size_a(2));
%!       B = make_operand (types{b}, size_b(1), size_b(2));
%!       check_product (A, B, "TransposeA", ops{op_a}, "TransposeB", ops{op_b});
%!       if (a == b)
%!         check_product (make_operand (types{a}, m, m), make_operand (types{b}, m, m));
%!       endif
%!       count += 1 + (a == b);
%!     endfor
%!   endfor
%! endfor
%! printf ("pairs.tst: %d products at all sizes\n", count);

## one matrix twice, as A*A' and its kin
%!test
%! rand ("twister", 3);
%! for type = {"double", "single", "complex", "single complex", "sparse", "sparse complex", "logical"}
%!   for n = [1, 2, 17, 64, 129]
%!     A = make_operand (type{1}, n, 33);
%!     for op = {"transpose", "ctranspose"}
%!       check_product (A, A, "TransposeA", op{1});
%!       check_product (A, A, "TransposeB", op{1});
%!     endfor
%!     check_product (A, A');
%!     check_product (A', A);
%!     S = make_operand (type{1}, n, n);
%!     check_product (S, S);
%!     check_product (S, S, "TransposeA", "ctranspose", "TransposeB", "ctranspose");
%!   endfor
%! endfor

## every kernel by name, on the GPU or on the host device
%!test
%! rand ("twister", 4);
%! ops = {"none", "transpose", "ctranspose"};
%! kernels = gpumm_info ().kernels;
%! assert (! isempty (kernels));
%! for k = kernels.'
%!   for type = {"double", "single", "complex", "single complex"; "d", "s", "z", "c"}
%!     if (any (k.types == type{2}))
%!       for i = 1:9
%!         op_a = mod (i, 3) + 1;
%!         op_b = ceil (i / 3);
%!         s = [1, 1; 3, 17; 33, 5; 16, 16](mod (i, 4) + 1, :);
%!         size_a = [s(1), 19];
%!         size_b = [19, s(2)];
%!         if (op_a > 1) size_a = flip (size_a); endif
%!         if (op_b > 1) size_b = flip (size_b); endif
%!         check_product (make_operand (type{1}, size_a(1), size_a(2)), ...
%!                        make_operand (type{1}, size_b(1), size_b(2)), ...
%!                        "TransposeA", ops{op_a}, "TransposeB", ops{op_b}, "Algorithm", k.name);
%!       endfor
%!     endif
%!   endfor
%!   types = {"double", "single", "complex", "single complex"};
%!   X = make_operand (types{find (ismember ("dszc", k.types), 1)}, 20, 20);
%!   [~, info] = gpumm (X, X, "Algorithm", k.name);
%!   assert (strtok (info.kernel), k.name); # a note may follow
%!   assert (info.algorithm, k.algorithm);
%! endfor

## families by name, mixed real and complex, and scalars that a family takes as 1x1 matrices
%!test
%! for name = algorithms_for (complex (ones (2)), complex (ones (2)))
%!   for n = [0, 1, 2, 33]
%!     A = make_operand ("complex", 7, n);
%!     B = make_operand ("double", n, 5);
%!     check_product (A, B, "Algorithm", name{1});
%!     check_product (B', A', "Algorithm", name{1});
%!     check_product (single (A), single (B), "Algorithm", name{1});
%!   endfor
%!   check_product (3, 4, "Algorithm", name{1});
%!   check_product (3, [1, 2, 3], "Algorithm", name{1});
%!   check_product (3, magic (3), "Algorithm", name{1});
%! endfor

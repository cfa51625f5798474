## special.tst - what `*` treats by rules of its own: scalars, diagonals, permutations, ranges,
## empty and N-d arrays; NaN, Inf, narrowing, the sign of zero.
## SPDX-License-Identifier: BSD-3-Clause

## the stored type survives, too: nothing is made full
%!test
%! P = eye (3)(:, [2, 1, 3]);
%! D = diag ([1, 2, 3]);
%! S = sparse ([1, 0, 2; 0, 0, 3; 4, 0, 0]);
%! Z = i * D;
%! F = single (D);
%! for pair = {D, D; D, P; P, D; P, P; D, S; S, D; P, S; S, P; Z, S; Z, D; D, 2; 2, D; P, 2; 2i, D; ...
%!             F, F; F, D; D, single(magic (3)); D, magic(3); magic(3), P; D, true(3); P, true(3); ...
%!             D, S > 0; S > 0, P; D, int8(2); int8(2), P; D, 'abc'(:); D, (1:3)'; F, S; D, int8(magic (3))}.'
%!   for op = {"none", "transpose", "ctranspose"}
%!     check_product (pair{1}, pair{2}, "TransposeA", op{1});
%!     check_product (pair{1}, pair{2}, "TransposeB", op{1});
%!   endfor
%!   try
%!     R = pair{1} * pair{2};
%!   catch
%!     continue;
%!   end_try_catch
%!   assert (typeinfo (gpumm (pair{1}, pair{2})), typeinfo (R));
%! endfor

## what is short Octave multiplies at once, the rest is converted first: the same values, both sides of
## a million multiply-adds
%!test
%! for n = [99, 100, 101]
%!   A = rand (n);
%!   Z = single (complex (A, 0));
%!   for X = {single(A), A > 0.5, Z, repmat("a", n, n)}
%!     C = gpumm (X{1}, A);
%!     R = X{1} * A;
%!     assert (class (C), class (R));
%!     assert (C, R, 4 * n * eps (max (abs (R(:)))));
%!     assert (gpumm (A, X{1}), A * X{1}, 4 * n * eps (max (abs (R(:)))));
%!   endfor
%!   assert (gpumm (1:n, A), (1:n) * A, n * n * eps (n));
%!   assert (gpumm (A, 'x'), A * 'x');
%!   assert (gpumm (complex (2, 0), [Inf, 1]), complex (2, 0) * [Inf, 1]);
%! endfor

## none of k, but many of C: the engine's error, not the lack of memory
%!error id=gpumm:host-memory gpumm (zeros (1e7, 0) > 0, zeros (0, 1e7) > 0)

## diagonal matrices skip their zeros: NaN stays where it is
%!assert (gpumm (diag ([1, 2]), [NaN, 1; 1, 1]), [NaN, 1; 2, 2])
%!assert (gpumm ([NaN, 1; 1, 1], diag ([1, 2])), [NaN, 2; 1, 2])

## 1e5 x 1e5: 80 GB if it were made full
%!test
%! n = 1e5;
%! x = rand (n, 1);
%! [C, info] = gpumm (eye (n), x);
%! assert (C, x);
%! assert (info.algorithm, "diagonal");
%! assert (info.backend, "cpu");
%! p = randperm (n);
%! [C, info] = gpumm (eye (n)(p, :), x);
%! assert (C, x(p));
%! assert (info.algorithm, "permutation");
%! assert (info.flops, 0);
%! C = gpumm (eye (n), sprand (n, n, 1e-5));
%! assert (issparse (C));

%!test
%! [C, info] = gpumm (3, magic (4));
%! assert (C, 3 * magic (4));
%! assert (info.algorithm, "scale");
%! assert (info.flops, 16);
%! [C, info] = gpumm (3i, magic (4));
%! assert (info.flops, 32);

## scalars of every class with N-d arrays
%!test
%! for a = {"double", "single", "complex", "single complex", "logical", "char", "int8", "uint16"}
%!   for s = {2, 3i, single(2), int8(3), true, "a", sparse(2)}
%!     X = reshape (make_operand (a{1}, 3, 8), [3, 4, 2]);
%!     check_product (X, s{1});
%!     check_product (s{1}, X);
%!   endfor
%! endfor

## an N-d array is a matrix for `*`, and has no transpose
%!test
%! X = reshape (mod (1:12, 7), 3, 2, 2);
%! nd = {X, reshape(1:3, 1, 1, 3), zeros(3, 0, 2), reshape(1:4, 1, 2, 2)};
%! for a = [nd, {magic(3), magic(4), (1:4)', 1:3, sparse(magic (3)), sparse(magic (4)), eye(3), eye(4)(:,[2, 1, 3, 4]), ones(2)}]
%!   for b = nd
%!     for type = {@double, @single, @logical, @(x) x + 1i}
%!       check_product (a{1}, type{1} (b{1}));
%!       check_product (type{1} (b{1}), a{1});
%!     endfor
%!   endfor
%! endfor
%! assert (gpumm (int8 (ones (2)), int8 (X(1:2,:,:))), int8 (ones (2) * X(1:2,:)));
%!assert (gpumm (ones (2, 3), reshape (1:6, 3, 1, 2), "C", ones (2), "Beta", 1), ones (2, 3) * [1, 4; 2, 5; 3, 6] + 1)
%!assert (gpumm (ones (3, 2), ones (3, 2, 2), "TransposeA", "transpose"), 3 * ones (2, 4))
%!assert (full (gpumm (blocksparse (eye (2), 1), ones (2, 2, 2))), ones (2, 4))
%!assert (full (ones (2, 1, 2) * blocksparse (eye (2), 1)), ones (2))
%!error id=gpumm:nd-array gpumm (ones (2, 2, 2), 3, "TransposeA", "transpose")
%!error <A is 2x2x2 and B is 2x3; gpumm multiplies matrices. pagemtimes \(A, "transpose", B, "none"\)> ...
%! gpumm (ones (2, 2, 2), ones (2, 3), "TransposeA", "transpose")
%!error id=Octave:nonconformant-args gpumm (ones (2, 2, 2), ones (2, 3))

## ranges, the indices of find, and what is empty
%!test
%! for pair = {1:4, (1:4)'; (0:0.25:1)', 1:3; 1:3, magic(3); 3:-1:1, magic(3); 1:0, zeros(0, 3); ...
%!             1:3, 2
%!             find([1, 0, 1, 1]), magic(3); find([1, 0, 1, 1]), sparse(magic (3)); "abc", [1; 2; 3]
%!             true(2, 3), true(3, 2); '', []; [], []; "", 5}.'
%!   check_product (pair{:});
%! endfor
%! check_product (magic (3), 3:-1:1, "TransposeB", "transpose");

## real with complex where Octave multiplies two real products, and where it does not (k <= n / 10)
%!test
%! for k = [1, 2, 3, 30]
%!   A = ones (30, k);
%!   B = complex (ones (k, 30), ones (k, 30));
%!   A(1) = Inf;
%!   check_product (A, B);
%!   check_product (B.', A.');
%!   check_product (complex (A, 1), ones (k, 30));
%! endfor

## a complex product without imaginary parts is real, of any size
%!test
%! for n = [1, 2, 40, 200]
%!   M = magic (n);
%!   for class = {"double", "single"}
%!     Z = cast (i * M, class{1});
%!     W = complex (cast (M, class{1}), 0);
%!     assert (isreal (check_product (Z, Z)));
%!     assert (iscomplex (check_product (Z, real (W))));
%!     assert (typeinfo (gpumm (W, W)), typeinfo (W * W));
%!   endfor
%!   if (n > 1) # no scalar
%!     S = sparse (i * M);
%!     assert (isreal (check_product (S, S)) && isreal (check_product (S, i * M)));
%!     assert (typeinfo (gpumm (S, complex (M, 0))), typeinfo (S * complex (M, 0)));
%!   endif
%! endfor
%! assert (iscomplex (gpumm ([1, NaN * i], [1; 1])), iscomplex ([1, NaN * i] * [1; 1]));

## the sign of zero, where a single term makes it
%!test
%! A = [-0; 0; 1; -1];
%! B = [1, -1, 0, -0];
%! assert (1 ./ gpumm (A, B), 1 ./ (A * B));
%! assert (1 ./ gpumm (single (A), single (B)), 1 ./ (single (A) * single (B)));
%! A = [A, A](1:3, :);
%! assert (1 ./ gpumm (A, A'), 1 ./ (A * A'));

## the user's variables, and those that share their memory, stay as they are
%!test
%! for a = {"double", "single", "complex", "sparse", "sparse complex", "logical", "int8"}
%!   A = make_operand (a{1}, 20, 20);
%!   B = A;
%!   keep = A;
%!   keep(1) = keep(1); # memory of its own
%!   C = gpumm (A, B);
%!   C(1) = 99;
%!   C(:) = 1;
%!   assert (A, keep);
%!   assert (B, keep);
%!   C0 = C;
%!   if (! strcmp (a{1}, "int8"))
%!     gpumm (A, B, "C", C0, "Beta", 2, "Alpha", 3);
%!     assert (C0, C);
%!     assert (A, keep);
%!   endif
%! endfor

## a transposed complex matrix without imaginary parts is real, as Octave makes it
%!test
%! Z = complex ([1, 2; 3, 4], 0);
%! W = complex ([Inf, 1; 2, 3], 0);
%! for R = {[Inf, 1; 2, 3], single([Inf, 1; 2, 3]), W}
%!   for op = {"transpose", "ctranspose"}
%!     check_product (R{1}, Z, "TransposeB", op{1});
%!     check_product (Z, R{1}, "TransposeA", op{1});
%!     check_product (R{1}, Z, "TransposeA", "transpose", "TransposeB", op{1});
%!   endfor
%! endfor
%! assert (gpumm ([Inf, 1], complex ([1, 2], 0), "TransposeB", "transpose"), Inf);

## faults of Octave 7.3: the elements of this product that it leaves as they were in memory
%!test
%! for s = [5, 2, 5; 4, 1, 3; 3, 0, 2; 2, 5, 2; 3, 2, 2]'
%!   for f = {1, i, single(2)}
%!     for g = {2, i}
%!       A = f{1} * eye (s(1), s(2));
%!       B = g{1} * eye (s(2), s(3));
%!       for round = 1:3
%!         check_product (A, B);
%!         [~, info] = check_product (A', B, "TransposeA", "ctranspose");
%!         assert (info.algorithm, "diagonal");
%!       endfor
%!     endfor
%!   endfor
%! endfor
%!test # and a crash
%! for S = {sparse([1, 2; 0, 3]), sparse([1, 2; 0, 3]) > 1, sparse([i, 2; 0, 3])}
%!   for D = {eye(2), i * eye(2), 2 * eye(2)}
%!     check_product (S{1}, S{1}, "C", D{1});
%!     check_product (D{1}, D{1}, "C", S{1}, "Beta", 3);
%!   endfor
%! endfor

## a sparse matrix by a scalar, or a sparse scalar, whatever the algorithm: sparse as with `*`, and 0 * NaN is NaN
%!test
%! S = sparse ([1; 0; 2]);
%! x = [NaN, Inf, 1];
%! pairs = {S, 3; 3, S'; S, sparse(3); sparse(2), 3; sparse(3), [1, 2]; sparse(0), x; x', sparse(0); ...
%!          sparse(0), sparse(x); sparse(x'), sparse(0); sparse(0), NaN; sparse(0), sparse(Inf); ...
%!          sparse(NaN), S'; S, NaN; sparse(1i), x};
%! for way = {"auto", "sparse", "spmm", "spgemm", "sparse_as_full"}
%!   for pair = pairs'
%!     check_product (pair{:}, "Algorithm", way{1});
%!     check_product (pair{:}, "Algorithm", way{1}, "Backend", "cpu");
%!   endfor
%! endfor

## a permutation matrix beside an N-d array only moves columns
%!assert (gpumm (cat (3, 1, NaN, 1), eye (3)([1, 2, 3],:)), [1, NaN, 1])

## blocksparse.tst - matrices sparse by blocks: the class, and its products against full ones.
## SPDX-License-Identifier: BSD-3-Clause

## a full matrix of m x n blocks, about half of them zero, of any class
%!function A = blocky (m, n, b, name, is_complex = false)
%!  A = floor (20 * rand (m * b(1), n * b(2))) - 10;
%!  if (is_complex)
%!    A = complex (A, floor (20 * rand (size (A))) - 10);
%!  endif
%!  A .*= kron (rand (m, n) < 0.5, ones (b));
%!  if (any (strcmp (name, {"int8", "uint8", "uint16", "int64"})))
%!    A *= 5; # so that products saturate
%!  endif
%!  A = feval (name, A);
%!endfunction

%!shared classes
%! classes = {"double", "single", "int8", "int16", "int32", "int64", "uint8", "uint16", ...
%!            "uint32", "uint64"};

## from full and sparse and back, all classes and shapes
%!test
%! rand ("twister", 1);
%! for name = classes
%!   for b = {[1, 1], [2, 2], [3, 2], [1, 4], [5, 1]}
%!     A = blocky (4, 3, b{1}, name{1});
%!     S = blocksparse (A, b{1});
%!     assert (full (S), A);
%!     assert (underlyingType (S), name{1});
%!     assert (size (S), size (A));
%!     assert (nnz (S), sum (A(:) != 0));
%!     assert (full (S.'), A.');
%!     assert (full (S'), A');
%!     assert (sparse (S), sparse (double (A)));
%!     assert (S(:,:), A);
%!     assert (blocksize (S), b{1});
%!   endfor
%! endfor

%!test # from sparse, complex, with nothing in it
%! A = sprand (12, 18, 0.1);
%! A(3,4) = 2i;
%! S = blocksparse (A, [4, 3]);
%! assert (full (S), full (A));
%! assert (full (S'), full (A'));
%! assert (iscomplex (S) && ! isreal (S));
%! assert (sparse (S), A);
%! Z = blocksparse (sparse (8, 4), 2);
%! assert (nnzb (Z), 0);
%! assert (full (Z), zeros (8, 4));
%! assert (full (blocksparse (8, 4, 2, "int16")), zeros (8, 4, "int16"));
%! assert (full (Z'), zeros (4, 8));
%! assert (nnzb (blocksparse (zeros (0, 4), 2)), 0);

%!test # NaN is kept, stored zeros are not
%! S = blocksparse ([NaN, 0, 0, 0], [1, 2]);
%! assert (nnzb (S), 1);
%! S = blocksparse ([2, 1], [1, 1], cat (3, [1, 2], [0, 0]), 2, 2);
%! assert (nnzb (S), 1);
%! assert (full (S), [0, 0; 1, 2]);
%! assert (nnzb (single (blocksparse ([1e-60, 0, 0, 1], [1, 2]))), 1);

%!test # as sparse: zeros of blocks are not stored, NaN is, and what is damaged is told
%! S = blocksparse (single ([NaN, 0, 0, 0; 0, 1+2i, 0, 0]), 2);
%! A = sparse (S);
%! assert (A, sparse ([1, 2], [1, 2], [NaN, 1+2i], 2, 4));
%! assert (nzmax (A), 2);
%! A = sparse (blocksparse (complex (ones (2), [0, 0; 0, 1])(:,1), [2, 1]));
%! assert (isreal (A) && isequal (A, sparse ([1; 1])));
%! s = struct (S);
%! s.column = int32 (7);
%! fail ("sparse (blocksparse (s))", "columns of block row 1 do not ascend from 0 to at most 1");

%!test # blocks in any order
%! rand ("twister", 2);
%! A = blocky (5, 4, [2, 3], "double");
%! S = blocksparse (A, [2, 3]);
%! [I, J] = ndgrid (1:5, 1:4);
%! order = randperm (20);
%! blocks = zeros (2, 3, 20);
%! for t = 1:20
%!   blocks(:,:,t) = S{I(order(t)),J(order(t))};
%! endfor
%! T = blocksparse (I(order), J(order), blocks, 10, 12);
%! assert (isequal (S, T));
%! assert (nnzb (T), nnzb (S));

%!error id=gpumm:blocksparse:duplicate blocksparse ([1, 2, 1], [2, 1, 2], ones (2, 2, 3), 4, 4)
%!error <blocks 1 and 3 are both for block row 1, block column 2> blocksparse ([1, 2, 1], [2, 1, 2], ones (2, 2, 3), 4, 4)
%!error id=gpumm:blocksparse:index blocksparse ([1, 3], [1, 1], ones (2, 2, 2), 4, 4)
%!error id=gpumm:blocksparse:index blocksparse ([1, 1], [1, 1.5], ones (2, 2, 2), 4, 4)
%!error id=gpumm:blocksparse:index blocksparse ([1, 1, 1], [1, 2], ones (2, 2, 2), 4, 4)
%!error <5x4 does not divide into blocks of 2x2> blocksparse (ones (5, 4), 2)
%!error id=gpumm:blocksparse:size blocksparse (ones (4), 0)
%!error id=gpumm:blocksparse:size blocksparse (ones (4), [1, 2, 3])
%!error id=gpumm:blocksparse:size blocksparse (ones (2, 2, 2), 2)
%!error id=gpumm:blocksparse:size blocksparse (-1, 2, 1)
%!error id=gpumm:blocksparse:size blocksparse (Inf, 2, 1)
%!error id=gpumm:blocksparse:size blocksparse ({2}, 2, 1)
%!error id=gpumm:blocksparse:size blocksparse (1, 1, 5, "a", 4)
%!error id=gpumm:blocksparse:size blocksparse (1, 1, ones (2, 2, 1, 2), 4, 4)
%!error id=gpumm:blocksparse:size blocksparse (1, 2^31, 5, 1, 2^31)
%!error <more than 2\^31 - 1 rows or columns> blocksparse (2^24, 2^31, 1)
%!error <or 2\^53 in all> blocksparse (2^23, 2^31 - 1, 1)
%!error id=gpumm:blocksparse:index blocksparse ({1}, 1, 5, 4, 4)
%!error id=gpumm:blocksparse:class blocksparse ({1}, 1)
%!error id=gpumm:blocksparse:class blocksparse (2, 2, 1, "logical")
%!error <Invalid call> blocksparse ()

%!test # sizes and indices of narrow classes do not round each other
%! assert (size (blocksparse (int8 (4), 1000, 2)), [4, 1000]);
%! S = blocksparse (1, uint16 (250), [1, 2; 3, 4], single (2), int16 (500));
%! assert (size (S), [2, 500]);
%! assert (S{int8(1),250}, [1, 2; 3, 4]);
%! assert (blocksize (blocksparse (eye (4), sparse (2))), [2, 2]);

%!test # the last block column that there can be
%! S = blocksparse (1, 2^31 - 1, 5, 1, 2^31 - 1);
%! assert ([S{1,2^31-1}, S{1,2^31-2}], [5, 0]);

## elements and blocks
%!test
%! rand ("twister", 3);
%! A = blocky (6, 5, [3, 2], "int32");
%! S = blocksparse (A, [3, 2]);
%! assert (S(5,7), A(5,7));
%! assert (S(4:9,[9, 1, 1]), A(4:9,[9, 1, 1]));
%! assert (S(:,3), A(:,3));
%! assert (S(end,:), A(end,:));
%! assert (S(:), A(:));
%! assert (S([1, 100, 7]), A([1, 100, 7]));
%! assert (S(true (18, 1),1), A(:,1));
%! assert (S([],1), A([],1));
%! assert (S{2,3}, A(4:6,5:6));
%! assert (S{2,3}(1,2), A(4,6));
%! assert ([rows(S), columns(S), ndims(S), numel(S), isempty(S)], [18, 10, 2, 180, 0]);
%! [m, n] = size (S);
%! assert ([m, n, size(S, 2)], [18, 10, 10]);
%! assert (isinteger (S) && ! isfloat (S));
%! assert (S == S, true (18, 10));
%! assert (S == A, true (18, 10));
%!error id=Octave:index-out-of-bounds blocksparse (eye (4), 2)(5,1)
%!error id=Octave:index-out-of-bounds blocksparse (eye (4), 2)(17)
%!error id=Octave:invalid-index blocksparse (eye (4), 2)(0)
%!error id=Octave:invalid-fun-call isequal (blocksparse (eye (4), 2))
%!error id=gpumm:blocksparse:index blocksparse (eye (4), 2){3,1}
%!error id=gpumm:blocksparse:index blocksparse (eye (4), 2).values
%!error id=gpumm:blocksparse:index blocksparse (eye (4), 2)(1,1,1)
%!error <elements cannot be assigned>
%! S = blocksparse (eye (4), 2);
%! S(1,1) = 3;

%!test # equal whatever the blocks
%! A = magic (12);
%! S = blocksparse (A, 2);
%! assert (isequal (S, blocksparse (A, 3), A, S));
%! assert (! isequal (S, blocksparse (A', 2)));
%! assert (! isequal (S, blocksparse (A(1:6,:), 2)));
%! assert (isequal (blocksparse (int8 (eye (4)), 2), blocksparse (eye (4), 2)));

## what is shown
%!assert (disp (blocksparse (kron ([1, 0; 0, 1], [1, 2]), [1, 2])), ...
%!        ["2x4 blocksparse double: 2 of 4 blocks of 1x2, 4 nonzeros\n" ...
%!         "    2  .\n    .  2\n"])
%!test
%! text = disp (blocksparse (speye (100), 2));
%! assert (! isempty (strfind (text, "in rectangles of 4x4 blocks")));
%! assert (numel (strfind (text, "\n")), 2 + 13);
%! assert (disp (blocksparse (0, 0, 2)), ...
%!         "0x0 blocksparse double: 0 of 0 blocks of 2x2, 0 nonzeros\n");
%! S = blocksparse (single ([1i, 0]), 1);
%! text = evalc ("S");
%! assert (text(1:38), "S = 1x2 blocksparse complex single: 1 ");

## to files and back
%!test
%! rand ("twister", 4);
%! file = tempname ();
%! for name = classes
%!   for form = {"-text", "-binary", "-v7"}
%!     S = blocksparse (blocky (3, 4, [2, 3], name{1}), [2, 3]);
%!     T = blocksparse (4, 4, 2, name{1});
%!     c = {S};
%!     if (strcmp (form{1}, "-v7")) # has no classes of one's own
%!       R = struct (S);
%!       save (form{1}, file, "R");
%!       assert (isequal (blocksparse (load (file).R), S));
%!       continue;
%!     endif
%!     save (form{1}, file, "S", "T", "c");
%!     x = load (file);
%!     assert (class (x.S), "blocksparse");
%!     assert (isequal (x.S, S) && isequal (x.T, T) && isequal (x.c{1}, S));
%!     assert (underlyingType (x.S), name{1});
%!     assert (full (x.S * x.S.'), full (S * S.'));
%!   endfor
%! endfor
%! unlink (file);

## products: as those of full matrices, bit for bit (small whole numbers are exact in all classes)
%!test
%! rand ("twister", 5);
%! ops = {"none", "transpose", "ctranspose"};
%! for name = classes
%!   for b = {[1, 1, 1], [2, 2, 2], [4, 4, 4], [3, 2, 5], [8, 4, 1]}
%!     [m, k, n] = num2cell (b{1}){:};
%!     for is_complex = 0:double (any (strcmp (name{1}, {"double", "single"})))
%!       A = blocky (4, 5, [m, k], name{1}, is_complex);
%!       B = blocky (5, 6, [k, n], name{1});
%!       S = blocksparse (A, [m, k]);
%!       T = blocksparse (B, [k, n]);
%!       C = gpumm (A, B);
%!       P = S * T;
%!       assert (class (P), "blocksparse");
%!       assert (underlyingType (P), name{1});
%!       assert (blocksize (P), [m, n]);
%!       assert (full (P), C);
%!       assert (S * B, C);
%!       assert (A * T, C);
%!       assert (gpumm (S, T, "Output", "full"), C);
%!       assert (S * B(:,1), C(:,1));
%!       assert (A(1,:) * T, C(1,:));
%!       for i = 1:3
%!         X = {S, S.', S'}{i};
%!         assert (full (gpumm (X, T, "TransposeA", ops{i})), C);
%!         Y = {T, T.', T'}{i};
%!         assert (full (gpumm (S, Y, "TransposeB", ops{i})), C);
%!         assert (gpumm (A, Y, "TransposeB", ops{i}), C);
%!         assert (gpumm (X, B, "TransposeA", ops{i}, "Alpha", 3), gpumm (A, B, "Alpha", 3));
%!       endfor
%!       assert (gpumm (S, B, "Alpha", 2, "Beta", -3, "C", C), ...
%!               gpumm (A, B, "Alpha", 2, "Beta", -3, "C", C));
%!       assert (full (gpumm (S, T, "Alpha", 2)), gpumm (A, B, "Alpha", 2));
%!       assert (full (S * 2), A * 2);
%!       assert (full (2 * S), 2 * A);
%!     endfor
%!   endfor
%! endfor

%!test # the classic job, with saturation counted
%! rand ("twister", 6);
%! saturated = 0;
%! for most = [100, 2047, 65535]
%!   A = uint16 (floor ((most + 1) * rand (64)));
%!   S = blocksparse (A, 4);
%!   C = gpumm (S, S, "OutputClass", "uint32");
%!   assert (underlyingType (C), "uint32");
%!   assert (full (C), gpumm (A, A, "OutputClass", "uint32"));
%!   assert (full (gpumm (S, S, "OutputClass", "double")), double (A) * double (A));
%!   saturated(end+1) = sum (full (C)(:) == intmax ("uint32"));
%! endfor
%! assert (saturated(1:3), [0, 0, 0]);
%! assert (saturated(4) > 3000);

%!test # single with double, sparse, logical, diagonal; forms of the result
%! A = magic (6);
%! S = blocksparse (A, [2, 3]);
%! T = blocksparse (single (A), [3, 2]);
%! assert (underlyingType (S * T), "single");
%! assert (full (S * T), single (A * A));
%! assert (underlyingType (gpumm (S, T, "OutputClass", "double")), "double");
%! assert (underlyingType (gpumm (S, S.', "OutputClass", "single")), "single");
%! assert (issparse (S * sparse (A)));
%! assert (full (S * sparse (A)), A * A);
%! assert (full (sparse (A) * S), A * A);
%! assert (full (gpumm (S, sparse (A), "TransposeA", "transpose")), A' * A);
%! assert (full (gpumm (sparse (A), S, "TransposeA", "transpose")), A' * A);
%! assert (full (gpumm (S, sparse (A), "TransposeB", "transpose")), A * A');
%! assert (S * (A > 10), A * (A > 10));
%! assert (S * eye (6), A);
%! assert ((1:6) * S, (1:6) * A);
%! assert (gpumm (S, S', "Output", "sparse"), sparse (A * A'));
%! assert (class (gpumm (S, sparse (A), "Output", "blocksparse")), "blocksparse");
%! assert (isreal (blocksparse (1i * A, 2) * blocksparse (1i * A, 2)));

%!test # by a scalar, as full matrices: classes, saturation once at the end
%! A = uint8 ([200, 100, 0, 0; 1, 2, 0, 0]);
%! S = blocksparse (A, 2);
%! for option = {{}, {"OutputClass", "uint16"}, {"OutputClass", "int8", "Alpha", -1}, ...
%!               {"OutputClass", "double"}, {"Alpha", 3}}
%!   expected = gpumm (A, uint8 (20), option{1}{:});
%!   assert (full (gpumm (S, uint8 (20), option{1}{:})), expected);
%!   assert (full (gpumm (uint8 (20), S, option{1}{:})), expected);
%!   assert (full (gpumm (S, uint8 (20), option{1}{:}, "TransposeA", "transpose")), expected.');
%! endfor
%! assert (full (gpumm (S, 0.5)), A * 0.5);
%! assert (full (gpumm (S, 2, "Algorithm", "blocks")), A * 2);
%! [C, info] = gpumm (S, true);
%! assert (full (C), A);
%! assert (info.algorithm, "scale");
%! fail ("gpumm (S, 20, \"OutputClass\", \"uint16\")", "must be \"uint8\"");

%!test # a blocksparse of 1x1 is a scalar where it does not conform, as it is for *
%! for five = {5, single(5), int16(5), 5i}
%!   x = blocksparse (five{1}, 1);
%!   S = blocksparse (cast (magic (4), class (five{1})), 2);
%!   for C = {gpumm(x, S), gpumm(S, x), gpumm(x, S, "TransposeA", "transpose")}
%!     assert (isa (C{1}, "blocksparse"));
%!     assert (full (C{1}), five{1} * full (S));
%!   endfor
%!   assert (gpumm (x, S, "Output", "full"), five{1} * full (S));
%!   assert (gpumm (x, full (S)), five{1} * full (S));
%!   assert (gpumm (full (S), x), five{1} * full (S));
%! endfor
%! x = blocksparse (5, 1);
%! assert (gpumm (x, sparse (magic (4))), sparse (5 * magic (4)));
%! assert (gpumm (x, ones (2, 2, 2)), 5 * ones (2, 2, 2));
%! assert (gpumm (x, [1, 2, 3]), [5, 10, 15]);

%!test # empty and zero
%! Z = blocksparse (4, 6, [2, 3]);
%! assert (full (Z * ones (6, 2)), zeros (4, 2));
%! assert (nnzb (Z * Z'), 0);
%! assert (full (blocksparse (0, 6, [2, 3]) * Z'), zeros (0, 4));
%! assert (full (blocksparse (4, 0, 2) * blocksparse (0, 4, 2)), zeros (4, 4));
%! S = blocksparse ([1, 1; 1, 1], [2, 1]);
%! T = blocksparse ([1, 2; -1, -2], [1, 2]);
%! assert (nnzb (S * T), 0);

%!test # what ran
%! [C, info] = gpumm (blocksparse (eye (4), 2), blocksparse (eye (4), 2), "Backend", "cpu");
%! assert (info.algorithm, "blocks");
%! assert (info.backend, "cpu");
%! assert (info.flops, 2 * 2 * 8);
%! assert (info.seconds.total >= info.seconds.compute);
%! [C, info] = gpumm (blocksparse (eye (4), 2), 3);
%! assert (info.algorithm, "scale");

%!error id=Octave:nonconformant-args blocksparse (eye (4), 2) * blocksparse (eye (6), 2)
%!error id=Octave:nonconformant-args blocksparse (eye (4), 2) * ones (3, 1)
%!error id=Octave:nonconformant-args blocksparse (eye (6), 2) * blocksparse (eye (6), 3)
%!error <op1 has blocks of 2x2, op2 of 3x3> blocksparse (eye (6), 2) * blocksparse (eye (6), 3)
%!error id=gpumm:undefined-operator blocksparse (int8 (eye (4)), 2) * blocksparse (eye (4), 2)
%!error id=gpumm:undefined-operator blocksparse (int8 (eye (4)), 2) * ones (4)
%!error id=gpumm:undefined-operator blocksparse (eye (4), 2) * {1, 2}
%!error id=gpumm:bad-value gpumm (eye (4), eye (4), "Output", "full")
%!error id=gpumm:bad-value gpumm (blocksparse (eye (4), 2), eye (4), "Output", "blocksparse")
%!error id=gpumm:bad-value gpumm (blocksparse (single (eye (4)), 2), eye (4), "Output", "sparse")
%!error id=gpumm:bad-value gpumm (blocksparse (eye (4), 2), eye (4), "Output", "none")
%!error id=gpumm:bad-value gpumm (blocksparse (eye (4), 2), blocksparse (eye (4), 2), "C", eye (4))
%!error id=gpumm:bad-value gpumm (blocksparse (eye (4), 2), eye (4), "Alpha", 2i)
%!error id=gpumm:bad-value gpumm (blocksparse (int8 (eye (4)), 2), int8 (eye (4)), "Alpha", 0.5)
%!error id=gpumm:bad-value gpumm (blocksparse (eye (4), 2), eye (4), "C", single (eye (4)))
%!error <"sparse" does not multiply block sparse double by block sparse double> gpumm (blocksparse (eye (4), 2), blocksparse (eye (4), 2), "Algorithm", "sparse")
%!error id=gpumm:unsupported gpumm (blocksparse (eye (4), 2), eye (4), "Algorithm", "tiled")
%!assert (full (gpumm (blocksparse (eye (4), 2), eye (4), "Algorithm", "blocks")), eye (4))
%!error id=gpumm:unsupported gpumm (magic (4), magic (4), "Algorithm", "blocks")

## integers by the kernels for the GPU, on the host device where there is no GPU
%!test
%! for m = [4, 8]
%!   A = uint16 (randi (65535, 3 * m, 5 * m)) .* uint16 (kron (rand (3, 5) < 0.6, ones (m)));
%!   B = uint16 (randi (65535, 5 * m, 4 * m)) .* uint16 (kron (rand (5, 4) < 0.6, ones (m)));
%!   S = blocksparse (A, m);
%!   T = blocksparse (B, m);
%!   for name = {"classic", "blocks_integer"}
%!     [C, info] = gpumm (S, T, "Algorithm", name{1}, "OutputClass", "uint32");
%!     assert (info.algorithm, name{1});
%!     assert (class (C), "blocksparse");
%!     assert (full (C), gpumm (A, B, "OutputClass", "uint32"));
%!   endfor
%! endfor
%!error <algorithm "classic" does not multiply block sparse int8>
%! S = blocksparse (int8 (ones (4)), 4);
%! gpumm (S, S, "Algorithm", "classic");

## floating point by the kernels for the GPU, on the host device where there is no GPU
%!test
%! for name = {"double", "single"}
%!   for is_complex = [false, true]
%!     A = feval (name{1}, randn (12, 15) .* kron (rand (4, 3) < 0.6, ones (3, 5)));
%!     B = feval (name{1}, randn (15, 8) .* kron (rand (3, 4) < 0.6, ones (5, 2)));
%!     if (is_complex)
%!       A *= 1 + 2i;
%!     endif
%!     S = blocksparse (A, [3, 5]);
%!     T = blocksparse (B, [5, 2]);
%!     bound = 40 * eps (name{1}) * max ((abs (A) * abs (B))(:)) + realmin (name{1});
%!     [C, info] = gpumm (S, T, "Algorithm", "bsr", "Alpha", 2);
%!     assert (info.algorithm, "bsr");
%!     assert (blocksize (C), [3, 2]);
%!     assert (full (C), 2 * (A * B), 2 * bound);
%!     assert (full (gpumm (T, S, "Algorithm", "bsr", "TransposeA", "ctranspose", ...
%!                          "TransposeB", "transpose")), B' * A.', bound);
%!     [C, info] = gpumm (S, B, "Algorithm", "spmm");
%!     assert (info.algorithm, "spmm");
%!     assert (C, A * B, bound);
%!     assert (gpumm (A, T, "Algorithm", "spmm"), A * B, bound);
%!     assert (gpumm (S, A, "Algorithm", "spmm", "TransposeA", "ctranspose"), A' * A, ...
%!             40 * eps (name{1}) * max ((abs (A)' * abs (A))(:)));
%!   endfor
%! endfor

## a row of B meets many rows of A, and nearly each product is a block of its own
%!test
%! for b = [8, 9]
%!   [i, j] = find (sprand (400, 40, 0.1));
%!   S = blocksparse (i, j, randn (b, b, numel (i)), 400 * b, 40 * b);
%!   [i, j] = find (sprand (40, 8000, 36 / 8000));
%!   T = blocksparse (i, j, randn (b, b, numel (i)), 40 * b, 8000 * b);
%!   A = sparse (S);
%!   B = sparse (T);
%!   bound = 100 * eps () * max (nonzeros (abs (A) * abs (B)));
%!   C = gpumm (S, T, "Algorithm", "bsr");
%!   assert (class (C), "blocksparse");
%!   assert (all (abs (nonzeros (sparse (C) - A * B)) <= bound));
%! endfor
